"""What the configuration is, for people: the rows of `config show`, and the reference page of every key."""

from __future__ import annotations

from sandgate.config.features import ALIASES, FEATURES
from sandgate.config.schema import KEYS, PROJECT_ENTRY, PROVIDER_ENTRY, PROVIDERS, SERVER_ENTRY, SERVERS, named_row
from sandgate.config.settings import plain_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config.load import Loaded
    from sandgate.config.schema import Key

DEFAULT_ORIGIN = "default"
HIDDEN = "(not shown)"  # headers and variables may hold what opens a provider or a server
SECRET_TABLES = ("http_headers", ".env")

RULES_FOR_PROJECTS = {
    "ignored": "ignored",
    "tighter": "only tighter",
    "only-true": "only `true`",
    "only-false": "only `false`",
    "fewer": "only fewer",
    "more": "added to the user's",
    "narrower": "only narrower",
    "lower": "only lower",
}

INTRODUCTION = """\
# Configuration reference

<!-- Made by `python -m sandgate.config.reference` from the table in src/sandgate/config/schema.py. -->

Settings are TOML. They are read from these places; a later one wins:

1. the built-in defaults;
2. the system's file, `/etc/sandgate/config.toml`;
3. the user's file, `~/.sandgate/config.toml`, or `config.toml` in the directory that `$SANDGATE_HOME` names;
4. the project's files, every `.sandgate/config.toml` from the project's root down to the working directory;
5. the profile chosen by `--profile NAME` or the key `profile`: a table `[profiles.NAME]`, or a file
   `NAME.config.toml` beside the user's file;
6. `-c KEY=VALUE`, `--enable FEATURE` and `--disable FEATURE`;
7. the dedicated options of the command line, such as `--sandbox`.

Tables merge key by key; every other value, lists included, is replaced whole. Relative paths start at the directory
of the file they stand in (on the command line: at the working directory); `~` is the home directory.

A project's files count only in a project the user trusts, and may only tighten what stands below them. The column
*in a project* says how, key by key. Lists marked *added* are joined with the user's instead of replacing them. What
would loosen is ignored with a warning. Files of a project that is not trusted are not read at all.

The user's and the system's files, and their rule files, must belong to root or to the user, and no other user may be
able to write to them or to their directory. Otherwise nothing runs: a file that another user wrote cannot be obeyed,
and ignoring it could drop a restriction. Rule files are `rules/*.toml` beside each of these files; those of a project
may only ask or forbid, by a program's bare name. Unknown keys are warned about; in `shell_environment_policy` they are
errors.
"""

PROJECT_SECTION = """
## Trusted projects

`[projects."/absolute/path"]` in the user's file (or the system's, or a profile) describes the project in that
directory. It is found by the working directory, by the project's root, and for a linked Git worktree by its main
checkout.

| key | accepts | default | meaning |
| --- | --- | --- | --- |
"""

PROVIDER_SECTION = """
## Model providers

`[model_providers.NAME]` describes a server that answers requests to a model. `openai`, `ollama`, `oss` and `lmstudio`
are built in. A project's file may not describe or choose one.

| key | accepts | default | meaning |
| --- | --- | --- | --- |
"""

SERVER_SECTION = """
## MCP servers

`[mcp_servers.NAME]` describes a server whose tools a model may call in a session, as `mcp__NAME__TOOL`: a program
that is started with the session, or an address. A project's file may not describe one.

| key | accepts | default | meaning |
| --- | --- | --- | --- |
"""

FEATURE_SECTION = """
## Features

`--enable NAME` and `--disable NAME` set `features.NAME`. Old names still work and are warned about.

| feature | stage | default | old top-level name |
| --- | --- | --- | --- |
"""


def setting_rows(loaded: Loaded) -> list[tuple[str, object, str]]:
    """(dotted key, value as in TOML, origin) of every key, sorted. None: unset, the command decides."""
    rows: list[tuple[str, object, str]] = []
    for name, row in KEYS.items():
        value = loaded.values.get(name, row[3])
        if row[1] == "variables":
            rows.extend((f"{name}.{each}", text, _origin(loaded, f"{name}.{each}")) for each, text in value.items())
        else:
            rows.append((name, plain_value(value), _origin(loaded, name)))
    rows += [
        (name, shown_value(name, value), _origin(loaded, name))
        for name, value in loaded.values.items()
        if name.startswith((f"{PROVIDERS}.", f"{SERVERS}."))
    ]
    return sorted(rows, key=lambda row: row[0])


def shown_value(name: str, value: object) -> object:
    """The value of a key as in TOML; not that of headers and variables."""
    return HIDDEN if name.endswith(SECRET_TABLES) else plain_value(value)


def defaults_document() -> str:
    """The reference page, in Markdown."""
    keys = [named_row(row) for row in KEYS.values()]
    lines = [
        f"| `{key.name}` | {_accepts(key)} | {_default(key)} | {RULES_FOR_PROJECTS[key.project]} | {key.doc} |"
        for key in keys
    ]
    projects = [
        f"| `{key.name}` | {_accepts(key)} | {_default(key)} | {key.doc} |"
        for key in (named_row(row) for row in PROJECT_ENTRY.values())
    ]
    providers = [
        f"| `{key.name}` | {_accepts(key)} | {_default(key)} | {key.doc} |"
        for key in (named_row(row) for row in PROVIDER_ENTRY.values())
    ]
    servers = [
        f"| `{key.name}` | {_accepts(key)} | {_default(key)} | {key.doc} |"
        for key in (named_row(row) for row in SERVER_ENTRY.values())
    ]
    old_names = {feature: alias for alias, feature in ALIASES.items()}
    features = [
        f"| `{name}` | {stage} | `{str(default).lower()}` | {f'`{old_names[name]}`' if name in old_names else ''} |"
        for name, stage, default, _doc in FEATURES
    ]
    return "\n".join(
        (
            INTRODUCTION,
            "## Keys\n",
            "| key | accepts | default | in a project | meaning |\n| --- | --- | --- | --- | --- |",
            *lines,
            PROJECT_SECTION + "\n".join(projects),
            PROVIDER_SECTION + "\n".join(providers),
            SERVER_SECTION + "\n".join(servers),
            FEATURE_SECTION + "\n".join(features),
            "",
        )
    )


def _origin(loaded: Loaded, key: str) -> str:
    layer = loaded.origins.get(key)
    return layer.title if layer else DEFAULT_ORIGIN


def _accepts(key: Key) -> str:
    match key.kind:
        case "choice":
            return ", ".join(f"`{choice}`" for choice in key.choices)
        case "approval":
            return ", ".join(f"`{choice}`" for choice in key.choices) + ", or a table"
        case "flag":
            return "`true`, `false`"
        case "count":
            return f"whole number from {key.range[0]}"
        case "seconds":
            return f"seconds, at most {key.range[1]}"
        case "names" | "words" | "entries":
            return "list of texts"
        case "paths":
            return "list of paths"
        case "path":
            return "path"
        case "text":
            return "text"
        case "variables":
            return "table of texts"


def _default(key: Key) -> str:
    value = plain_value(key.default)
    if value is None:
        return "unset"
    if isinstance(value, list):
        inside = ", ".join(f'"{each}"' for each in value)
        return f"`[{inside}]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    print(defaults_document(), end="")
