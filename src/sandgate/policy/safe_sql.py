"""Which statements given to `sqlite3` on its command line only read.

A statement is understood by its first word and refused for any word that could reach further: the shell's dot
commands run programs and write files, `ATTACH` creates one, and the functions `writefile`, `edit` and
`load_extension` do as much from inside a `SELECT`.
"""

from __future__ import annotations

_SHOWING = frozenset((".tables", ".schema", ".indexes", ".indices", ".databases", ".fullschema", ".dump", ".help"))
_ASKING = frozenset(("select", "explain", "with", "values"))
_REACHING = frozenset(
    (
        "writefile", "load_extension", "edit", "fts3_tokenizer", "insert", "update", "delete", "into", "drop", "create",
        "alter", "attach", "detach", "vacuum", "reindex", "pragma",
    )
)  # fmt: skip
_ASKING_PRAGMAS = frozenset(
    (
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
        "database_list", "compile_options", "foreign_key_check", "quick_check", "integrity_check", "function_list",
    )
)  # fmt: skip
_SETTABLE_PRAGMAS = frozenset(("user_version", "schema_version", "page_count", "page_size", "journal_mode", "encoding"))


def only_shows(text: str) -> bool:
    """Whether every statement in `text` shows something and changes nothing."""
    if text.lstrip().startswith("."):
        return _shows(text)
    statements = [part.strip() for part in text.lower().split(";")]
    return any(statements) and all(_asks(statement) for statement in statements if statement)


def _shows(text: str) -> bool:
    """One dot command whose operands, if any, are plain names. `.schema a | sh` is none."""
    words = text.split()
    plain = all(word.replace("_", "").replace("%", "").replace("-", "").isalnum() for word in words[1:])
    return "\n" not in text.strip() and words[0] in _SHOWING and plain


def _asks(statement: str) -> bool:
    first, _, rest = statement.partition(" ")
    if first == "pragma":
        name = rest.partition("(")[0].strip()
        return name in _ASKING_PRAGMAS or rest.strip() in _SETTABLE_PRAGMAS
    names = "".join([letter if letter.isalnum() or letter == "_" else " " for letter in statement]).split()
    return "\n." not in statement and bool(names) and names[0] in _ASKING and _REACHING.isdisjoint(names)
