"""Completion for zsh: a function for a directory of `$fpath`, by the name `_sandgate`."""

from __future__ import annotations

from sandgate.surfaces.cli.completions.words import after, argument, deeds, option_value
from sandgate.surfaces.cli.options import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.completions.words import OptionValue
    from sandgate.surfaces.cli.options import Command, Option

SCRIPT = """\
#compdef sandgate
# zsh completion for sandgate: sandgate completion zsh > DIRECTORY_OF_FPATH/_sandgate
_sandgate() {
    local -i dashes=${words[(i)--]}
    if ((dashes < CURRENT)); then
        words=("${(@)words[dashes + 1,-1]}")
        ((CURRENT -= dashes))
        _normal
        return
    fi
    local -a names
    names=(
@NAMES@
    )
    if ((CURRENT == 2)); then
        _describe -t commands command names
        _values option --help --version
        return
    fi
    local name=$words[2]
    shift words
    ((CURRENT--))
    case $name in
@COMMANDS@
    help) _describe -t commands command names ;;
    esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _sandgate "$@"
else
    compdef _sandgate sandgate
fi
"""
ACTIONS = {"files": "_files", "directories": "_directories", "unknown": " "}


def completion_script() -> str:
    """What `sandgate completion zsh` prints."""
    names = [f"        {_quoted(f'{command.name}:{_colons(command.summary)}')}" for command in COMMANDS]
    return SCRIPT.replace("@NAMES@", "\n".join(names)).replace("@COMMANDS@", "\n".join(map(_command, COMMANDS)))


def _command(command: Command) -> str:
    specifications = [_quoted("--help[say what it does]"), *(each for o in command.options for each in _option(o))]
    if command.forms or command.words:
        words = deeds(command)
        if words:
            specifications.append(_quoted(f"1:word:({' '.join(words)})"))
        specifications += _second(command, words)
    elif argument(command).kind == "files":
        specifications.append(_quoted("1:file:_files"))
    lines = " \\\n            ".join(specifications)
    return f"    {command.name})\n        _arguments -s -S : \\\n            {lines}\n        ;;"


def _second(command: Command, words: tuple[str, ...]) -> list[str]:
    cases = [f"{word}) {_deed(after(command, word))} ;;" for word in words if after(command, word).kind != "unknown"]
    return [_quoted(f"*:argument:{{ case $line[1] in {' '.join(cases)} esac }}")] if cases else []


def _deed(value: OptionValue) -> str:
    return f"compadd -- {' '.join(value.words)}" if value.kind == "words" else ACTIONS[value.kind]


def _option(option: Option) -> list[str]:
    repeated = "*" if option.many else f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    about = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    if not option.metavar:
        return [_quoted(f"{repeated}{flag}[{about}]") for flag in option.flags]
    action = _colons(option.metavar) + ":" + _action(option_value(option))
    # `--cd=` is completed in both forms, `-C` with its value behind it or apart.
    return [_quoted(f"{repeated}{flag}{'=' if flag[:2] == '--' else '+'}[{about}]:{action}") for flag in option.flags]


def _action(value: OptionValue) -> str:
    return f"({' '.join(value.words)})" if value.kind == "words" else ACTIONS[value.kind]


def _colons(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
