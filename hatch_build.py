"""Build hook: a wheel carries the compiled helper when there is a compiler, and its sources when there is none.

Without either step the wheel is pure Python and the helper is compiled at first use. Manual pages and what completes
commands in shells lie where an installer puts them below its prefix.
"""

import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
CARRIED = "sandgate/_native"
COMPLETIONS = {  # by shell, where its loader looks below a prefix
    "bash": "share/bash-completion/completions/sandgate",
    "zsh": "share/zsh/site-functions/_sandgate",
    "fish": "share/fish/vendor_completions.d/sandgate.fish",
}


class HelperHook(BuildHookInterface[Any]):
    """Adds `sandgate-exec` to wheels for Linux."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is put together. `version` is hatch's word for the kind of wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, str(ROOT / "src"))
        try:
            self._carry(build_data)
        finally:
            sys.path.remove(str(ROOT / "src"))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatch's signature
        """Removes what was made for this wheel."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _carry(self, build_data: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sandgate-wheel-")
        build_data["shared_data"] |= {
            **{str(page): f"share/man/man1/{page.name}" for page in sorted((ROOT / "docs" / "man").glob("*.1"))},
            **self._completions(),
        }
        program = self._compiled()
        if program is None:
            build_data["force_include"][str(ROOT / "native")] = f"{CARRIED}/src"
            return
        build_data["force_include"][str(program)] = f"{CARRIED}/{program.name}"
        build_data["pure_python"] = False
        # No C library is linked: the program runs on every Linux of this machine's kind, glibc or musl.
        machine = platform.machine()
        build_data["tag"] = f"py3-none-manylinux_2_17_{machine}.musllinux_1_1_{machine}"

    def _completions(self) -> dict[str, str]:
        from sandgate.surfaces.cli.completion import SCRIPTS

        for shell, script in SCRIPTS.items():
            (Path(self._folder.name) / shell).write_text(script(), encoding="utf-8")
        return {str(Path(self._folder.name) / shell): COMPLETIONS[shell] for shell in SCRIPTS}

    def _compiled(self) -> Path | None:
        if sys.platform != "linux":
            return None
        from sandgate.errors import BackendUnavailable
        from sandgate.kernel.compile import compile_helper
        from sandgate.kernel.helper_sources import PROGRAM

        program = Path(self._folder.name) / PROGRAM
        try:
            compile_helper(str(ROOT / "native"), str(program))
        except BackendUnavailable as problem:
            self.app.display_warning(f"{problem}; the wheel carries the sources instead")
            return None
        return program
