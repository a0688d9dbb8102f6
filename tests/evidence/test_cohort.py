"""Who follows whom in a reference."""

from idiograph.evidence.trials import following


def test_the_first_author_follows_the_last() -> None:
    assert [following([4, 7, 9], author) for author in (4, 7, 9)] == [7, 9, 4]
