"""How many others score as high, and whether the known texts fit each other: figures and sentences."""

from dataclasses import replace

from idiograph.output.annexes import anchors, known_texts
from idiograph.output.document import Paragraph, Picture
from idiograph.output.report import fit_of_known, others_as_high
from made_up_case import comparison


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


def test_what_was_not_tried_is_said() -> None:
    without = replace(comparison(), anchors=None)
    assert (fit_of_known(without), others_as_high(without)) == ("", "")
    for blocks in (anchors(without, ""), known_texts(without, "")):
        paragraphs = [block.runs[0].text for block in blocks if isinstance(block, Paragraph)]
        assert len(paragraphs) == 1
        assert "not" in paragraphs[0]
