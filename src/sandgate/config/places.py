"""The directories one load looks into, and reading a configuration file from them.

What reads and checks is imported only when there is something to read: mostly there is not.
"""

from __future__ import annotations

import os.path

from sandgate.config.paths import CONFIG_NAME
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.config.reading import TableReading

    Table = Mapping[str, object]
    Sift = Callable[[Table], Table]


class Places(Record):
    """All absolute; `cwd` is canonical."""

    cwd: str
    system: str  # the system's directory
    own: str | None  # Sandgate's home; None when the user has no home directory
    home: str | None  # the user's home directory, what `~` means

    def reading(self, label: str) -> TableReading:
        """For what is given on the command line: relative to the working directory."""
        from sandgate.config.reading import TableReading
        from sandgate.config.source import Source

        return TableReading(Source(label, self.cwd, self.home))

    def read(self, directory: str | None, *, guarded: bool, sift: Sift | None = None) -> TableReading | None:
        """The checked `config.toml` of a directory, or None. `sift` takes out keys before they are checked."""
        if directory is None:
            return None
        path = os.path.join(directory, CONFIG_NAME)
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            pass  # there, and not to be looked at: opening it says why
        from sandgate.config.files import read_toml
        from sandgate.config.reading import TableReading
        from sandgate.config.source import Source

        file = read_toml(path, guarded=guarded)
        if file is None:
            return None
        return TableReading(Source(path, directory, self.home, file.text)).read(
            sift(file.table) if sift else file.table
        )
