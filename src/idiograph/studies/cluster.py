"""The same chunks on other machines, by dask.distributed: an existing scheduler, workers with Idiograph installed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from idiograph.errors import InputError, StudyError
from idiograph.files import cache_folder, whole_folder, write_whole
from idiograph.provenance import other_versions, versions
from idiograph.studies.chunks import Chunk, Mapped, score_chunk
from idiograph.studies.corpora import StudyCorpus, open_material
from idiograph.studies.settings import Study

_PATIENCE = 30  # seconds to wait for the scheduler and a first worker
_FILES = ("index", "material.json")
Shipped = Mapping[str, bytes]


@contextmanager
def map_on(address: str, study: Study, corpora: Mapping[str, StudyCorpus], *, n_workers: int = 1) -> Iterator[Mapped]:
    """Scores chunks on the workers of the scheduler at `address`; a lost worker's chunks go to the others.

    Work begins when `n_workers` are there.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise StudyError(
            'A cluster needs dask.distributed, which is not installed. Run: pip install "idiograph[cluster]"'
        ) from error
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise StudyError(
            f"There is no scheduler at {address} ({error}). Start one with `dask scheduler` and give its address."
        ) from error
    with client:
        try:
            client.wait_for_workers(n_workers, timeout=_PATIENCE)
        except TimeoutError as error:
            raise StudyError(
                f"The scheduler at {address} has no worker. Start some with `dask worker {address}`."
            ) from error

        def mapped(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bytes]]:
            shipped = {}
            for name in dict.fromkeys(chunk.corpus for chunk in chunks):
                content = {file: (corpora[name].folder / file).read_bytes() for file in _FILES}
                # On every worker, so that the loss of one loses no corpus.
                shipped[name] = client.scatter(content, broadcast=True, direct=False)  # type: ignore[no-untyped-call]
            running = {}
            for chunk in chunks:
                key = corpora[chunk.corpus].folder.name
                future = client.submit(
                    score_there, study, key, shipped[chunk.corpus], chunk, versions(), pure=False, retries=3
                )
                running[future] = chunk
            for future in as_completed(list(running), loop=client.loop):  # type: ignore[no-untyped-call]
                yield running.pop(future), future.result()
                future.release()

        yield mapped


def score_there(study: Study, key: str, shipped: Shipped, chunk: Chunk, expected: Mapping[str, str]) -> bytes:
    """What a worker runs: `score_chunk` on the corpus that was shipped, if its versions give the same digits."""
    if other := other_versions(expected):
        raise StudyError(
            "A worker has other versions than the machine that runs the study, which may give other digits: "
            + ", ".join(f"{name} {own} instead of {wanted}" for name, (wanted, own) in sorted(other.items()))
            + ". Install the same on all."
        )
    folder = cache_folder() / "studies" / key
    if not (folder / "material.json").is_file():
        try:
            with whole_folder(folder, wait=True) as part:
                for file in _FILES:
                    write_whole(part / file, shipped[file])
        except InputError:
            if not (folder / "material.json").is_file():  # else another process was faster
                raise
    return score_chunk(study, _opened(folder), chunk)


_opened = lru_cache(maxsize=4)(open_material)
