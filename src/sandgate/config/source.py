"""Where a table of settings came from: how to name it, and what its relative paths are relative to."""

from __future__ import annotations

import os.path

from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.record import Record


class Source(Record):
    """A file, the `-c` overrides, or the options of the command line."""

    label: str  # as shown to people: a path, or `-c`
    directory: str  # relative paths start here
    home: str | None = None  # what `~` means; None when the user's home is not known
    text: str = ""  # the file's text, to find lines in
    table: str = ""  # the dotted table within the file that is being read

    def place(self, key: str) -> str:
        """`/path/config.toml, line 3`, or without the line when it cannot be told."""
        line = line_setting(self.text, f"{self.table}.{key}" if self.table else key)
        return f"{visible(self.label)}, line {line}" if line else visible(self.label)

    def wrong(self, key: str, why: str, hint: str = "") -> ConfigError:
        return ConfigError(f"cannot use `{visible(key)}` in {self.place(key)}", why=why, hint=hint)

    def absolute(self, key: str, path: str) -> str:
        """`path` made absolute and tidied; symlinks stay as they are."""
        if path == "" or "\0" in path:
            raise self.wrong(key, f"`{visible(path)}` is not a path")
        if path == "~" or path.startswith("~/"):
            if self.home is None:
                raise self.wrong(key, f"`{path}` needs a home directory, and `HOME` is not set")
            path = self.home + path[1:]
        return os.path.normpath(os.path.join(self.directory, path))


def line_setting(text: str, key: str) -> int | None:
    """The line that sets `key`, or opens the table it lies in; None when it is not plain to see.

    For messages only: TOML's parser keeps no positions, and the ordinary spellings are enough here.
    """
    table, opened = "", None
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            table = bare.partition("#")[0].strip(" []") + "."
            if table == f"{key}.":
                return number
            if key.startswith(table):
                opened = number
        elif "=" in bare and not bare.startswith("#"):
            name = (table if table != "." else "") + bare.partition("=")[0].strip()
            if name == key or key.startswith(name + ".") or name.startswith(key + "."):
                return number
    return opened
