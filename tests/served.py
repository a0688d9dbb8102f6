"""The pages as a browser meets them: the real server in a process of its own, spoken to over HTTP."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from idiograph import read_case
from idiograph.casework.case import written
from made_texts import authors, sentences, write_text

QUICK = {"primary": "hapax", "method.repetitions": "3"}  # few authors and little time are enough
PATIENCE = 300.0  # seconds until something that must come is given up


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def words(self) -> str:
        """The page as it is read: without its tags."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.text)).split())


@dataclass
class Client:
    """A browser without a screen: it keeps its cookie and the token of its forms, and comes from our own pages."""

    host: str
    port: int
    cookie: str = ""
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://{self.host}:{self.port}"

    def request(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        sent = {"Cookie": self.cookie, **self.headers, **(headers or {})}
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def enter(self, address: str) -> Answer:
        answer = self.request("GET", address.removeprefix(self.origin))
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        if self.cookie:
            self.token = re.findall(r'data-form-token="([^"]+)"', self.get("/").text)[0]
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, headers={"Sec-Fetch-Site": "same-origin", **headers})

    def post(self, path: str, fields: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        body = urlencode({"form_token": self.token, **(fields or {})}, doseq=True)
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        headers_of_ours = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        return self.request("POST", path, body, {**headers_of_ours, **kind, **headers})

    def script(self, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """What our own script gets."""
        answer = self.post(path, fields, Accept="application/json")
        return json.loads(answer.body)

    def upload(
        self, path: str, fields: Mapping[str, str], files: Iterable[tuple[str, bytes]], **headers: str
    ) -> Answer:
        body, kind = multipart({"form_token": self.token, **fields}, files)
        headers_of_ours = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin", "Content-Type": kind}
        return self.request("POST", path, body, {**headers_of_ours, **headers})

    def wait_for(self, path: str, pattern: str, *, without: str = "a^") -> Answer:
        """The page once it says something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.get(path)
            if re.search(pattern, answer.words) and not re.search(without, answer.words):
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{path} never said {pattern!r}: {answer.words[-2000:]}")


def multipart(fields: Mapping[str, str], files: Iterable[tuple[str, bytes]]) -> tuple[bytes, str]:
    """A form with files, and its content type."""
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'.encode() for k, v in fields.items()
    ]
    for name, content in files:
        head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="'.encode()
        parts.append(head + name.encode("utf-8", "surrogateescape") + b'"\r\nContent-Type: text/plain\r\n\r\n')
        parts.append(content + b"\r\n")
    return b"".join(parts) + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"


@dataclass
class Server:
    """The server's process."""

    process: subprocess.Popen[str]
    address: str
    folder: Path

    def client(self) -> Client:
        host, port = re.findall(r"http://([^:/]+):(\d+)/", self.address)[0]
        return Client(host, int(port))

    def browser(self) -> Client:
        """A client that was let in."""
        client = self.client()
        assert client.enter(self.address).status == 303
        return client

    def kill(self) -> None:
        """As a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def interrupt(self) -> int:
        """As Ctrl-C would."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def start_server(folder: Path, *options: str) -> Server:
    """Starts the command as a user does and waits for its address."""
    # -P, as the command that is installed: python -m would look for modules where it is started.
    command = [sys.executable, "-P", "-m", "idiograph", "app", str(folder), "--no-browser", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    address = process.stdout.readline().strip() if ready else ""
    assert address.startswith("http://127.0.0.1:"), process.communicate(timeout=5)
    return Server(process, address, folder)


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Server]:
    """The server for as long as it is needed; a traceback on its terminal is a failure."""
    server = start_server(folder, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGTERM)
        _, errors = server.process.communicate(timeout=PATIENCE)
        assert "Traceback" not in errors, errors


def masked_files(author: str, seeds: Sequence[int], *, tokens: int = 300) -> list[tuple[str, bytes]]:
    """Texts of a made-up author, already masked, as files."""
    written = ((f"{n}.txt", sentences(author, tokens=tokens, seed=seed)) for n, seed in enumerate(seeds, start=1))
    return [(name, "".join(" ".join(sentence) + "\n" for sentence in text).encode()) for name, text in written]


def reference_files(n_authors: int = 8, *, tokens: int = 340, texts: int = 3) -> list[tuple[str, bytes]]:
    """A reference, a folder for each author in a folder of its own, as a browser sends it."""
    return [
        (f"reference/{author}/{name}", content)
        for author in authors(n_authors)
        for name, content in masked_files(author, range(texts), tokens=tokens)
    ]


def give_texts(client: Client, name: str, *, candidates: Sequence[str] = ("lee",), n_authors: int = 8) -> None:
    """Uploads a questioned text by lee, each candidate's writings and a reference, and says that they are masked."""
    part = f"/case/{name}/upload"
    answers = [client.upload(part, {"part": "questioned", "name": "Q1"}, masked_files("lee", [9])[:1])]
    for candidate in candidates:
        files = [(f"known/{file}", content) for file, content in masked_files(candidate, [1, 2])]
        answers.append(client.upload(part, {"part": "known", "name": candidate}, files))
    answers.append(client.upload(part, {"part": "reference", "name": ""}, reference_files(n_authors)))
    assert [answer.status for answer in answers] == [303] * len(answers), [answer.words for answer in answers]
    client.script(f"/case/{name}/settings/method", {**QUICK, "texts.masking": "masked"})


def new_case(client: Client, title: str = "A case", **texts: Any) -> str:
    """A case that is complete, by its name."""
    answer = client.post("/cases", {"title": title})
    assert answer.status == 303, answer.words
    name = answer.headers["location"].split("/")[2]
    give_texts(client, name, **texts)
    client.script(f"/case/{name}/settings/question", {"population": "made-up people"})
    return name


def same_on_the_command_line(case: Path, out: Path, *options: str) -> dict[str, Any]:
    """The result of the same case, run with the command line in another folder."""
    settings = read_case(case / "case.toml")
    out.mkdir(parents=True)
    (out / "case.toml").write_text(written(settings, folder=out), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "idiograph",
        "verify",
        str(out / "case.toml"),
        "--out",
        str(out / "filed"),
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
    assert done.returncode in (0, 1), done.stderr
    result: dict[str, Any] = json.loads((out / "filed" / "result.json").read_text(encoding="utf-8"))
    return result


def write_folder(folder: Path, author: str, seeds: Sequence[int], *, tokens: int = 300) -> None:
    """Masked texts of an author in a folder."""
    for number, seed in enumerate(seeds, start=1):
        write_text(folder / f"{number}.txt", sentences(author, tokens=tokens, seed=seed))
