"""`rm`, `find`, `dd`, `sed`, archives: what is touched depends on how the arguments fit together."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import DELETION, EXHAUSTION, HIGH, LOW, MEDIUM, SYSTEM
from sandgate.assessment.inline import judge_code
from sandgate.assessment.inquiry import ENDLESS_INPUTS
from sandgate.assessment.judges.common import by_table, emptied
from sandgate.assessment.judges.editing import judge_edit
from sandgate.assessment.judges.loops import HUGE_GIGABYTES, SEQUENCE_MANY, is_many
from sandgate.assessment.judges.spoken import spoken
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded
from sandgate.commandline import sedscripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

TAR_VALUES = "-f -C -T -X -I -b -g -K -N -V --file --directory --files-from --exclude --to-command --checkpoint-action"
PASSING = frozenset(words("cat tee pv gzip bzip2 xz zstd lz4 pigz base64 base32 xxd od hexdump tr sed rev openssl nl"))
UNPACKERS = words("gunzip zcat bunzip2 bzcat unxz xzcat unzstd uncompress")


def _judge_rm(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args)
    if options.has("--help --version"):
        inquiry.add(LOW, "reads", "rm", "only shows help")
        return
    recursive = options.has("-r -R --recursive")
    if options.has("--no-preserve-root"):
        inquiry.add(HIGH, "deletes", "/", "switches off the protection of the root directory",
                    "Deletes files and switches off the protection of /", "", (DELETION, SYSTEM))  # fmt: skip
    for arg in options.operands:
        inquiry.delete(
            arg, call, recursive=recursive, filtered=not recursive and arg.glob and arg.text.strip("*./~") != ""
        )


def _judge_dd(call: Call, inquiry: Inquiry) -> None:
    settings = dict(
        arg.text.replace("=~/", f"={call.shell.home}/").split("=", 1) for arg in call.args if "=" in arg.text
    )
    source, target = settings.get("if"), settings.get("of")
    if source:
        inquiry.read(Arg(source, raw=source), call)
    if target:
        inquiry.write(Arg(target, known=UNKNOWN not in target, raw=target), call, verb="Overwrites")
    if (
        target
        and source in ENDLESS_INPUTS
        and ("count" not in settings or _is_huge(_blocks(settings)))
        and (not target.startswith("/dev/") or target.startswith("/dev/shm/"))
    ):
        fills_disk(target, inquiry)


def _blocks(settings: dict[str, str]) -> str:
    """`bs=1G count=500` → `500G`; what is no number of whole units is not judged."""
    block = settings.get("bs", "512").upper().rstrip("IB")
    number = block[:-1] if block[-1:].isalpha() else block
    count = settings["count"]
    if not (number.isdecimal() and count.isdecimal()):
        return ""
    units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}.get(block[len(number) :], 1)
    return str(int(number) * int(count) * units)


def fills_disk(target: str, inquiry: Inquiry) -> None:
    """Note output without an end, or of a size no project needs."""
    inquiry.add(HIGH, "writes", target, "writes without limit", f"Fills the disk through {worded(target)}", "",
                (EXHAUSTION,))  # fmt: skip


def judge_sized(call: Call, inquiry: Inquiry) -> None:
    """`truncate` and `fallocate`: by table, and by size."""
    options = by_table(call, inquiry)
    size = options.value("-s -l --size --length") if options is not None else None
    if call.program == "truncate" and size is not None and size.text.lstrip("<") == "0" and options is not None:
        for arg in options.operands:
            emptied(arg, call, inquiry)
    if size is not None and _is_huge(size.text.upper()):
        fills_disk(options.operands[0].text if options is not None and options.operands else "?", inquiry)


def _is_huge(size: str) -> bool:
    """`900G`, `2TB`; a size that is no number is not judged."""
    number = size.lstrip("+<>%/").rstrip("IB")
    if number[-1:] in {"T", "P", "E", "Z"}:
        return number[:-1].isdecimal()
    if number[-1:] == "G":
        return number[:-1].isdecimal() and int(number[:-1]) >= HUGE_GIGABYTES
    return number.isdecimal() and int(number) >= HUGE_GIGABYTES << 30


def output_never_ends(call: Call) -> bool:
    """Whether its output is endless, or of a size no project needs."""
    if call.program == "head":
        size = parsed(call.args, "-c -n --bytes --lines").value("-c --bytes")
        return size is not None and _is_huge(size.text.upper())
    if call.program == "seq":
        return any(is_many(arg.text, SEQUENCE_MANY) for arg in call.args[-1:])
    copies = call.program in PASSING
    return call.program == "yes" or (copies and any(each.text in ENDLESS_INPUTS for each in call.args))


def says_nothing(call: Call) -> bool:
    """Whether its output is empty: `: > file`, `cat /dev/null > file`, `echo -n > file`."""
    texts = {arg.text for arg in call.args}
    if call.program in {"cat", "tee"}:
        return texts == {"/dev/null"}
    if call.program in {"echo", "printf"}:
        return bool(texts) and texts <= {"-n", ""}
    return call.program in {"", ":", "true", "false"}


def _judge_sort(call: Call, inquiry: Inquiry) -> None:
    options = by_table(call, inquiry)
    target = options.value("-o --output") if options is not None else None
    if target is not None:
        inquiry.write(target, call, verb="Overwrites")


def _judge_sed(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-e -f -l --expression --file")
    in_place = options.has("-i --in-place")
    given = options.value("-e --expression -f --file")
    files = options.operands if given is not None else options.operands[1:]
    scripts = [arg.text for option, arg in options.values if option in {"-e", "--expression"}]
    scripts += [arg.text for arg in options.operands[:1]] if given is None else []
    for script in scripts:
        _sed_script(script, call, inquiry)
    for arg in files:
        if in_place:
            judge_edit(scripts[0] if scripts else "", inquiry)
            inquiry.write(arg, call, verb="Changes")
        else:
            inquiry.read(arg, call)
    if not files:
        inquiry.add(LOW, "reads", "sed", "transforms text")


def _sed_script(script: str, call: Call, inquiry: Inquiry) -> None:
    """GNU sed can run commands (`e`) and write files (`w`)."""
    for command in sedscripts.commands(script):
        if command == sedscripts.INPUT:
            inquiry.doubt("the text that sed reads is run as a command", level=MEDIUM)
            if (said := spoken(call.feeder)) is not None:
                inquiry.run_script(said, call)
        else:
            inquiry.doubt("the text that sed makes is run as a command", level=MEDIUM)
            inquiry.run_script(command, call)
    for command in script.replace(";", "\n").split("\n"):
        rest = command.strip().lstrip("0123456789$,! ")
        if rest.startswith("w "):
            inquiry.write(Arg(rest[2:].strip(), raw=rest), call)
        elif rest.startswith("s") and "w /" in rest[-80:]:
            inquiry.write(Arg(rest[rest.rindex("w /") + 2 :], raw=rest), call)


def _judge_awk(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-F -v -f --field-separator --assign --file")
    if options.has("-f --file"):
        fetched = "network" in call.upstream
        inquiry.doubt("runs an awk program from a file", level=HIGH if fetched else MEDIUM, target="awk")
        files = options.operands
    else:
        files = options.operands[1:]
        for program in options.operands[:1]:
            judge_code(program.raw or program.text, "awk", call, inquiry)
    for arg in files:
        inquiry.read(arg, call)


def _judge_tar(call: Call, inquiry: Inquiry) -> None:
    args = list(call.args)
    if args and args[0].text[:1] not in {"-", ""} and UNKNOWN not in args[0].text:
        args[0] = args[0].but(text="-" + args[0].text)
    options = parsed(args, TAR_VALUES)
    for name in ("--to-command", "--checkpoint-action", "-I", "--use-compress-program"):
        program = options.value(name)
        if program is not None:
            inquiry.run_script(program.text.removeprefix("exec="), call)
    directory = options.value("-C --directory") or Arg(".")
    archive = options.value("-f --file")
    if options.has("-x --extract --get"):
        inquiry.write(directory, call, verb="Unpacks an archive into")
        unpacked(archive, directory, call, inquiry)
        if options.has("-P --absolute-names"):
            inquiry.add(HIGH, "writes", "/", "unpacks to wherever the archive says", "", "", (SYSTEM,))
        if archive is not None and ":" in archive.text:
            inquiry.contact(archive.text.split(":", 1)[0], call)
        return
    if options.has("-c -r -u --create --append --update -A --catenate"):
        _pack(options.operands, archive, call, inquiry)
        if options.has("--remove-files"):
            for arg in options.operands:
                inquiry.delete(arg, call, recursive=True)
        return
    if archive is not None:
        inquiry.read(archive, call)
    inquiry.add(LOW, "reads", "tar", "lists an archive", "Lists an archive")


def unpacked(archive: Arg | None, directory: Arg, call: Call, inquiry: Inquiry) -> None:
    """Note below which directory (its path ends with a slash) lies what came from the network a moment ago."""
    path, _ = call.paths(archive) if archive is not None and archive.text != "-" else (None, False)
    host = call.upstream.get("network") if path is None else inquiry.downloads.get(path)
    into, _ = call.paths(directory)
    if host is not None and into is not None:
        inquiry.downloads[into.rstrip("/") + "/"] = host


def _pack(sources: Sequence[Arg], archive: Arg | None, call: Call, inquiry: Inquiry) -> None:
    for arg in sources:
        inquiry.read(arg, call, recursive=True)
        path, _ = call.paths(arg)
        call.carry("encoded", path or "?")
    if archive is not None and archive.text != "-":
        if ":" in archive.text and not archive.text.startswith("/"):
            inquiry.send("packed files", archive.text.split(":", 1)[0])
        else:
            inquiry.write(archive, call, verb="Packs files into")
    inquiry.add(LOW, "reads", "tar", "packs files")


def _judge_unzip(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-d -x -P")
    for arg in options.operands[:1]:
        inquiry.read(arg, call)
    if not options.has("-l -t -v -p -Z"):
        inquiry.write(options.value("-d") or Arg("."), call, verb="Unpacks an archive into")
        unpacked(options.operands[0] if options.operands else None, options.value("-d") or Arg("."), call, inquiry)
    else:
        inquiry.add(LOW, "reads", "unzip", "looks into an archive")


def _judge_zip(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-i -x -P -b")
    for arg in options.operands[:1]:
        inquiry.write(arg, call)
    _pack(options.operands[1:], None, call, inquiry)
    if options.has("-m --move"):
        for arg in options.operands[1:]:
            inquiry.delete(arg, call, recursive=True)


def _judge_ln(call: Call, inquiry: Inquiry) -> None:
    """`ln -sf /dev/null log`: what stood there is gone, and what is written there will be too."""
    options = by_table(call, inquiry)
    if options is not None and len(options.operands) == 2 and options.operands[0].text == "/dev/null":
        emptied(options.operands[1], call, inquiry)


def _judge_tee(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args)
    if options.has("--help --version"):
        inquiry.add(LOW, "reads", "tee", "only shows help")
        return
    appends = options.has("-a --append")
    for arg in options.operands:
        inquiry.write(arg, call, verb="Appends to" if appends else "Writes")
        path, _ = call.paths(arg)
        if path is not None and "network" in call.upstream:
            inquiry.downloads[path] = call.upstream["network"]


def judge_encoder(call: Call, inquiry: Inquiry) -> None:
    """Encoders and compressors: by table, and note that what flows on is no longer readable."""
    by_table(call, inquiry)
    options = parsed(call.args, "-w -c -l")
    if call.program in UNPACKERS or options.has("-d -D --decode --decompress -r --uncompress"):
        call.carry("decoded", call.program)
    else:
        source = next((arg.text for arg in options.operands), "") or next(iter(call.upstream.values()), "?")
        if options.operands or set(call.upstream) & {"file", "secret", "environment", "encoded"}:
            call.carry("encoded", source)


def judge_rewriter(call: Call, inquiry: Inquiry) -> None:
    """`tr`, `rev`: harmless, but what they make may be run next."""
    by_table(call, inquiry)
    call.carry("decoded", call.program)


def _judge_rimraf(call: Call, inquiry: Inquiry) -> None:
    for arg in parsed(call.args).operands:
        inquiry.delete(arg.but(glob=arg.glob or "*" in arg.text), call, recursive=True)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "rm": _judge_rm,
    "rimraf": _judge_rimraf,
    "dd": _judge_dd,
    "truncate": judge_sized,
    "fallocate": judge_sized,
    "sed": _judge_sed,
    "sort": _judge_sort,
    "awk": _judge_awk,
    "tar": _judge_tar,
    "unzip": _judge_unzip,
    "zip": _judge_zip,
    "ln": _judge_ln,
    "tee": _judge_tee,
    "tr": judge_rewriter,
    "rev": judge_rewriter,
    **dict.fromkeys(
        ("base64", "base32", "xxd", "uuencode", "gzip", "bzip2", "xz", "zstd", "lz4", "brotli", *UNPACKERS),
        judge_encoder,
    ),
}
