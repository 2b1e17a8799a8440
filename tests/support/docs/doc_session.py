"""Reads terminal sessions out of the documentation and plays them.

A session is a fenced block marked `console`. Lines that start with `$ ` are typed, with `> ` are their continuation,
and everything between is what must be printed. `…` stands for any text within a line; a line that is only `…` stands
for any number of lines. A comment right above the block says what the reader cannot see:
`<!-- needs: namespace notify -->` names host features, `<!-- not run: WHY -->` leaves the block out. With
`<!-- needs: namespace; files: docs/examples/cart -->` the reader's repository begins with a commit of these files.
`<!-- at a terminal, needs: namespace -->` is played at a terminal of its own, where a person types what stands behind
each `Your answer […]: `.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

SESSION_LIMIT_S = 120

BLOCK = re.compile(r"(?:<!--(?P<note>[^>]*)-->\n+)?^```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

ANSWER = re.compile(r"^Your answer \[.*\]: (\S)$", re.MULTILINE)
AT_TERMINAL = "at a terminal, "

END_OF_OUTPUT = "\x1e"
"""Printed after each command, to tell the outputs apart; no documentation holds it."""


@dataclass(frozen=True)
class Session:
    """One block: where it stands, what is typed and what each command must print."""

    place: str
    steps: tuple[tuple[str, str], ...]
    needs: tuple[str, ...] = ()
    files: str = ""
    at_terminal: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """What a person answers, in order."""
        return tuple(key for _, expected in self.steps for key in ANSWER.findall(expected))


def sessions() -> list[Session]:
    """Every session of README.md and docs/ that runs the program."""
    pages = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    found = []
    for page in pages:
        if page.exists():
            found += read(page.read_text(encoding="utf-8"), str(page.relative_to(REPOSITORY)))
    return found


def read(text: str, page: str) -> list[Session]:
    """The sessions of one page whose first command is `./sandgate`, except those marked as not run."""
    found = []
    for block in BLOCK.finditer(text):
        kind, _, rest = (block["note"] or "").strip().partition(":")
        if block["body"].startswith("$ ./sandgate") and kind != "not run":
            place = f"{page}:{text.count(chr(10), 0, block.start('body')) + 1}"
            features, _, files = rest.partition("; files:")
            at_terminal = kind.startswith(AT_TERMINAL)
            needs = tuple(features.split()) if kind.removeprefix(AT_TERMINAL) == "needs" else ()
            found.append(Session(place, _steps(block["body"]), needs, files.strip(), at_terminal))
    return found


def _steps(body: str) -> tuple[tuple[str, str], ...]:
    steps: list[tuple[str, str]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        elif line.startswith("> ") and not steps[-1][1]:
            steps[-1] = (steps[-1][0] + line[2:], "")
        else:
            steps[-1] = (steps[-1][0], steps[-1][1] + line)
    return tuple(steps)


def play(session: Session, place: Path) -> list[str]:
    """Types the session into one shell, in a fresh repository below `place`; what each command printed."""
    home, repo = place / "home", place / "home" / "repo"
    repo.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", repo], check=True)
    (repo / ".git" / "info" / "exclude").write_text("/sandgate\n")
    (repo / "sandgate").symlink_to(REPOSITORY / "sandgate")
    if session.files:
        _commit(REPOSITORY / session.files, repo)
    # The reader is past the first use, which is a story of its own.
    subprocess.run([REPOSITORY / "sandgate", "--version"], check=True, stdout=subprocess.DEVNULL)
    script = "".join(f"{typed}printf '{END_OF_OUTPUT}' \n" for typed, _ in session.steps)
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "USER": "you",
    }
    surroundings["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if "SANDGATE_PYTHON" in os.environ:
        surroundings["SANDGATE_PYTHON"] = os.environ["SANDGATE_PYTHON"]
    if session.at_terminal:
        from support.docs.typed_session import typed_into

        printed = typed_into(("bash", "-c", script), repo, surroundings, session.keys, limit_s=SESSION_LIMIT_S)
    else:
        printed = _without_terminal(script, repo, surroundings)
    outputs = printed.split(END_OF_OUTPUT)[: len(session.steps)]
    return [output.replace(str(repo), "~/repo").replace(str(home), "~") for output in outputs]


def _without_terminal(script: str, repo: Path, surroundings: dict[str, str]) -> str:
    return subprocess.run(
        ["bash", "-c", script],
        cwd=repo,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SESSION_LIMIT_S,
    ).stdout


def _commit(files: Path, repo: Path) -> None:
    shutil.copytree(files, repo, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    name = ["-c", "user.name=You", "-c", "user.email=you@example.com"]
    subprocess.run(["git", *name, "add", "-A"], cwd=repo, check=True)
    subprocess.run(["git", *name, "commit", "-q", "-m", "A cart"], cwd=repo, check=True)


def agrees(expected: str, printed: str) -> bool:
    """Whether the page tells the truth: equal but for times, trailing blanks and what `…` stands for."""
    pattern = "".join(_line_pattern(line) for line in _plain(expected).splitlines())
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _plain(printed).splitlines())) is not None


def _line_pattern(line: str) -> str:
    if line == "…":
        return r"(?:.*\n)*"
    return ".*".join(re.escape(part) for part in line.split("…")) + r"\n"


def _plain(text: str) -> str:
    text = re.sub(r"\b\d+(\.\d+)? ?(ms|s)\b", r"N \2", text)
    text = re.sub(r"(\"duration_ms\": ?)\d+", r"\1N", text)
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip("\n")
