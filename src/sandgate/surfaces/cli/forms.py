"""Commands that take their words in one of several forms: `rules add -- CMD`, `sessions show ID`."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.surfaces.cli.parsed import ParsedLine
from sandgate.surfaces.cli.usage_errors import as_typed, nearest_word, no_dashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command


def in_form(
    command: Command, values: dict[str, bool | str | tuple[str, ...]], left: list[str], argv: list[str]
) -> ParsedLine:
    """The form that the words have. Raises RequestError with the forms there are."""
    words = left + argv
    for form in command.forms:
        parts = form.split()
        if "--" in parts:
            if argv and _fits(parts[: parts.index("--")], left):
                return ParsedLine(command, values, tuple(argv), words=tuple(left), form=form)
        elif "--grant" in parts:
            if "granted" in values and words == parts[:1]:
                return ParsedLine(command, values, words=tuple(words), form=form)
        elif parts[-1] == "[FILE…]":
            if _fits(parts[:-1], words[: len(parts) - 1]):
                return ParsedLine(command, values, words=tuple(words), form=form)
        elif parts[-1] == "RULES…":
            if not argv and _fits(parts[:-1], left[: len(parts) - 1]) and _are_rule_files(left[len(parts) - 1 :]):
                return ParsedLine(command, values, words=tuple(words), form=form)
        elif parts[-1].startswith("["):
            if _fits_loosely(parts, left, argv):
                return ParsedLine(command, values, words=tuple(words), form=form)
        elif _fits(parts, words):
            return ParsedLine(command, values, words=tuple(words), form=form)
    begun = [form for form in command.forms if words and form.split()[0] == words[0]]
    if begun and not argv and " -- " in begun[0]:
        deed, _, example = begun[0].partition(" -- ")
        raise no_dashes(f"{command.name} {deed}", as_typed(words[1:]) or example)
    near = nearest_word(words[0], [form.split()[0] for form in command.forms]) if words and not begun else ""
    meant = begun or [form for form in command.forms if form.split()[0] == near] or command.forms
    lines = [f"sandgate {command.name} {form}" for form in meant]
    if "[PROMPT]" in command.forms:
        lines.insert(0, "a prompt is one word for the shell: put it in quotes")
    raise RequestError(_problem(command.name, words, begun), hint="\n".join(lines))


def _problem(name: str, words: list[str], begun: list[str]) -> str:
    """What is wrong with `words`; `begun` are the forms with the same first word."""
    if not words:
        return f"`sandgate {name}` what?"
    lacking = begun[0].split()[len(words) :] if len(begun) == 1 else []
    if lacking and all(part.isupper() for part in lacking):
        return f"`sandgate {name} {' '.join(words)}` lacks `{' '.join(lacking)}`"
    return f"`sandgate {name}` does not take `{' '.join(words)}`"


def _fits_loosely(form: list[str], left: list[str], argv: list[str]) -> bool:
    """`form` ends in parts that may be left out."""
    fixed = [part for part in form if not part.startswith("[")]
    return len(left) >= len(fixed) and _fits(fixed, left[: len(fixed)]) and len(left) + len(argv) <= len(form)


def _fits(form: list[str], words: list[str]) -> bool:
    return len(form) == len(words) and all(has.isupper() or has == word for has, word in zip(form, words, strict=True))


def _are_rule_files(words: list[str]) -> bool:
    from sandgate.config.rules_files import SUFFIXES  # only where rules are meant

    return bool(words) and all(word.endswith(SUFFIXES) for word in words)
