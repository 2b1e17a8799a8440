"""`sandgate doctor`: what this host can enforce, what is chosen and why, what is lost and how to get it."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import ConfigError, RuleError
from sandgate.runtime.doctor import diagnose, diagnose_without_settings
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.place_lines import home_line
from sandgate.surfaces.cli.session import environment, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.runtime.doctor import Diagnosis
    from sandgate.surfaces.cli.parse import ParsedLine


def main(parsed: ParsedLine) -> int:
    """0 when commands can be confined and no canary got out, 1 otherwise."""
    diagnosis = _diagnosis(parsed)
    if parsed.on("json"):
        import json

        from sandgate.protocol.wire import plain

        say.out(json.dumps({**plain(diagnosis), "good": diagnosis.good, "broken": diagnosis.broken}) + "\n")
    else:
        say.out("".join(f"{line}\n" for line in _lines(diagnosis)))
    return 0 if diagnosis.good else 1


def _diagnosis(parsed: ParsedLine) -> Diagnosis:
    attack = parsed.on("attack")
    try:
        runtime = opened(parsed)
    except (ConfigError, RuleError) as problem:
        return diagnose_without_settings(problem, directory=environment(parsed).cwd, attack=attack)
    return diagnose(runtime, attack=attack)


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield from _host_lines(diagnosis)
    yield ""
    if diagnosis.unusable:
        yield f"NOTHING RUNS HERE: {visible(diagnosis.unusable)}"
    if diagnosis.backend is None:
        yield f"backend: NONE (asked for: {diagnosis.wish}). Nothing will run confined here, so nothing will run."
    else:
        yield f"backend: {diagnosis.backend} (asked for: {diagnosis.wish})"
    if diagnosis.why:
        yield f"  why: {visible(diagnosis.why)}"
    if diagnosis.backend is not None and diagnosis.tmp is not None:
        yield f"{'$TMPDIR' if diagnosis.backend == 'landlock' else '/tmp'} of commands here: {_tmp(diagnosis)}"
    if diagnosis.closed_entries is not None:
        yield home_line(diagnosis.closed_entries)
    yield from (f"  lost: {loss}" for loss in diagnosis.lost)
    if diagnosis.hint:
        yield "  to get it:"
        yield from (f"    {visible(line)}" for line in diagnosis.hint.splitlines())
    yield from _call_lines(diagnosis)
    yield from (f"warning: {warning}" for warning in diagnosis.warnings)
    yield from _canary_lines(diagnosis)


def _tmp(diagnosis: Diagnosis) -> str:
    return visible(diagnosis.tmp) if diagnosis.tmp else "the host's"


def _host_lines(diagnosis: Diagnosis) -> Iterator[str]:
    host = diagnosis.host
    where = f", in a container ({host.container})" if host.container else ""
    yield f"kernel: {host.kernel} {host.machine}{f', WSL {host.wsl}' if host.wsl else ''}{where}"
    yield f"user: {host.uid}{' (the real root)' if host.is_real_root else ''}"
    yield f"helper: {visible(host.helper) if host.helper else f'none ({host.helper_why})'}"
    namespace = host.namespace
    yield f"namespaces: {'work: ' + ', '.join(namespace.layers) if namespace and namespace.works else 'do not work'}"
    landlock = host.landlock
    works = "works" if landlock and landlock.works else "does not work"
    yield f"landlock: {f'ABI {host.landlock_abi}, {works}' if host.landlock_abi else 'none'}"
    yield f"bwrap: {f'{host.bwrap} {host.bwrap_version}'.strip() if host.bwrap else 'none'}"
    yield f"cgroup: {host.cgroup or 'none'}{', delegated' if host.cgroup_delegated else ''}"
    yield from (f"{name}: {visible(value)}" for name, value in host.sysctls.items())


def _call_lines(diagnosis: Diagnosis) -> Iterator[str]:
    if not diagnosis.refused_calls:
        return
    yield f"system calls that commands cannot make (those numbered above {diagnosis.newest_call} answer ENOSYS, too):"
    for group in diagnosis.refused_calls:
        yield f"  {group.name} ({group.error}): {group.why}"


def _canary_lines(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.canaries is None:
        return
    yield ""
    for canary in diagnosis.canaries:
        yield f"{'held' if canary.held else 'PASSED'}: {canary.name} ({visible(canary.detail)})"
    yield "broken: a canary got out; do not rely on this backend" if diagnosis.broken else "every canary was held"
