"""The wheel, built and installed into an environment of its own, whose other packages are those of the tests'."""

import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DATE = 1_600_000_000
ROOT = Path(__file__).resolve().parents[1]


def built(folder: Path, *, kinds: tuple[str, ...] = ("wheel",), source: Path = ROOT) -> Path:
    """Builds what users install into a folder."""
    targets = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *targets]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl" if "wheel" in kinds else "*.tar.gz"))


class Environment:
    """A virtual environment with the wheel in it."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.kept = folder, folder.with_name(folder.name + "-kept")
        for left in (self.folder, self.kept):  # by a test that was killed, too
            shutil.rmtree(left, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.packages = next(folder.glob("lib/python*/site-packages"))
        self.python = folder / "bin" / "python"
        (self.packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        install = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "--python", str(self.python), *install], check=True)
        for path in self.packages.glob("idiograph/**/*.py"):
            os.utime(path, (_DATE, _DATE))  # compiled code of an earlier run is found again by path and date
        subprocess.run([str(self.python), "-m", "compileall", "-q", str(self.packages / "idiograph")], check=True)

    @contextmanager
    def damaged(self) -> Iterator[Path]:
        """Its folder of packages, to be damaged; whatever was done is undone, in place: compiled code goes by paths."""
        shutil.copytree(self.packages, self.kept, symlinks=True)
        try:
            yield self.packages
        finally:
            shutil.rmtree(self.packages)
            self.kept.rename(self.packages)

    def take_over(self, distribution: str, package: str) -> None:
        """Copies a package of the tests' environment into this one."""
        there = Path(sysconfig.get_path("purelib"))
        for name in (package, next(there.glob(f"{distribution}-*.dist-info")).name):
            shutil.copytree(there / name, self.packages / name)

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Python there, in an empty folder, without the source tree on its path."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.python), "-P", *map(str, arguments)],
            cwd=self.folder, env={**kept, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def record(self, distribution: str = "idiograph") -> Path:
        return next(self.packages.glob(f"{distribution}-*.dist-info")) / "RECORD"

    def agree(self, name: str) -> None:
        """Writes the digest that a file has now into RECORD, as a careful forger would."""
        content = (self.packages / name).read_bytes()
        sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows = list(csv.reader(io.StringIO(self.record().read_text(encoding="utf-8"))))
        changed = [
            [path, f"sha256={sha256}", str(len(content))] if path == name else [path, *rest] for path, *rest in rows
        ]
        with self.record().open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(changed)


def flip(path: Path, position: int | None = None) -> None:
    """Changes one byte of a file, in the middle unless a place is named."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2 if position is None else position] ^= 1
    path.write_bytes(content)
