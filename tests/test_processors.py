"""The same digits on every processor: a case and a study in processes that see a plainer one, and other circumstances.

Every number and the text of the reports must agree to the last bit. The digests of the shipped case are stored, so that
every machine that runs this test compares itself with all others.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

import processor_run

NO_AVX2 = "glibc.cpu.hwcaps=-AVX2,-FMA"
NO_AVX = f"{NO_AVX2},-FMA4,-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD"
NUMPY = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
# Each process has several switches, since whatever one of them moves would show; a cache of its own only where
# compiled code differs.
CIRCUMSTANCES = {
    "no AVX2 and FMA in the C library, OpenBLAS for Haswell, 2 workers": (
        2,
        {"GLIBC_TUNABLES": NO_AVX2, "OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "1"},
    ),
    "nothing wide in the C library and NumPy, OpenBLAS for Nehalem, 4 workers": (
        4,
        {
            "GLIBC_TUNABLES": NO_AVX,
            "OPENBLAS_CORETYPE": "Nehalem",
            "PYTHONHASHSEED": "2",
            **({"NPY_DISABLE_CPU_FEATURES": NUMPY} if NUMPY else {}),
        },
    ),
    "Numba for any processor, without AVX": (1, {"NUMBA_CPU_NAME": "generic", "NUMBA_ENABLE_AVX": "0"}),
}


def started(out: Path, *, size: str, workers: int, **environment: str) -> "subprocess.Popen[str]":
    command = [sys.executable, processor_run.__file__, size, str(workers), str(out)]
    here = {"PYTHONHASHSEED": "0", **os.environ, **environment}
    return subprocess.Popen(command, env=here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished(process: "subprocess.Popen[str]", out: Path) -> dict[str, str]:
    messages = process.communicate()[1]
    assert process.returncode == 0, messages
    numbers: dict[str, str] = json.loads(out.read_text(encoding="utf-8"))
    return numbers


def run(out: Path, *, size: str = "whole", workers: int = 1, **environment: str) -> dict[str, str]:
    return finished(started(out, size=size, workers=workers, **environment), out)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What this machine gives."""
    return run(tmp_path_factory.mktemp("here") / "found.json")


def differences(ours: dict[str, str], other: dict[str, str]) -> list[str]:
    return [
        f"{path}: {ours.get(path)} {other.get(path)}" for path in {**ours, **other} if ours.get(path) != other.get(path)
    ]


def test_the_case_and_the_study_hold_what_is_to_be_compared(here: dict[str, str]) -> None:
    for start in (
        "case.lambda_g", "case.validation.performance.hapax.cllr.low", "case.validation.trials.nats.logistic.0",
        "case.sensitivity.seed_spread", "case.anchors", "case.normalised.normed.distinct",
        "case.validation.trials.nats.normalised.0", "metrics.glm.intercept", "metrics.intervals.cllr_min.low",
        "study.trials.llr_logistic", "study.performance", "study.summary", "report.50", "page.50", "tagging.products",
    ):  # fmt: skip
        assert any(path.startswith(start) for path in here), start
    assert len(here) > 5000


@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_digits_are_the_same_under(name: str, here: dict[str, str], tmp_path: Path) -> None:
    workers, environment = CIRCUMSTANCES[name]
    if "NUMBA_CPU_NAME" in environment:
        environment = {**environment, "IDIOGRAPH_CACHE": str(tmp_path / "cache")}
    assert differences(run(tmp_path / "found.json", workers=workers, **environment), here) == []


def test_interpreted_code_gives_the_same_digits(tmp_path: Path) -> None:
    compiled, interpreted = tmp_path / "compiled.json", tmp_path / "interpreted.json"
    both = (
        started(compiled, size="small", workers=1),
        started(interpreted, size="small", workers=1, NUMBA_DISABLE_JIT="1"),
    )
    assert differences(finished(both[1], interpreted), finished(both[0], compiled)) == []


def test_every_machine_gives_the_stored_digits(here: dict[str, str]) -> None:
    # Where a number was meant to move: python tests/processor_run.py renew
    assert processor_run.digests(here) == json.loads(processor_run.STORED.read_text(encoding="utf-8"))
