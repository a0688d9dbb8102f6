"""A study in one file: the same bytes every time, no names, checked, and extended by somebody without the texts."""

import hashlib
import io
import json
import os
import warnings
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generated import corpus, write_jsonl
from idiograph import StudyError
from idiograph.output.bundle import check_bundle, read_bundle, write_bundle
from idiograph.provenance import digest
from idiograph.studies.study import StudyResult, run_study
from made_matrix import matrix_result, matrix_study
from made_study import folder_with_study
from made_texts import command


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StudyResult]:
    folder = tmp_path_factory.mktemp("made")
    path = folder_with_study(folder)
    (folder / "mine.py").write_text("def damped(trial):\n    return trial.lambda_g / 10\n", encoding="utf-8")
    content = path.read_text(encoding="utf-8").replace("runs = 2", "runs = 1")
    content = content.replace("[40, 80]\nk_tokens = [60, 120]", "[40]\nk_tokens = [60]")  # two conditions, few figures
    path.write_text(content.replace("[methods]", '[methods]\nown = ["mine.py:damped"]'), encoding="utf-8")
    result = run_study(path, folder / "out")
    write_bundle(result, folder / "bundle.zip")
    return folder, result


def rewritten(source: Path, path: Path, **changed: bytes | None) -> Path:
    """The bundle with some files changed, added or (None) removed."""
    content: dict[str, bytes | None] = {
        **read_bundle(source),
        **{name.replace("__", "."): c for name, c in changed.items()},
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in content.items():
            if file is not None:
                archive.writestr(name, file)
    return path


def test_the_bytes_depend_on_the_study_alone(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    folder, result = bundled
    content = write_bundle(result, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (folder / "bundle.zip").read_bytes()
    assert content == digest(read_bundle(folder / "bundle.zip")["digests.json"])


def test_no_name_and_no_text_is_in_it_unless_asked(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    folder, result = bundled
    content = read_bundle(folder / "bundle.zip")
    assert {"study.toml", "trials.parquet", "manifest.json", "index.html", "digests.json", "mine.py"} <= content.keys()
    assert {"tables/table3.csv", "tables/performance.csv", "figures/violins.svg"} <= content.keys()
    raw = b"".join(content.values())
    assert b"-t0" not in raw
    kept = pq.read_table(io.BytesIO(content["trials.parquet"]))
    assert all(name.startswith("author-") for column in ("k_author", "q_author") for name in kept[column].to_pylist())
    rows = content["idiolect.csv"].decode().splitlines()[1:]
    assert all(row.startswith("author-") and ",text-" in row for row in rows)
    assert b"w12 w" not in raw  # words of the texts
    assert (folder / "pseudonyms.key").read_bytes().strip() not in raw
    write_bundle(result, tmp_path / "named.zip", names=True)
    assert b"a00," in read_bundle(tmp_path / "named.zip")["idiolect.csv"]
    assert check_bundle(tmp_path / "named.zip").wrong == ()


def test_a_bundle_is_checked(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    folder, _ = bundled
    assert check_bundle(folder / "bundle.zip").wrong == ()
    content = read_bundle(folder / "bundle.zip")
    table = content["tables/cllr.csv"].replace(b",0.", b",0.0", 1)
    changed = rewritten(folder / "bundle.zip", tmp_path / "b.zip", **{"tables/cllr__csv": table})
    assert check_bundle(changed).wrong == (
        "tables/cllr.csv was changed.",
        "tables/cllr.csv is not what the trials give.",
    )
    other = rewritten(folder / "bundle.zip", tmp_path / "b.zip", index__html=None, notes__txt=b"x")
    assert check_bundle(other).wrong == (
        "index.html is gone.",
        "notes.txt was added.",
        "index.html is missing, and the study has it.",
        "notes.txt is none of the files that a bundle of this study has.",
    )
    assert check_bundle(rewritten(folder / "bundle.zip", tmp_path / "b.zip", digests__json=b"[")).wrong == (
        "digests.json is damaged.",
    )
    worse = rewritten(folder / "bundle.zip", tmp_path / "b.zip", trials__parquet=b"x")
    assert any("trials.parquet is damaged or gone" in sentence for sentence in check_bundle(worse).wrong)


def test_llrs_that_do_not_follow_from_the_scores_are_found(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    _, result = bundled
    llrs = {method: result.trials.llr(method) for method in result.trials.methods}
    forged = replace(result, trials=result.trials.with_llrs({**llrs, "hapax": llrs["hapax"] * 2}))
    write_bundle(forged, tmp_path / "forged.zip")
    assert "The LLRs by hapax are not those that the scores give." in check_bundle(tmp_path / "forged.zip").wrong


def test_llrs_that_differ_by_rounding_alone_are_those_that_the_scores_give(
    bundled: tuple[Path, StudyResult], tmp_path: Path
) -> None:
    # A fit as R's glm stops depends in its last digits on the order of trials, which pseudonyms change.
    _, result = bundled
    near = {method: result.trials.llr(method) * (1 + 9e-10) for method in result.trials.methods}
    write_bundle(replace(result, trials=result.trials.with_llrs(near)), tmp_path / "near.zip")
    assert check_bundle(tmp_path / "near.zip").wrong == ()


def test_somebody_else_extends_it_without_the_texts(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    folder, result = bundled
    with zipfile.ZipFile(folder / "bundle.zip") as archive:
        archive.extractall(tmp_path / "theirs")
    path = tmp_path / "theirs/study.toml"
    write_jsonl(tmp_path / "theirs/more.jsonl", corpus(works=2, seed=9))
    more = '\n[[corpora]]\nname = "more"\npath = "more.jsonl"\nmasking = "masked"\n'
    condition = '\n[[conditions]]\ndrawing = "contiguous"\nlengths = [[30, 50]]\ncorpora = ["more"]\n'
    path.write_text(path.read_text(encoding="utf-8") + more + condition, encoding="utf-8")
    extended = run_study(path, tmp_path / "theirs")
    assert {cell.corpus for cell in extended.results.cells} == {"toy", "more"}
    assert len(extended.trials) == len(result.trials) + 24
    of_toy = extended.trials.where(extended.trials.column("corpus") == "toy")
    assert sorted(of_toy.column("lambda_g")) == sorted(result.trials.column("lambda_g"))


def test_scores_of_other_systems_go_along_under_pseudonyms(tmp_path: Path) -> None:
    trials = matrix_result().trials
    problems = sorted(set(trials.column("problem").tolist()))
    lines = [f"{problem},{zlib.crc32(problem.encode()) / 2**32}" for problem in problems]
    (tmp_path / "scores.csv").write_text("problem,luar\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "study").mkdir()
    path = matrix_study(tmp_path / "study", use=("hapax", "logistic", "normalised"), extra='outside = "../scores.csv"')
    result = run_study(path, tmp_path / "out", workers=1)
    write_bundle(result, tmp_path / "bundle.zip")
    assert check_bundle(tmp_path / "bundle.zip").wrong == ()
    content = read_bundle(tmp_path / "bundle.zip")
    ids = [line.partition(",")[0] for line in content["outside.csv"].decode().splitlines()[1:]]
    assert sorted(set(ids)) == sorted(set(pq.read_table(io.BytesIO(content["trials.parquet"]))["problem"].to_pylist()))
    assert all("/author-" in id and "/text-" in id for id in ids)
    table = pq.read_table(io.BytesIO(content["trials.parquet"]))
    judged = next(row["problem"] for row in table.select(["problem", "half"]).to_pylist() if row["half"] == "case")
    rows = content["outside.csv"].decode().splitlines()
    changed = "".join(f"{judged},99999\n" if row.startswith(f"{judged},") else f"{row}\n" for row in rows).encode()
    sentences = check_bundle(rewritten(tmp_path / "bundle.zip", tmp_path / "other.zip", outside__csv=changed)).wrong
    assert "outside.csv was changed." in sentences
    assert "The LLRs by luar are not those that the scores give." in sentences
    write_bundle(result, tmp_path / "named.zip", names=True)
    assert check_bundle(tmp_path / "named.zip").wrong == ()


def test_what_is_not_a_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="could not be read"):
        check_bundle(tmp_path / "none.zip")
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "endless.zip").symlink_to("/dev/zero")
    for name in ("pipe.zip", "endless.zip"):
        with pytest.raises(StudyError, match="it is a pipe, a socket or a device, not a file"):
            check_bundle(tmp_path / name)
    (tmp_path / "text.zip").write_bytes(b"hello")
    with pytest.raises(StudyError, match="damaged or not a bundle"):
        check_bundle(tmp_path / "text.zip")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../evil.txt", b"x")
    (tmp_path / "evil.zip").write_bytes(stream.getvalue())
    with pytest.raises(StudyError, match=r"holds a file outside its folder \(\.\./evil\.txt\)"):
        check_bundle(tmp_path / "evil.zip")
    for name in (b"C:/evil.txt", b"..\\evil.txt", b"/evil/x.txt", b"\\evil\\x.txt"):  # as Windows reads some of them
        (tmp_path / "evil.zip").write_bytes(stream.getvalue().replace(b"../evil.txt", name))
        with pytest.raises(StudyError, match="holds a file outside its folder"):
            check_bundle(tmp_path / "evil.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", json.dumps({}))
    with pytest.raises(StudyError, match=r"is not a bundle of a study: it has no digests\.json, study\.toml"):
        check_bundle(tmp_path / "other.zip")


def forged(source: Path, path: Path, changes: dict[str, bytes], *, twice: tuple[str, bytes] | None = None) -> Path:
    """The bundle with other files, as a careful forger would write it: every digest in it agrees."""
    content = {name: file for name, file in read_bundle(source).items() if name != "digests.json"} | changes
    digests = {name: hashlib.sha256(file).hexdigest() for name, file in sorted(content.items())}
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if twice is not None:
            archive.writestr(*twice)
        for name, file in (*sorted(content.items()), ("digests.json", json.dumps(digests).encode())):
            archive.writestr(name, file)
    return path


def test_a_forged_bundle_is_not_passed(
    bundled: tuple[Path, StudyResult], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = bundled[0] / "bundle.zip"
    content = read_bundle(source)
    manifest = json.loads(content["manifest.json"])
    changes = {
        "index.html": content["index.html"].replace(b"Cllr", b"cllr", 1),
        "figures/violins.svg": content["figures/violins.svg"].replace(b"</svg>", b"<!-- --></svg>"),
        "figures/violins.png": content["figures/violins.png"] + b" ",
        "tables/table3.md": content["tables/table3.md"].replace(b"0.", b"1.", 1),
        "tables/table3.tex": content["tables/table3.tex"].replace(b"0.", b"1.", 1),
        "idiolect.csv": content["idiolect.csv"].replace(b"TRUE", b"FALSE", 1),
        "study.toml": content["study.toml"] + b"# reviewed\n",
        "notes.txt": b"added",
        "manifest.json": json.dumps({**manifest, "reviewed": True, "signature": "study|name:other"}).encode(),
    }
    assert all(content.get(name) != file for name, file in changes.items())
    path = forged(source, tmp_path / "forged.zip", changes)
    wrong = check_bundle(path).wrong
    assert "manifest.json has something that no manifest has, or is not written as one." in wrong
    assert "The signature in manifest.json is not that of the study." in wrong
    assert "notes.txt is none of the files that a bundle of this study has." in wrong
    altered = [name for name in changes if name not in ("manifest.json", "notes.txt")]
    assert {f"{name} is not what the trials give." for name in altered} <= {*wrong}
    assert command("study", "--check", path) == 1
    text = capsys.readouterr().out
    assert f"Digest of the whole, to compare with what its author printed or published: {digest_of(path)}" in text
    assert command("study", "--check", source) == 0
    text = capsys.readouterr().out
    assert "follow from the trials. It does not show: that the scores are those of the texts" in text
    assert "the LLRs of its own methods, which are programs, and none was run" in text
    assert digest_of(source) in text


def digest_of(bundle: Path) -> str:
    return hashlib.sha256(read_bundle(bundle)["digests.json"]).hexdigest()


def test_a_file_that_is_in_a_bundle_twice_is_refused(bundled: tuple[Path, StudyResult], tmp_path: Path) -> None:
    twice = forged(bundled[0] / "bundle.zip", tmp_path / "twice.zip", {}, twice=("tables/table3.csv", b"false"))
    with pytest.raises(StudyError, match=r"holds tables/table3\.csv twice, so that it can be read in two ways"):
        check_bundle(twice)


def test_page_and_figures_of_another_version_are_not_compared(
    bundled: tuple[Path, StudyResult], tmp_path: Path
) -> None:
    """Tables are, number by number; and it is said."""
    source = bundled[0] / "bundle.zip"
    content = read_bundle(source)
    manifest = json.loads(content["manifest.json"])
    manifest["additions"][-1]["versions"]["idiograph"] = "0.2.0"
    written = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    changes = {"manifest.json": written.encode(), "index.html": b"an older page"}
    check = check_bundle(forged(source, tmp_path / "older.zip", changes))
    assert check.wrong == ()
    assert any("page and figures, which Idiograph 0.2.0 made" in sentence for sentence in check.not_shown)
    changes["tables/table3.csv"] = content["tables/table3.csv"].replace(b"0.", b"1.", 1)
    check = check_bundle(forged(source, tmp_path / "older.zip", changes))
    assert check.wrong == ("tables/table3.csv is not what the trials give.",)
