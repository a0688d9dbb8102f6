"""One index for all texts of a case: the same digits as scoring by itself."""

from pathlib import Path

import idiograph
from idiograph import Corpus, Problem
from indexed import index_of
from made_texts import write_case


def test_the_case_is_scored_as_the_library_scores_it(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=5))
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference(), "case")
    alone = idiograph.score(q=texts.q[0], k=Corpus(texts.k), reference=Corpus(texts.reference), repetitions=5, seed=1)
    assert case_index.score_case(problem)[0].lambda_g == alone.lambda_g
    assert case_index.score_case(problem, seeds=[2])[0].lambda_g != alone.lambda_g


def test_the_reference_leaves_authors_out(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=5))
    assert case_index.authors == tuple(f"author{number:02}" for number in range(5))
    whole, fewer = case_index.reference(), case_index.reference("author00", "author03")
    left_out = sum(text.n_tokens for text in texts.reference if text.author in ("author00", "author03"))
    assert whole.n_tokens - fewer.n_tokens == left_out
    assert len(case_index.texts_by("author01")) == 3
