"""A small case of made-up texts and its verification, made once."""

from pathlib import Path

import pytest

import idiograph
from idiograph import Verification
from made_texts import case_of, write_case
from made_topic_case import topic_case, write_topic_case
from seen_report import Page, annexes_page, report_page


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=6)


@pytest.fixture(scope="session")
def topical(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """A case judged given its topic, whose reference's authors share their topics."""
    return idiograph.verify(topic_case(write_topic_case(tmp_path_factory.mktemp("topical"))))


@pytest.fixture(scope="session")
def topical_page(topical: Verification) -> Page:
    return report_page(topical)


@pytest.fixture(scope="session")
def topical_annexes(topical: Verification) -> Page:
    return annexes_page(topical)


@pytest.fixture(scope="session")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """The same, with a reference whose authors keep to topics of their own."""
    return idiograph.verify(topic_case(write_topic_case(tmp_path_factory.mktemp("apart"), own_topics=True)))


@pytest.fixture(scope="session")
def verified(texts: Path) -> Verification:
    return idiograph.verify(case_of(texts))
