"""The golden values of the comparators, and the texts they were computed from."""

import gzip
import json
from pathlib import Path


def golden(shared: Path, name: str):
    with gzip.open(shared / "golden" / "comparators" / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


class Enron:
    """The published e-mails as they stand in the file: texts by id, and each author's known ids and unknown id."""

    def __init__(self, shared: Path) -> None:
        with gzip.open(shared / "corpora" / "enron_masked.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.text = {row["id"]: row["text"] for row in rows}
        self.author = {row["id"]: row["author"] for row in rows}
        self.known, self.unknown = {}, {}
        for row in rows:
            if row["texttype"] == "known":
                self.known.setdefault(row["author"], []).append(row["id"])
            else:
                self.unknown[row["author"]] = row["id"]

    def of(self, ids):
        return [self.text[id_] for id_ in ids]

    def impostors(self, *authors):
        """The known texts of everybody else."""
        return [id_ for author, ids in self.known.items() if author not in authors for id_ in ids]
