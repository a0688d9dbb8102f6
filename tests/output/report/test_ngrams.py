"""The strongest n-grams: a heading, rates beside counts, and few lines, cut at words."""

import re
from dataclasses import replace

from idiograph.output.annexes import ngrams
from idiograph.output.document import Bullets, Paragraph, Table
from made_up_case import comparison


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


def test_a_text_without_any_says_so() -> None:
    changed = comparison()
    blocks = list(ngrams(replace(changed, explanation=replace(changed.explanation, ngrams=()))))
    assert [block.runs[0].text for block in blocks if isinstance(block, Paragraph)] == [
        "No n-gram of Q carries evidence."
    ]
    assert len(blocks) == 1
