import re

from idiograph import read_study
from idiograph.evidence.methods import METHODS
from served import Client, Server, new_case, reference_files


def test_a_study_is_described_foreseen_run_and_read(server: Server, client: Client) -> None:
    answer = client.post("/studies", {"title": "How long"})
    assert answer.headers["location"] == "/study/how-long/run"
    path = "/study/how-long"
    assert "Choose a corpus first" in client.get(f"{path}/run").words
    refused = client.post(f"{path}/start", {"what": "forecast"})
    assert (refused.status, "not complete yet" in refused.words) == (400, True)
    assert client.upload(f"{path}/upload", {"part": "corpus", "name": ""}, reference_files(10)).status == 303
    assert "30 files in texts/corpus" in client.get(f"{path}/run").words
    for fields in (
        {"masking": "masked", "lambdag.repetitions": "2", "methods.resamples": "5"},
        {"q_tokens": "60, 80", "k_tokens": "120"},
        {"methods.use.sent": "1", "methods.use": ["hapax", "logistic"]},
    ):
        page_text = client.script(f"{path}/settings", fields)
    # Whatever a message names is a field of the page.
    assert page_text["problem"].startswith(
        "“The method that the others are compared with” must be one of the methods in use"
    )
    assert list(page_text["errors"]) == ["f-methods-baseline"]
    assert 'id="f-methods-baseline"' in client.get(f"{path}/run").text
    assert client.script(f"{path}/settings", {"methods.baseline": "logistic"})["problem"] == ""
    settings = read_study(server.folder / "how-long" / "study.toml")
    assert settings.methods == ("hapax", "logistic")
    assert [(condition.q_tokens, condition.k_tokens) for condition, _ in settings.conditions] == [(60, 120), (80, 120)]
    client.post(f"{path}/start", {"what": "forecast"})
    client.wait_for(f"{path}/run", r"It takes about [\d.]+ (second|minute)")
    client.post(f"{path}/start", {"what": "study"})
    page = client.wait_for(f"{path}/run", r"Done: \d+ trials")
    assert "Read the study's page" in page.words
    index = client.get(f"{path}/file/results/index.html")
    assert "Cllr" in index.words
    assert "sandbox" in index.headers["content-security-policy"]
    assert "How long filed" in client.get("/studies").words
    client.script(f"{path}/settings", {"q_tokens": "70"})
    assert "was changed after this forecast" in client.get(f"{path}/run").words


def test_the_usual_method_of_a_case_is_studied_by_clicking(server: Server, client: Client) -> None:
    client.post("/studies", {"title": "Usual"})
    client.upload("/study/usual/upload", {"part": "corpus", "name": ""}, reference_files(10))
    study = read_study(server.folder / "usual" / "study.toml")
    assert (study.methods, study.design.pairs, study.baseline) == (
        ("controlled", "normalised", "hapax"),
        "all",
        "controlled",
    )
    # Of texts that come masked no topics are known: the usual method is then the other.
    for fields in (
        {"methods.baseline": "normalised"},
        {"methods.use.sent": "1", "methods.use": ["normalised", "hapax"]},
        {"masking": "masked", "lambdag.repetitions": "2", "methods.resamples": "5"},
        {"q_tokens": "60", "k_tokens": "120"},
    ):
        assert client.script("/study/usual/settings", fields)["problem"] == ""
    client.post("/study/usual/start", {"what": "study"})
    client.wait_for("/study/usual/run", r"Done: \d+ trials")
    assert METHODS["normalised"].short in client.get("/study/usual/file/results/index.html").words
    page = client.get("/study/usual/run").text
    for key in ("design.pairs", "design.cohort", "design.fold", "attack.insert", "methods.fuse", "seeds.split"):
        assert f'name="{key}' in page, key
    page_text = client.get("/study/usual/run").words
    for word in ("k_tokens", 'pairs = "all"', "contiguous", " trace ", "posnoise", "leave_authors_out"):
        assert word not in page_text, word
    # What cannot be is said in the words of the page.
    page_text = client.script("/study/usual/settings", {"methods.baseline": "logistic"})
    named = (
        "“The method that the others are compared with” must be one of the methods in use (reference-normalised LR, "
    )
    assert (
        page_text["errors"]["f-methods-baseline"] == f"{named}Hapax Correction), not “logistic regression calibration”."
    )


def test_wrong_lengths_are_kept_and_named(client: Client) -> None:
    client.post("/studies", {"title": "Wrong lengths"})
    path = "/study/wrong-lengths"
    client.upload(f"{path}/upload", {"part": "corpus", "name": ""}, reference_files(2))
    page_text = client.script(f"{path}/settings", {"q_tokens": "sixty; 80"})
    assert "sixty" in page_text["problem"]
    assert 'value="sixty, 80"' in client.get(f"{path}/run").text
    seen = re.findall(r'name="version" value="([^"]*)"', client.get(f"{path}/run").text)[0]
    assert client.post(f"{path}/settings", {"version": seen, "q_tokens": "60", "k_tokens": "90"}).status == 303
    late = client.post(f"{path}/settings", {"version": seen, "q_tokens": "70"})
    assert late.status == 409
    assert "This was changed in another window" in late.text
    assert 'value="70"' in late.text


def test_the_reference_of_a_case_is_a_corpus_too(server: Server, client: Client) -> None:
    name = new_case(client, "Has a reference")
    client.post("/studies", {"title": "Of a case"})
    assert "Has a reference" in client.get("/study/of-a-case/run").words
    assert client.post("/study/of-a-case/reference", {"case": name}).status == 303
    corpus = read_study(server.folder / "of-a-case" / "study.toml").corpora[0]
    assert (corpus.path, corpus.masking) == (f"../{name}/texts/reference", "masked")
    assert client.post("/study/of-a-case/reference", {"case": "../.."}).status == 404
    client.post("/cases", {"title": "Empty handed"})
    assert client.post("/study/of-a-case/reference", {"case": "empty-handed"}).status == 400


def test_two_browsers_do_not_undo_each_others_study(server: Server, client: Client) -> None:
    client.post("/studies", {"title": "A study in two browsers"})
    page, settings = "/study/a-study-in-two-browsers/run", "/study/a-study-in-two-browsers/settings"
    seen = client.get(page)
    assert "The study</legend>" in seen.text
    version = re.findall(r'name="version" value="([^"]*)"', seen.text)[0]
    client.script(settings, {"runs": "2"})
    answer = client.post(settings, {"version": version, "runs": "3", "q_tokens": "250", "k_tokens": "1000"})
    assert (answer.status, "changed in another window" in answer.words) == (409, True)
    # What was typed is not lost, and not saved.
    assert 'name="runs" value="3"' in answer.text
    assert 'name="q_tokens" value="250"' in answer.text
    content = (server.folder / "a-study-in-two-browsers" / "study.toml").read_text(encoding="utf-8")
    assert "runs = 2" in content
    assert "250" not in content
