"""A loopback server of packages: what indexes, registries and proxies of packages look like to their clients.

One small package, `toylib`, for pip and uv, npm, Go and Cargo, and a repository for git. Everything is made here.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WHEEL = "toylib-1.0.0-py3-none-any.whl"
ABOUT = "toylib-1.0.0.dist-info"
GO_MODULE = "example.org/toylib"
GIT_LIMIT_S = 20


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        """Nobody reads a log."""

    def guess_type(self, path: object) -> str:
        return "text/html" if str(path).endswith(("/", ".html")) else "application/octet-stream"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Fills `folder` and serves it for as long as the block lasts; gives the address, without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    address = f"http://127.0.0.1:{server.server_address[1]}"
    fill(folder, address)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def fill(folder: Path, address: str) -> None:
    """Writes the files of every kind of registry; those of npm and Cargo name their `address`."""
    _wheel(folder / "simple")
    _npm(folder / "npm", f"{address}/npm")
    _go(folder / "go" / GO_MODULE / "@v")
    _crate(folder / "crates", f"{address}/crates")
    _repository(folder / "lib.git")


def _wheel(simple: Path) -> None:
    place = simple / "toylib"
    place.mkdir(parents=True)
    about = "Metadata-Version: 2.1\nName: toylib\nVersion: 1.0.0\n"
    wheel = "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {"toylib.py": "ONE = 1\n", f"{ABOUT}/METADATA": about, f"{ABOUT}/WHEEL": wheel}
    record = "".join(f"{name},,\n" for name in [*files, f"{ABOUT}/RECORD"])
    _zip(place / WHEEL, {**files, f"{ABOUT}/RECORD": record})
    (place / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>\n')
    (simple / "index.html").write_text('<a href="toylib/">toylib</a>\n')


def _npm(place: Path, address: str) -> None:
    place.mkdir(parents=True)
    about = {"name": "toylib", "version": "1.0.0", "main": "index.js"}
    packed = _tar({"package/package.json": json.dumps(about), "package/index.js": "exports.one = 1\n"})
    (place / "toylib-1.0.0.tgz").write_bytes(packed)
    check = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    dist = {"tarball": f"{address}/toylib-1.0.0.tgz", "integrity": check}
    listed = {"name": "toylib", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {**about, "dist": dist}}}
    (place / "toylib").write_text(json.dumps(listed))


def _go(place: Path) -> None:
    place.mkdir(parents=True)
    module = f"module {GO_MODULE}\n\ngo 1.18\n"
    (place / "list").write_text("v1.0.0\n")
    (place / "v1.0.0.info").write_text('{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}')
    (place / "v1.0.0.mod").write_text(module)
    at = f"{GO_MODULE}@v1.0.0"
    _zip(place / "v1.0.0.zip", {f"{at}/go.mod": module, f"{at}/toylib.go": "package toylib\n"})


def _crate(place: Path, address: str) -> None:
    (place / "to/yl").mkdir(parents=True)
    about = '[package]\nname = "toylib"\nversion = "1.0.0"\nedition = "2021"\n'
    packed = _tar({"toylib-1.0.0/Cargo.toml": about, "toylib-1.0.0/src/lib.rs": "pub const ONE: u8 = 1;\n"})
    (place / "toylib-1.0.0.crate").write_bytes(packed)
    (place / "config.json").write_text(json.dumps({"dl": f"{address}/{{crate}}-{{version}}.crate"}))
    entry = {"name": "toylib", "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(packed).hexdigest(),
             "features": {}, "yanked": False}  # fmt: skip
    (place / "to/yl/toylib").write_text(json.dumps(entry) + "\n")


def _repository(place: Path) -> None:
    """A bare repository as plain files, which git fetches without a program on the other side; none without git."""
    script = """
        git init -q --bare "$1" && cd "$1" && tree=$(printf '100644 blob %s\\tREADME\\n' \
        "$(echo hello | git hash-object -w --stdin)" | git mktree) && git update-ref refs/heads/main \
        "$(git -c user.name=x -c user.email=x@example.org commit-tree -m one "$tree")" &&
        git symbolic-ref HEAD refs/heads/main && git update-server-info"""
    subprocess.run(["sh", "-c", script, "sh", str(place)], timeout=GIT_LIMIT_S, capture_output=True, check=False)


def _zip(path: Path, files: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def _tar(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(text)
            archive.addfile(about, io.BytesIO(text.encode()))
    return packed.getvalue()
