"""The project's own files, as the architecture tests see them."""

import ast
import functools
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
SOURCE = REPOSITORY / "src"


@functools.cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    return {_dotted(path): path for path in sorted((SOURCE / "sandgate").rglob("*.py"))}


def _dotted(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def tree(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def project_files() -> tuple[Path, ...]:
    """Every file that is, or is about to be, tracked."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    paths = (REPOSITORY / name for name in listed.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def shown(path: Path) -> str:
    """A path as a reader of the project would write it."""
    return str(path.relative_to(REPOSITORY))
