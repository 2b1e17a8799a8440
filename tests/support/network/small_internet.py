"""A machine on a small internet: run as a program in namespaces of its own, it makes one and starts a command on it.

`python small_internet.py FOLDER NAMES COMMAND…`: NAMES is a JSON object of names and their addresses,
which become this machine's own; of a name without any the server says that it has failed. A name server on the
loopback knows them, and writes each name that it is asked for to FOLDER/asked; at port 80 of every address a server
greets whoever comes and says by what name, and at port 7 one returns datagrams. FOLDER is empty.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LIMIT_S = 120
NAME_SERVER = "127.0.0.1"
ECHO, DNS, HTTP = 7, 53, 80  # RFC 862
A, AAAA, FAILED, NO_SUCH_NAME = 1, 28, 2, 3
AMBIENT, CLEAR_ALL = 47, 4  # prctl(2)


def on_small_internet(
    folder: Path, names: dict[str, list[str]], *, python: str = sys.executable, program: str = __file__, is_root: bool
) -> list[str]:
    """What a command has to be started through to be there, by root or not; `program`: a copy of this file."""
    alone = ["unshare", "--mount", "--net", "--propagation", "private"]
    if not is_root:
        alone += ["--user", "--map-current-user", "--keep-caps"]
    return [*alone, python, "-I", program, str(folder), json.dumps(names)]


def settle(folder: Path, names: dict[str, list[str]]) -> None:
    """Addresses of its own, and a name server that it is told of."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in {each for found in names.values() for each in found}:
        length = "128" if ":" in address else "32"
        subprocess.run(["ip", "address", "replace", f"{address}/{length}", "dev", "lo"], check=True)
    (folder / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\nsearch corp.test\n")
    (folder / "nsswitch.conf").write_text("hosts: files dns\n")
    for name in ("resolv.conf", "nsswitch.conf"):
        subprocess.run(["mount", "--bind", str(folder / name), os.path.realpath(f"/etc/{name}")], check=True)


def reply(packet: bytes, names: dict[str, list[str]]) -> tuple[str, bytes]:
    """The name that is asked for, and what there is to say."""
    at, labels = 12, []
    while packet[at]:
        labels.append(packet[at + 1 : at + 1 + packet[at]])
        at += 1 + packet[at]
    name = b".".join(labels).decode()
    kind = int.from_bytes(packet[at + 1 : at + 3], "big")
    family = {A: socket.AF_INET, AAAA: socket.AF_INET6}.get(kind)
    found = [each for each in names.get(name, []) if (":" in each) == (family == socket.AF_INET6) and family]
    records = b""
    for each in found:
        packed = socket.inet_pton(socket.AF_INET6 if ":" in each else socket.AF_INET, each)
        records += b"\xc0\x0c" + packet[at + 1 : at + 5] + bytes(4) + len(packed).to_bytes(2, "big") + packed
    code = NO_SUCH_NAME if name not in names else 0 if names[name] else FAILED
    head = packet[:2] + bytes([0x81, 0x80 | code, 0, 1]) + len(found).to_bytes(2, "big") + bytes(4)
    return name, head + packet[12 : at + 5] + records


def serve_names(folder: Path, names: dict[str, list[str]]) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((NAME_SERVER, DNS))

    def serve() -> None:
        with (folder / "asked").open("a", buffering=1) as asked:
            while True:
                packet, client = server.recvfrom(512)
                name, answer = reply(packet, names)
                asked.write(f"{name}\n")
                server.sendto(answer, client)

    threading.Thread(target=serve, daemon=True).start()


def return_datagrams() -> None:
    server = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    server.bind(("::", ECHO))

    def serve() -> None:
        while True:
            server.sendto(*server.recvfrom(65_536))

    threading.Thread(target=serve, daemon=True).start()


class Greeting(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        words = f"hello from {self.headers['Host']}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    def log_message(self, *_arguments: object) -> None:
        return


class EitherFamily(ThreadingHTTPServer):
    address_family = socket.AF_INET6

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.socket.bind(self.server_address)


def main(folder: Path, names: dict[str, list[str]], command: list[str]) -> int:
    settle(folder, names)
    serve_names(folder, names)
    return_datagrams()
    threading.Thread(target=EitherFamily(("::", HTTP), Greeting).serve_forever, daemon=True).start()
    ctypes.CDLL(None).prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)  # what it took to come here is not for the command
    return subprocess.run(command, timeout=LIMIT_S, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]))
