# Read by ./sandgate and ./check: which environment serves this clone, and is it up to date?
#
# On the warm path this costs a few `stat` calls and starts no process. Anything that looks newer than the
# environment is handed to environment.py, which compares contents. Nothing here may leak into the program's
# environment, so every name starts with `sandgate_launch_` and nothing is exported.

# sandgate_launch_ready DIR LOCK: DIR was made, and LOCK (runtime, mcp or dev) does not look newer.
sandgate_launch_ready() {
    [ -x "$1/bin/python" ] && [ -e "$1/ready" ] || return 1
    [ -O "$1" ] || sandgate_launch_trusted "$1" || exit 125
    ! [ "$sandgate_launch_root/requirements/$2.txt" -nt "$1/ready" ] || return 1
    [ -n "${SANDGATE_PYTHON-}" ] || return 0
    read -r sandgate_launch_recorded <"$1/ready" && [ "$SANDGATE_PYTHON" = "$sandgate_launch_recorded" ]
}

# sandgate_launch_trusted DIR: what is not ours was made by root, or in a clone by the clone's owner, who is trusted anyway.
sandgate_launch_trusted() {
    sandgate_launch_owner=$(sandgate_launch_owner_of "$1")
    [ "$sandgate_launch_owner" != 0 ] || return 0
    case $1 in
    "$sandgate_launch_root"/*) [ "$sandgate_launch_owner" != "$(sandgate_launch_owner_of "$sandgate_launch_root")" ] || return 0 ;;
    esac
    echo "sandgate: $1 belongs to another user, so it is not run: remove it, and it is made anew" >&2
    return 1
}

# sandgate_launch_owner_of DIR: prints the number of its owner.
sandgate_launch_owner_of() {
    set -- $(LC_ALL=C ls -ldn "$1")
    echo "$3"
}

# sandgate_launch_existing NAME LOCK: sets sandgate_launch_env to where the environment belongs; false if it is not ready.
sandgate_launch_existing() {
    # A Python that is asked for by name gets an environment of its own.
    sandgate_launch_name=$1${SANDGATE_PYTHON:+-${SANDGATE_PYTHON##*/}}
    sandgate_launch_env=$sandgate_launch_root/$sandgate_launch_name
    sandgate_launch_ready "$sandgate_launch_env" "$2" && return
    ! [ -w "$sandgate_launch_root" ] || ! [ -O "$sandgate_launch_root" ] || return 1
    case ${XDG_CACHE_HOME-} in
    /*) sandgate_launch_env=$XDG_CACHE_HOME ;;
    *) sandgate_launch_env=${HOME-}/.cache ;;
    esac
    sandgate_launch_env=$sandgate_launch_env/sandgate/environments$sandgate_launch_root/$sandgate_launch_name
    sandgate_launch_ready "$sandgate_launch_env" "$2"
}

# sandgate_launch_environment NAME LOCK: the same, making it if need be.
sandgate_launch_environment() {
    sandgate_launch_existing "$1" "$2" && return
    sandgate_launch_python || exit 125
    "$sandgate_launch_found" -IB "$sandgate_launch_root/requirements/environment.py" \
        "$2" "$sandgate_launch_root" "$sandgate_launch_env" "${SANDGATE_PYTHON-}" </dev/null >&2 || exit
}

# sandgate_launch_helped ARGUMENT...: false unless there are none, or they ask for help or the version, which needs no
# environment; then the program has helped, and this ends. The program itself says whether they do.
sandgate_launch_helped() {
    case " $* " in
    '  ' | *' --help '* | *' -h '* | ' help '* | ' --version '*) ;;
    *) return 1 ;;
    esac
    sandgate_launch_python || exit 125
    "$sandgate_launch_found" -I -S -B -X utf8 -c '
import sys
sys.path.append(sys.argv.pop(1) + "/src")
from sandgate.surfaces.cli.main import helped
code = helped(sys.argv[1:])
sys.exit(1 if code is None else code)
' "$sandgate_launch_root" "$@" </dev/null
    sandgate_launch_status=$?
    [ "$sandgate_launch_status" = 1 ] || exit "$sandgate_launch_status"
    return 1
}

# sandgate_launch_python: sets sandgate_launch_found to the real path of a Python that is new enough.
# Asking the candidate for its own path steps over version-manager shims, which are slow and may be broken.
sandgate_launch_python() {
    if [ -n "${SANDGATE_PYTHON-}" ]; then
        set -- "$SANDGATE_PYTHON"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3
    fi
    for sandgate_launch_candidate; do
        sandgate_launch_found=$("$sandgate_launch_candidate" -IS -c '
import sys
import os
if sys.version_info >= (3, 11):
    print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
' </dev/null 2>/dev/null) && [ -x "$sandgate_launch_found" ] && return
    done
    if [ -n "${SANDGATE_PYTHON-}" ]; then
        echo "sandgate: SANDGATE_PYTHON=\`$SANDGATE_PYTHON\` is not a working Python 3.11 or newer" >&2
    else
        echo "sandgate: no Python 3.11 or newer on PATH (looked for python3, python3.14 … python3.11)" >&2
        echo "sandgate: install one (Debian, Ubuntu: apt-get install python3 python3-venv), or name it: SANDGATE_PYTHON=/path/to/python3" >&2
    fi
    return 1
}
