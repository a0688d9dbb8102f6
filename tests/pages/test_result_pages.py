import html
import io
import json
import math
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from idiograph.casework.verification import TokenRow
from idiograph.pages import words
from idiograph.pages.cases import ScoredTokens, read_tokens
from idiograph.pages.result_pages import _heat_map, zipped
from idiograph.pages.told import told, why_cllr_differs
from idiograph.pages.uploads import files_below
from served import Client, Server, masked_files, new_case


@pytest.fixture
def case(filed_here: object) -> tuple[Client, str, Path]:
    return filed_here.client, f"/case/{filed_here.name}", filed_here.folder  # type: ignore[attr-defined]


def test_the_finding_stands_first_and_every_comparison_in_one_table(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    result = json.loads((folder / "runs" / "0001" / "result.json").read_text())
    words = client.get(f"{path}/result?run=1").words
    for comparison in result["comparisons"]:
        assert comparison["conclusion"] in words
        row = f"{comparison['label']} {comparison['candidate']} "
        assert row in words
        lr = re.escape(comparison["value"])
        assert re.search(rf"{row}{lr} .*[+−]{abs(comparison['lambda_g']):,.2f} ", words)
        assert re.search(rf"Likelihood ratio {lr} \( log10 LR ", words)
        assert words.index(comparison["conclusion"]) < words.index(
            f"{comparison['hp']} Alternative (Hd) {comparison['hd']}"
        )
        cautions = [finding["message"] for finding in comparison["audit"] if finding["severity"] == "amber"]
        assert cautions
        for caution in cautions:
            assert words.index(f"Caution: {' '.join(caution.split())}") < words.index("All comparisons")
    assert "Validation under the conditions of the case was left out" in words  # it was quick
    assert words.index("Finding") < words.index("All comparisons") < words.index("Where in the text")
    assert "is not the probability that somebody wrote the text" in words


def test_the_heat_map_has_every_word_with_its_step(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    text = client.get(f"{path}/result?run=1&comparison=2").text
    (_, scored) = read_tokens(folder / "runs" / "0001")
    shown = re.findall(r'word=(\d+\.\d+)#word"(?: class="([pn])([123])")?>([^<]*)</a>', text)
    assert [position for position, *_ in shown] == [token.place for token in scored.tokens]
    for token, (_, sign, step, word) in zip(scored.tokens, shown, strict=True):
        assert word == ("¶" if token.is_end else token.masked)
        edges = [math.log10(1.5), math.log10(3), 1.0]
        assert int(step or 0) == sum(abs(token.lambda_g) >= edge for edge in edges)
        assert not step or (sign == "p") == (token.lambda_g > 0)


def test_a_word_tells_its_part_and_where_k_and_the_reference_have_it(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    asked = f"{path}/word?run=1&comparison=1&word=1.2"
    before = json.loads(client.get(asked, Accept="application/json").body)
    assert re.fullmatch(r"[+−]?\d\.\d{3}", before["lambda_g"])
    assert client.script(f"{path}/words", {"run": "1"}) == {"state": "done", "error": ""}
    after = json.loads(client.get(asked, Accept="application/json").body)
    assert before["pattern"] == after["pattern"] == after["places"]["tokens"]
    assert after["places"]["tokens"].split()[-1] == after["scored"]
    # The same without script, on the page itself.
    assert client.get(asked).headers["location"] == f"{path}/result?run=1&comparison=1&word=1.2"
    page = client.get(f"{path}/result?run=1&comparison=1&word=1.2")
    places = after["places"]
    tokens = json.loads((folder / "runs" / "0001" / "result.json").read_text())["comparisons"][0]["k"]["n_tokens"]
    assert f"in K ({1000 * places['n_k'] / tokens:.2f} per 1,000 tokens) and {places['n_reference']} time" in page.words
    assert client.post(f"{path}/words", {"run": "1"}).status == 303


def test_every_phrase_of_the_flag_leads_to_the_heat_map_and_to_the_concordance(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    file = folder / "runs" / "0001" / "result.json"
    before = file.read_text(encoding="utf-8")
    scored = read_tokens(folder / "runs" / "0001")[1]
    first = [token for token in scored.tokens if token.sentence == 1][:3]
    tokens = [token.masked for token in first]
    result = json.loads(before)
    phrase = {"tokens": tokens, "written": "", "alone": True, "places": [first[0].place, "2.1"]}
    held = {"nats": 1.0, "limit": "bare", "phrases": [phrase] * 50}
    result["comparisons"][1] |= {"held": held, "against_imitators": "Against an imitator no more than 2.7 is safe."}
    try:
        file.write_text(json.dumps(result), encoding="utf-8")
        page = client.get(f"{path}/result?run=1")
        assert "Against an imitator no more than 2.7 is safe." in page.words
        assert f"{' '.join(tokens)} (2 times), all places of {' '.join(tokens)}" in page.words
        links = re.findall(r'<li><a href="([^"]*)">[^<]*</a>[^<]*<a href="([^"]*)">all places', page.text)
        (to_map, to_texts) = (html.unescape(link) for link in links[0])
        assert len(links) == 50
        assert to_map == f"?run=1&comparison=2&word={first[0].place}&tokens=3#phrase"
        there = client.get(f"{path}/result{to_map.partition('#')[0]}")
        assert re.search(rf"scored as {re.escape(tokens[0])} ?, sentence 1", there.words)
        marked = re.findall(r'word=([\d.]+)#word" class="(?:[pn]\d )?phrase"( id="phrase")?>', there.text)
        assert marked == [(first[0].place, ' id="phrase"'), (first[1].place, ""), (first[2].place, "")]
        assert client.get(to_texts).status == 200
    finally:
        file.write_text(before, encoding="utf-8")


def test_what_is_not_in_a_run_is_not_found(case: tuple[Client, str, Path]) -> None:
    client, path, _ = case
    for query in ("run=9", "comparison=3", "comparison=0", "part=99", "word=99.99", "word=../..", "run=1&word="):
        assert client.get(f"{path}/result?{query}").status == 404, query
    assert client.get(f"{path}/result?run={'9' * 40}&comparison=x").status == 200  # not a number: the usual one
    assert client.get(f"{path}/word?run=9&word=1.1").status == 404
    assert client.post(f"{path}/words", {"run": "7"}).status == 404


def test_the_report_stands_first_among_the_files(case: tuple[Client, str, Path]) -> None:
    client, path, _ = case
    named = re.findall(r'<li><a href="[^"]*/runs/0001/([^"/]+)"', client.get(f"{path}/result?run=1").text)
    assert named[:4] == ["report.html", "report.pdf", "report.docx", "annexes.html"]
    assert {"annexes.docx", "tokens.csv", "result.json", "manifest.json"} <= set(named[3:])


def test_the_report_is_cut_off_from_the_pages_and_everything_else_is_kept_as_a_file(
    case: tuple[Client, str, Path],
) -> None:
    client, path, folder = case
    report = client.get(f"{path}/file/runs/0001/report.html")
    assert report.body == (folder / "runs" / "0001" / "report.html").read_bytes()
    assert report.headers["content-security-policy"] == (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    assert report.headers["content-disposition"].startswith("inline")
    for name in ("report.docx", "report.pdf", "result.json", "tokens.csv", "case.toml"):
        answer = client.get(f"{path}/file/{name}")
        assert answer.body == (folder / name).read_bytes()
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
    text = client.get(f"{path}/file/texts/questioned/Q1/1.txt")
    assert text.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "name",
    ["../../x", "..%2f..%2fx", "%2e%2e/x", "runs/../case.toml", "/etc/passwd", "%00", "runs", ".lock", "link.txt", ""],
)
def test_no_file_outside_the_case_is_read(case: tuple[Client, str, Path], name: str) -> None:
    client, path, folder = case
    link = folder / "link.txt"
    link.symlink_to("/etc/passwd")
    answer = client.get(f"{path}/file/{name}")
    link.unlink()
    assert answer.status in (400, 404)
    assert "root:" not in answer.text


def test_everything_comes_as_one_archive_without_links_and_locks(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    (folder / "link.txt").symlink_to("/etc/passwd")
    answer = client.get(f"{path}/all.zip")
    (folder / "link.txt").unlink()
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        assert archive.read(f"{folder.name}/result.json") == (folder / "result.json").read_bytes()
    kept = ("case.toml", "manifest.json", "runs.jsonl", "texts/questioned/Q1/1.txt", "runs/0001/report.docx")
    assert {f"{folder.name}/{name}" for name in kept} <= names
    assert not any("link.txt" in name or "/." in name for name in names)


def test_an_archive_is_made_in_pieces(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.bin").write_bytes(bytes([number]) * 1000)
    pieces = list(zipped(tmp_path, files_below(tmp_path)))
    assert len(pieces) == 6
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert len(archive.namelist()) == 5


def test_figures_come_with_words_for_those_who_cannot_see_them(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    pictures = re.findall(r'<img src="([^"]+)" alt="([^"]*)"', client.get(f"{path}/result").text)
    assert len(pictures) == len(list((folder / "figures").glob("*.svg"))) > 0
    shown = client.get(f"{path}/result").words
    assert re.search(r"Figures Q1 and lee .* How the score grows .* Q1 and kim .* How the score grows", shown)
    for kind in re.findall(r"comparison1_(\w+)\.svg", " ".join(source for source, _ in pictures)):
        title, caption = words.FIGURES[kind]
        assert shown.count(f"{title}. {caption}") == 2  # one for each comparison
    for source, alt in pictures:
        assert len(alt) > 20
        assert client.get(source).headers["content-type"] == "image/svg+xml"


@pytest.fixture
def other(case: tuple[Client, str, Path]) -> Iterator[tuple[Client, Path]]:
    """A copy of the case, to be changed."""
    client, _, folder = case
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    yield client, other
    shutil.rmtree(other)


def test_particulars_are_corrected_and_the_report_is_rendered_again_without_a_run(other: tuple[Client, Path]) -> None:
    client, folder = other
    assert "Render the report again" not in client.get("/case/other/result").words
    before = (folder / "runs" / "0001" / "result.json").read_bytes()
    client.script("/case/other/settings/particulars", {"case.court": "The Court of Harbours"})
    page = client.get("/case/other/result")
    assert "Particulars were corrected (The case)" in page.words
    assert "Render the report again" in page.words
    assert "Run done Result" in page.words  # nothing has to be run again
    answer = client.post("/case/other/start", {"what": "amend"})
    page = client.wait_for(answer.headers["location"], "Report 2 of run 1 is filed")
    assert "other particulars (case: court). No number was computed again." in page.words
    page = client.get("/case/other/result")
    assert "has changed since this run" not in page.words
    report = re.findall(r'href="([^"]*/report\.html)"', page.text)[0]
    assert "The Court of Harbours" in client.get(report).words
    assert "The Court of Harbours" not in (folder / "runs" / "0001" / "report.html").read_text()
    assert (folder / "result.json").read_bytes() == before
    assert "report rendered again on" in client.get("/case/other/runs").words
    answer = client.post("/case/other/start", {"what": "amend"})
    client.wait_for(answer.headers["location"], "Back to the runs .*articulars", without="Working|Waiting")
    assert not (folder / "runs" / "0001-report-3").exists()


def test_what_bears_most_on_the_value_stands_first_as_on_page_one() -> None:
    comparison: dict[str, Any] = {"label": "Q1", "candidate": "Lee", "reported": None, "primary": "hapax"}
    codes = ("works-unknown", "works-named", "methods-disagree", "short-q", "concentrated")
    severities = ("amber", "note", "amber", "red", "amber")
    comparison["audit"] = [
        {"code": code, "severity": severity, "message": code} for code, severity in zip(codes, severities, strict=True)
    ]
    assert [message for _, message in told(comparison)["grave"]] == [
        "short-q", "methods-disagree", "concentrated", "works-unknown",
    ]  # fmt: skip
    # What the validation shows stands among them, unless it stands there already; texts go by their names.
    reaches = (
        "The validation does not rule out that under these conditions the method is no better than giving no evidence: "
        "the 95 % interval of its Cllr (0.62 to 1.24) reaches 1."
    )
    claimed = {"cllr": {"value": 0.91, "low": 0.62, "high": 1.24}, "plain": {"value": 0.71}, "controlled": True}
    validation = {"n_same": 60, "n_different": 240, "authors": ["a"], "q_tokens": 90, "k_tokens": 80}
    comparison |= {"before": [reaches, "It leans."], "validation": validation, "claimed": claimed}
    comparison["audit"][0]["message"] = "known/Lee/1.txt is like reference/a/2.txt."
    assert reaches in told(comparison)["validated"]
    assert told(comparison)["grave"][2:] == [
        ("Caution", "concentrated"), ("Validation", "It leans."), ("Caution", "1.txt is like a/2.txt."),
    ]  # fmt: skip


def test_why_one_reference_gives_several_cllrs_is_said() -> None:
    def claiming(candidate: str, cllr: float, because: str | None) -> dict[str, Any]:
        claimed = {"cllr": {"value": cllr}, "plain": {"value": 0.62}, "controlled": not because, "because": because}
        validation = {"authors": ["a", "b"], "q_tokens": 1282, "k_tokens": 2022}
        return {"label": "Q1", "candidate": candidate, "validation": validation, "claimed": claimed}

    lee, kim = claiming("Lee", 0.94, None), claiming("Kim", 0.62, "too few come as close")
    assert why_cllr_differs([lee, kim]).endswith(
        "(Q1 and Lee 0.94: 2 authors, Q 1,282 and K 2,022 tokens; Q1 and Kim 0.62 over all problems: 2 authors, Q "
        "1,282 and K 2,022 tokens)."
    )
    assert why_cllr_differs([lee, lee]) == ""


def test_what_has_changed_since_the_run_is_said(other: tuple[Client, Path]) -> None:
    client, folder = other
    assert "has changed since this run" not in client.get("/case/other/result").words
    client.script("/case/other/settings/particulars", {"case.court": "The court"})
    client.script("/case/other/settings/method", {"seed": "7"})
    (folder / "texts" / "known" / "lee" / "1.txt").unlink()
    (folder / "texts" / "known" / "kim" / "1.txt").write_text("he said so .\n")
    (folder / "texts" / "known" / "kim" / "3.txt").write_text("she said so .\n")
    words = client.get("/case/other/result").words
    for sentence in (
        "The case has changed since this run.",
        "Settings were changed: Seed.",
        "Particulars were corrected (The case)",
        "1 text added: 3.txt.",
        "1 text removed: 1.txt.",
        "1 text changed: 1.txt.",
    ):
        assert sentence in words
    client.post("/case/other/rename", {"part": "known", "name": "kim", "new": "Kim"})
    assert "Settings were changed: Seed, Names of the parties compared." in client.get("/case/other/result").words
    client.script("/case/other/settings/texts", {"reading.encoding": "detect"})
    assert "Seed, How files are read, Names of the parties compared." in client.get("/case/other/result").words
    client.script("/case/other/settings/question", {"population": ""})
    assert "The case is no longer complete." in client.get("/case/other/result").words


def test_a_refused_case_shows_its_reason_and_no_value_and_no_evidence(server: Server, client: Client) -> None:
    name = new_case(client, "Too short", n_authors=5)
    client.post(f"/case/{name}/remove", {"part": "questioned", "name": "Q1"})
    client.upload(f"/case/{name}/upload", {"part": "questioned", "name": "Q1"}, masked_files("lee", [9], tokens=40))
    client.post(f"/case/{name}/start", {"what": "quick"})
    assert "without a value" in client.wait_for(f"/case/{name}/run", "Refused: run 1").words
    result = json.loads((server.folder / name / "result.json").read_text())
    page = client.get(f"/case/{name}/result")
    assert "damaged" not in page.words
    assert f"Refused. {result['refusal']}" in page.words
    assert "Q1 lee refused: no value" in page.words
    assert 'id="map"' not in page.text
    assert "Likelihood ratio" not in page.words.replace("A likelihood ratio", "")
    assert client.get(f"/case/{name}/word?run=1&word=1.2", Accept="application/json").body == b"null"
    assert (
        f"refused: no value quick, without validation Q1 and lee: {result['refusal']}"
        in client.get(f"/case/{name}/runs").words
    )
    assert re.search(
        r"Too short refused: no value not validated [1-9] serious points? Q1 and lee: No likelihood",
        client.get("/").words,
    )
    shutil.rmtree(server.folder / name)


def test_a_case_of_which_one_comparison_is_refused_says_so_and_shared_findings_stand_once(
    other: tuple[Client, Path],
) -> None:
    client, folder = other
    shared, alone = (
        {"code": code, "severity": "amber", "message": f"About {code}.", "remedy": "Look."} for code in ("both", "one")
    )
    for run in (folder, folder / "runs" / "0001"):
        result = json.loads((run / "result.json").read_text())
        first, second = result["comparisons"]
        first |= {"reported": None, "lambda_g": None, "refusal": "No value.", "conclusion": "No value.", "value": None}
        first["audit"], second["audit"] = [shared, alone], [shared]
        (run / "result.json").write_text(json.dumps(result))
    trail = (folder / "runs.jsonl").read_text()
    (folder / "runs.jsonl").write_text(trail.replace('"reported"', '"refused"'))
    for page in ("/", "/case/other/runs"):
        assert "refused in part" in client.get(page).words
    words = client.get("/case/other/result").words
    assert words.count("Caution. About both.") == 1
    assert words.count("Caution: About both.") == 1  # with the one value
    particular = "Q1 and lee Caution. About one. Look. Q1 and kim The audit has no other finding."
    assert f"Audit All comparisons Caution. About both. Look. {particular}" in words
    forged = json.loads((folder / "runs" / "0001" / "result.json").read_text())
    forged["comparisons"][1]["lambda_g"] = None
    (folder / "runs" / "0001" / "result.json").write_text(json.dumps(forged))
    assert "a value is reported without its score" in client.get("/case/other/result").words


def test_a_case_that_was_changed_after_sealing_says_so_where_it_is_listed(other: tuple[Client, Path]) -> None:
    client, folder = other
    client.post("/case/other/start", {"what": "seal"})
    client.wait_for("/case/other/runs", "is sealed, and is as it was sealed")
    assert re.search(r"filed not validated sealed ", client.get("/").words)
    (folder / "report.html").write_text("another")
    assert "changed since it was sealed" in client.get("/").words
    assert "This case was changed since it was sealed." in client.get("/case/other/runs").words


def test_cases_are_listed_in_the_order_that_is_asked_for(case: tuple[Client, str, Path]) -> None:
    client, _, folder = case
    client.post("/cases", {"title": "A first one"})
    rows = {order: re.findall(r'<th scope="row"><a[^>]*>([^<]*)', client.get(f"/?order={order}").text)
            for order in ("name", "date", "state", "x")}  # fmt: skip
    assert rows["name"] == rows["x"] == sorted(rows["name"], key=str.casefold)
    assert rows["date"][0] == "A first one"
    assert rows["state"].index("A first one") < rows["state"].index("Filed here")
    shutil.rmtree(folder.parent / "a-first-one")


def test_the_texts_are_looked_into_by_a_word_and_on_a_map(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    page = client.wait_for(f"{path}/look?words=the", "times? in all")
    known = sum(line.split().count("the") for file in (folder / "texts" / "known" / "lee").iterdir()
                for line in file.read_text().splitlines())  # fmt: skip
    assert re.search(rf"lee {known} \d+\.\d\d \d of 2 ", page.words)
    assert "Each author of the reference" in page.words
    assert re.search(r"<ul class=\"lines tall\">.*<mark>the</mark>", page.text, re.DOTALL)  # the map is not far below
    assert '<input type="hidden" name="words" value="the">' in page.text  # of the form that draws the map
    page = client.wait_for(f"{path}/look?words=the&map=1", "Likeness is no evidence by itself")
    assert "Q1 and lee" in page.words
    assert "times in all" in page.words
    drawn = re.findall(r'<img src="([^"]*/map/[0-9]+\.svg)"', page.text)
    assert len(drawn) == 2
    assert client.get(drawn[1]).body.startswith(b"<?xml")
    assert client.get(f"{path}/map/9.svg").status == 404


def test_runs_are_listed_with_what_differs(case: tuple[Client, str, Path]) -> None:
    client, path, folder = case
    client.script(f"{path}/settings/method", {"seed": "5"})
    client.post(f"{path}/start", {"what": "quick"})
    client.wait_for(f"{path}/run", "Done: run 2 is filed")
    words = client.get(f"{path}/runs").words
    assert words.index("Run 2") < words.index("Run 1")
    assert re.search(r"What differs from the previous kept run What Before In this run seed 1 5 ", words)
    client.script(f"{path}/settings/method", {"seed": "1"})
    assert "See the latest run" in client.get(f"{path}/result?run=1").words
    assert len(list((folder / "runs").iterdir())) == 2


def test_long_texts_are_shown_in_parts() -> None:
    def token(sentence: int, position: int, last: int) -> TokenRow:
        return TokenRow("q", sentence, position, "w", "w", 0.0, 0, None, None, position == last)

    tokens = tuple(token(sentence, position, 100) for sentence in range(1, 31) for position in range(1, 101))
    scored = [ScoredTokens("Q1", "lee", tokens)]
    parts = [_heat_map(scored, 1, part) for part in (1, 2, 3)]
    assert [len(part["lines"]) for part in parts] == [12, 12, 6]
    assert parts[0]["parts"] == 3
    with_phrase = _heat_map(scored, 1, 0, first="14.99", n_marked=3)
    assert with_phrase["part"] == 2  # the part that has it, where none is asked for
    marked = [word["place"] for line in with_phrase["lines"] for word in line if word["classes"] == "phrase"]
    assert marked == ["14.99", "14.100", "15.1"]
    assert _heat_map(scored, 1, 0)["part"] == 1


def test_words_stand_as_far_apart_as_they_were_written() -> None:
    def token(position: int, word: str, start: int, end: int) -> TokenRow:
        return TokenRow("q", 1, position, word, word, 0.0, 0, start, end, False)

    (line,) = _heat_map(
        [ScoredTokens("Q1", "lee", (token(1, "did", 0, 3), token(2, "n't", 3, 6), token(3, "go", 7, 9)))], 1, 1
    )["lines"]
    assert "".join(" " * part["apart"] + part["word"] for part in line) == "didn't go"
