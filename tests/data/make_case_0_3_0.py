"""Made the case in case_0_3_0 with version 0.3.0, to be replayed by later ones; run with that version installed.

    python tests/data/make_case_0_3_0.py FOLDER

Its texts are made up. Reports, figures and the copy under runs/ are left out for their size, of the manifest,
too.
"""

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from made_texts import case_options, command, write_case

KEPT = ("case.toml", "result.json", "manifest.json")


def main(folder: Path) -> None:
    write_case(folder, n_authors=7, tokens=150)
    case = folder / "case"
    assert command("verify", *case_options(folder, known=folder / "known", out=case)) == 0
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    manifest["outputs"] = {name: digest for name, digest in manifest["outputs"].items() if name in KEPT}
    (case / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in case.iterdir():
        if path.name not in (*KEPT, "runs.jsonl"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
