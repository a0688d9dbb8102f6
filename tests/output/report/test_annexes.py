"""The annexes: everything behind the number, and words of the scale only where there may be any."""

import csv
import hashlib
import io
import math
import re
from dataclasses import replace

from idiograph import LLR, Case, Verification
from idiograph.casework.sentences import BY_HAPAX
from idiograph.casework.verification import Alternative, Anchor, Comparison, ValueRange
from idiograph.evidence.constants import NONE, Constants, Weights, constants_for
from idiograph.evidence.normalised import Normalisation, Normalised
from idiograph.output.annexes import anchors, annexes, files_csv, items, known_texts, ngrams, sensitivity
from idiograph.output.document import Bullets, Form, Heading, Paragraph, Picture, Table
from idiograph.output.report import declaration, fit_of_known, further_limits, others_as_high, particulars
from idiograph.provenance import InputFile
from made_up_case import comparison, refused, verification
from seen_report import Page, squeezed


def test_words_of_the_scale_stand_with_their_number_and_never_in_the_sensitivity_annex(
    page: Page, annex_page: Page
) -> None:
    assert "In the words of the scale ENFSI 2015: moderate support for Hp." in " ".join(page.text.split())
    sensitivity = annex_page.text.split("Annex H. Sensitivity")[-1].split("Annex I.")[0]
    assert "support" not in sensitivity
    assert re.search(r"Square Root Correction\s+\S+\s+64\s+\+1\.81", sensitivity)
    scale = annex_page.text.split("Annex L. The verbal scale")[-1].split("Annex M.")[0]
    assert "extremely strong support" in scale


def headings(case: object) -> list[str]:
    return [block.text for block in annexes(case).blocks if isinstance(block, Heading)]  # type: ignore[arg-type]


def test_every_annex_has_its_letter_in_order() -> None:
    names = headings(verification())
    assert names[0] == "Annex A. From the score to the likelihood ratio"
    assert names[-1] == "Annex O. Earlier runs of this case"
    assert [name[6] for name in names] == list("ABCDEFGHIJKLMNO")


def test_a_scale_is_explained_only_where_its_words_are_used() -> None:
    case = verification()
    numbers = replace(case, case=replace(case.case, scale="numbers"))
    for without in (numbers, verification(replace(comparison(), validation=None), quick=True)):
        assert not any("verbal scale" in name for name in headings(without))
    assert not any("Earlier runs" in name for name in headings(replace(case, earlier=())))


def test_settings_and_versions_are_listed(annex_texts: dict[str, str]) -> None:
    for text in annex_texts.values():
        for row in (("exclude_authors", "none"), ("masking", "posnoise"), ("python", "3.11")):
            # Name and value stand side by side, in one row.
            assert squeezed("".join(row)) in squeezed(text)


def test_what_the_normalised_lr_is_made_of_is_shown() -> None:
    llr = LLR.of(1.0, "nats", how="normalised")
    constants = Constants(("distinct", "cosine"), 20, Weights(-1.0, (0.5, 0.75)), "other corpora", "ab")
    trial = Normalised(llr, LLR.of(math.log(4), "nats", how="normalised"), (12.0, 0.3), (1.5, 0.25), ("Q by cosine",))
    made_of = Normalisation(constants, Weights(-1.25, (0.8, 0.9)), 14, 14, 182)
    tables, text = shown(replace(comparison(), normalised=(trial, made_of)))
    assert [row[1:] for row in tables[1].rows] == [("12.00", "1.50", "0.80"), ("0.30", "0.25", "0.90")]
    assert "ln LR = −1.25 + Σ β·S-norm; LR as calculated 2.7; the weights are fitted on 14 same-author and 182" in text
    assert "By the constants alone the LR would be 4." in text
    assert "lies outside theirs: Q by phrases." in text
    none = replace(made_of, constants=constants_for(14, origin=NONE))
    _, without = shown(replace(comparison(), normalised=(trial, none)))
    assert "of 14 reference authors and pulled towards an LR of 1. No constants learnt on other corpora" in without
    assert "By the constants alone" not in without
    few = replace(made_of, fitted=None, n_authors=4)
    tables, text = shown(replace(comparison(), normalised=(replace(trial, unusual=()), few)))
    assert [row[3] for row in tables[1].rows] == ["0.50", "0.75"]
    assert "constants learnt on other corpora, since 4 reference authors are too few to fit" in text
    assert "outside" not in text
    tables, _ = shown(replace(refused(), normalised=(trial, made_of)))
    assert "S-norm" not in str(tables)


def shown(comparison: Comparison) -> tuple[list[Table], str]:
    """The tables of the annexes, and what their first annex says."""
    blocks = annexes(verification(comparison)).blocks
    first = [number for number, block in enumerate(blocks) if isinstance(block, Heading)][1]
    text = " ".join(run.text for block in blocks[:first] if isinstance(block, Paragraph) for run in block.runs)
    return [block for block in blocks if isinstance(block, Table)], text


def test_every_limit_stands_whole_and_once() -> None:
    changed = comparison()
    long = "word " * 200 + "end."
    told = replace(changed, wording=replace(changed.wording, limits=(*changed.wording.limits, long)))
    case = verification(told, replace(told, candidate="Kim"))
    listed = [block for block in annexes(case).blocks if isinstance(block, Bullets)][-1]
    assert [item[0].text for item in listed.items] == [*changed.wording.limits, long]
    assert further_limits(case)[-1].endswith("word … (whole in the annexes).")


def test_what_reading_changed_is_a_list_of_its_own_and_in_the_report_one_limit() -> None:
    changes = ("q.txt: 2 blanks were lost.", "The recipe plain changed 1 text.")
    masking = "Masking removed what the texts are about."
    whole = comparison()
    limits = (*whole.wording.limits[:-1], masking)
    told = replace(whole.wording, limits=limits, masked=masking, changes=changes)
    case = replace(verification(replace(whole, wording=told)), changes=changes)
    assert further_limits(case)[-1] == f"{masking} {' '.join(changes)}"
    blocks = annexes(case).blocks
    start = next(number for number, block in enumerate(blocks) if isinstance(block, Heading) and "Limits" in block.text)
    listed, heading, apart = blocks[start + 1 : start + 4]
    assert isinstance(listed, Bullets)
    assert isinstance(heading, Heading)
    assert isinstance(apart, Bullets)
    assert [item[0].text for item in listed.items] == list(limits)
    assert heading.text.endswith(".1 What reading and preparation changed or noticed")
    assert [item[0].text for item in apart.items] == list(changes)


def test_both_directions_have_a_figure_that_counts_authors() -> None:
    captions = [block.caption for block in anchors(comparison(), "") if isinstance(block, Picture)]
    assert len(captions) == 2
    assert captions[0].endswith("As high as the case or higher: none of 40 authors (95 % upper limit: about 3 in 40).")
    assert captions[1].endswith("As high as the case or higher: 2 of 38 authors.")
    sentence = others_as_high(comparison())
    assert "none of 40 authors (95 % upper limit: about 3 in 40) scored as high as the case or higher" in sentence
    assert "2 of 38 authors scored as high or higher. The fewer they are, the more the case stands out" in sentence


def test_known_texts_that_do_not_fit_are_named() -> None:
    changed = comparison()
    assert changed.anchors is not None
    assert fit_of_known(changed).startswith("This known text does not fit the rest of K: k0.txt.")
    # An LR below 1 is common among texts of one writer; below 1/10 it is not.
    assert changed.anchors.known_low == ("k0.txt", "k1.txt")
    fitting = replace(changed, anchors=replace(changed.anchors, known=changed.anchors.known[1:]))
    assert fit_of_known(fitting) == "No known text, compared with the others, has an LR below 1/10."
    assert any(isinstance(block, Picture) for block in known_texts(changed, ""))


def test_by_what_known_texts_are_compared_is_said_beside_them() -> None:
    changed = comparison()
    assert changed.anchors is not None
    by_hapax = replace(changed, anchors=replace(changed.anchors, how=(*changed.anchors.how, BY_HAPAX)))
    for blocks, is_said in ((anchors(by_hapax, ""), False), (known_texts(by_hapax, ""), True)):
        text = " ".join(run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs)
        assert (BY_HAPAX in text) is is_said


def test_what_was_not_tried_is_said_and_nothing_else() -> None:
    whole = comparison()
    without = replace(whole, anchors=None, sensitivity=None, explanation=replace(whole.explanation, ngrams=()))
    assert (fit_of_known(without), others_as_high(without)) == ("", "")
    blocks = [*anchors(without, ""), *known_texts(without, ""), *sensitivity(without, ""), *ngrams(without)]
    assert [block.runs[0].text if isinstance(block, Paragraph) else block for block in blocks] == [
        "This comparison with the reference authors was not made.",
        "The known texts could not be compared with each other: at least two are needed.",
        "The sensitivity of the result was not examined.",
        "No n-gram of Q carries evidence.",
    ]


def test_every_change_has_its_row() -> None:
    blocks = list(sensitivity(comparison(), "p_"))
    tables = {block.caption: block for block in blocks if isinstance(block, Table)}
    assert [row[0] for row in tables["Corrections and calibration"].rows] == [
        "Hapax Correction", "Square Root Correction"
    ]  # fmt: skip
    assert tables["Each known text left out in turn"].rows[0][0] == "without k1.txt"
    assert [row[0] for row in tables["Other random draws of the reference (seeds)"].rows] == ["seed 2", "seed 3"]
    assert tables["Other lengths of n-gram (N)"].rows[0][0] == "N = 8"
    assert [block.name for block in blocks if isinstance(block, Picture)] == ["p_sensitivity"]


def test_figures_name_known_texts_without_their_folder_and_the_table_with_it() -> None:
    whole = comparison()
    assert whole.sensitivity is not None
    assert whole.anchors is not None
    changed = Alternative("known_text", "known/Lee/letters/1.txt", 2.0, 1.0)
    known = Anchor("known/Lee/letters/1.txt", 300, 4.0, 2.0)
    placed = replace(
        whole,
        sensitivity=replace(whole.sensitivity, alternatives=(changed,)),
        anchors=replace(whole.anchors, known=(known,)),
    )
    blocks = [*sensitivity(placed, ""), *known_texts(placed, "")]
    drawn = [set(block.plot.data["label"]) for block in blocks if isinstance(block, Picture)]  # type: ignore[union-attr]
    assert drawn == [{"without letters/1.txt", "primary result"}, {"letters/1.txt"}]
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert table.rows[0][0] == "without known/Lee/letters/1.txt"


def test_the_range_is_said() -> None:
    moves = ValueRange(0.0, 3.0, 200, 5, 3, 1, "It ranges from 1 to 20.")
    blocks = sensitivity(replace(comparison(), range=moves), "")
    text = " ".join(run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs)
    assert "It ranges from 1 to 20." in text


def test_rates_stand_beside_counts_under_a_heading() -> None:
    table = next(block for block in ngrams(comparison()) if isinstance(block, Table))
    assert "per 1,000 tokens" in table.caption
    assert table.header == ("n-gram as scored", "part of λG", "Q", "K", "Reference")
    # 1 of 66, 4 of 900 and 3 of 90,000 tokens.
    assert table.rows == (("as far as", "+1.25", "15.15 (1)", "4.44 (4)", "0.03 (3)"),)


def test_the_lines_of_the_strongest_ngrams_are_few_and_cut_at_words() -> None:
    changed = comparison()
    long = replace(
        changed.explanation.ngrams[0].lines[0], before="begin " + "word " * 40, after="word " * 40 + "finish"
    )
    many = tuple(
        replace(changed.explanation.ngrams[0], tokens=(f"t{i}",), lambda_g=12.5 - i, lines=(long,) * 3)
        for i in range(25)
    )
    blocks = list(ngrams(replace(changed, explanation=replace(changed.explanation, ngrams=many))))
    names = [block.runs[0].text for block in blocks if isinstance(block, Paragraph)]
    assert names == [*(f"t{i}" for i in range(10)), *(f"t{i}" for i in range(24, 14, -1))]
    assert all(block.keep for block in blocks if isinstance(block, Paragraph))
    lines = [
        "".join(run.text for run in item) for block in blocks if isinstance(block, Bullets) for item in block.items
    ]
    assert len(lines) == 40
    assert re.search(r"^Q, k1\.txt: … (word )+as far as( word)+ …$", " ".join(lines[0].split()))


def rows(case: Verification) -> tuple[tuple[str, ...], ...]:
    return next(block for block in items(case) if isinstance(block, Table)).rows


def test_each_file_of_k_is_named_and_many_are_counted() -> None:
    several = tuple(InputFile("known/Lee", f"k{n}.txt", 10, f"{n:02}" * 32) for n in range(21))
    assert [row[2] for row in rows(with_reference(*several[1:]))] == [f"k{n}.txt" for n in range(1, 21)]
    assert rows(with_reference(*several))[0][:4] == ("known/Lee", "Lee", "21 files", "210")


def test_an_author_is_a_row_with_a_digest_that_can_be_made_again() -> None:
    table = rows(verification())
    assert [row[:4] for row in table] == [
        ("questioned/Q1", "in question", "q.txt", "312"),
        ("known/Lee", "Lee", "k1.txt", "4,100"),
        ("reference", "a0", "2 files", "11,000"),
        ("reference", "a1", "a1/r2.txt", "7,000"),
    ]
    # One file: its own digest; several: that of their digests, one a line.
    assert table[0][4] == "0123456789abcdef" * 4
    assert table[2][4] == hashlib.sha256(f"{'00' * 32}\n{'11' * 32}\n".encode()).hexdigest()


def test_every_file_is_in_the_csv_whose_digest_is_given() -> None:
    case = verification()
    table = files_csv(case)
    read = list(csv.DictReader(io.StringIO(table)))
    assert [row["name"] for row in read] == ["q.txt", "k1.txt", "a0/r0.txt", "a0/r1.txt", "a1/r2.txt"]
    assert [row["author"] for row in read] == ["in question", "Lee", "a0", "a0", "a1"]
    assert read[2]["sha256"] == "00" * 32
    text = "".join(run.text for block in items(case) if isinstance(block, Paragraph) for run in block.runs)
    assert "files.csv lists the 5 files (22,412 bytes) one by one." in text
    assert hashlib.sha256(table.encode()).hexdigest() in text


def with_reference(*files: InputFile) -> Verification:
    case = verification()
    return replace(case, provenance=replace(case.provenance, inputs=files))


def test_a_file_of_many_texts_names_their_authors_and_one_of_none_says_so() -> None:
    table = InputFile("reference", "all.csv", 9, "ff" * 32)
    assert rows(with_reference(table))[0][1] == "a0, a1"
    alone = tuple(file for file in verification().provenance.inputs if file.role == "reference")
    left_out = InputFile("reference", "b/r9.txt", 9, "ee" * 32)
    assert rows(with_reference(*alone, left_out))[-1][1] == "not used"


def test_a_recipe_or_table_of_metadata_has_no_author() -> None:
    assert rows(with_reference(InputFile("metadata", "m.csv", 9, "ff" * 32)))[0][:2] == ("metadata", "")


def fields(case: Case) -> dict[str, str]:
    return {label: known for block in particulars(case) if isinstance(block, Form) for label, known in block.fields}


def test_blanks_only_where_nothing_is_given() -> None:
    empty = fields(verification().case)
    assert set(empty.values()) == {""}
    assert {"Case number", "Court", "Exhibits", "Expert", "Laboratory", "Report number", "Reviewed by"} <= set(empty)
    assert not {"Amends", "Instructions", "Parties", "Remarks of the review"} & set(empty)


def test_every_value_of_the_case_file_is_printed() -> None:
    plain = verification().case
    told = replace(
        plain.particulars, number="T2026/17", court="Crown Court", parties="R v Lee", commissioned_by="the defence",
        instructions="Compare.", exhibits=("AB/1", "AB/2"), received="1 May", examined="2 May", issued="3 May",
        report_number="R-5", amends="R-4",
    )  # fmt: skip
    expert = replace(
        plain.expert, name="Dr Poe", qualifications="PhD", laboratory="Lab", address="High Street", contact="a@b"
    )
    review = replace(plain.review, reviewer="Dr Ito", date="2 May", remarks="None.")
    case = replace(plain, particulars=told, expert=expert, review=review)
    assert fields(case) == {
        "Case number": "T2026/17",
        "Court": "Crown Court",
        "Parties": "R v Lee",
        "Commissioned by": "the defence",
        "Instructions": "Compare.",
        "Exhibits": "AB/1; AB/2",
        "Texts received": "1 May",
        "Examined": "2 May",
        "Report number": "R-5",
        "Date of report": "3 May",
        "Amends": "R-4",
        "Expert": "Dr Poe, PhD",
        "Laboratory": "Lab, High Street, a@b",
        "Reviewed by": "Dr Ito, 2 May",
        "Remarks of the review": "None.",
    }
    signed = next(block for block in declaration(case) if isinstance(block, Form))
    assert dict(signed.fields)["Name"] == "Dr Poe"
    assert signed.high
