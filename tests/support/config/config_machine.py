"""A machine of its own: a system directory, a user's home, and a project."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandgate.config import Loaded, TypedOverrides, load_settings


class Machine:
    """Writes configuration files and loads what they say."""

    def __init__(self, root: Path) -> None:
        self.system = root / "etc"
        self.home = root / "home"
        self.own = self.home / ".sandgate"
        self.project = root / "project"
        for directory in (self.system, self.own, self.project / ".git"):
            directory.mkdir(parents=True)

    def write_system(self, text: str) -> Path:
        return _written(self.system / "config.toml", text)

    def write_user(self, text: str) -> Path:
        return _written(self.own / "config.toml", text)

    def write_project(self, text: str, *, below: str = "") -> Path:
        return _written(self.project / below / ".sandgate" / "config.toml", text)

    def trust(self, more: str = "", *, level: str = "trusted") -> Path:
        """A user file that trusts the project; `more` comes first, so that it can hold top-level keys."""
        return self.write_user(f'{more}\n[projects."{self.project}"]\ntrust_level = "{level}"\n')

    def load(
        self,
        *overrides: str,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        profile: str | None = None,
        ignore_user: bool = False,
        **options: Any,
    ) -> Loaded:
        return load_settings(
            cwd=str(cwd or self.project),
            environ={"HOME": str(self.home), **(environ or {})},
            overrides=overrides,
            profile=profile,
            typed=TypedOverrides(**options),
            ignore_user=ignore_user,
            system_dir=str(self.system),
        )


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path
