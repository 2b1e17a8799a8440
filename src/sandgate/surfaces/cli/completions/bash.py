"""Completion for bash. It needs no other package; with bash-completion, what follows `--` is completed as a command."""

from __future__ import annotations

from sandgate.surfaces.cli.completions.words import after, argument, deeds, option_value
from sandgate.surfaces.cli.options import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.completions.words import OptionValue
    from sandgate.surfaces.cli.options import Command

SCRIPT = """\
# bash completion for sandgate: eval "$(sandgate completion bash)"
_sandgate() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= index
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        [[ ${COMP_WORDS[index]} == -- ]] || continue
        if declare -F _command_offset >/dev/null; then
            _command_offset $((index + 1))
        elif ((COMP_CWORD == index + 1)); then
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        fi
        return
    done
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "@NAMES@ help --help --version" -- "$cur")
        return
    fi
    case ${COMP_WORDS[1]} in
@COMMANDS@
    help) words="@NAMES@" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _sandgate sandgate
"""
FILLED_IN = {
    "files": 'mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return',
    "directories": 'mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return',
    "unknown": "return",
}


def completion_script() -> str:
    """What `sandgate completion bash` prints."""
    names = " ".join(command.name for command in COMMANDS)
    return SCRIPT.replace("@NAMES@", names).replace("@COMMANDS@", "\n".join(map(_command, COMMANDS)))


def _command(command: Command) -> str:
    by_value: dict[OptionValue, list[str]] = {}
    for option in command.options:
        if option.metavar:
            by_value.setdefault(option_value(option), []).extend(option.flags)
    cases = [f"        {' | '.join(flags)}) {_offered(value)} ;;" for value, flags in by_value.items()]
    cases += [
        f"        {deed}) {_offered(after(command, deed))} ;;"
        for deed in deeds(command)
        if after(command, deed).kind != "unknown"
    ]
    flags = " ".join(flag for option in command.options for flag in option.flags)
    everything = " ".join(filter(None, ("--help", flags, *deeds(command))))
    # Where a file may stand, options are offered to a user who begins one: readline completes files where no word fits.
    asked = "[[ $cur != -* ]] || " if argument(command).kind == "files" else ""
    other = f'        *) {asked}words="{everything}" ;;'
    return "\n".join([f"    {command.name})", "        case $prev in", *cases, other, "        esac", "        ;;"])


def _offered(value: OptionValue) -> str:
    return f'words="{" ".join(value.words)}"' if value.kind == "words" else FILLED_IN[value.kind]
