"""A small case of made-up texts and its verification, made once."""

from pathlib import Path

import pytest

import idiograph
from idiograph.casework.verification import Verification
from made_texts import case_of, write_case


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=6)


@pytest.fixture(scope="session")
def verified(texts: Path) -> Verification:
    return idiograph.verify(case_of(texts))
