"""`curl`, `wget`, `nc`, `ssh`, `scp`, `rsync`: who is talked to, what is fetched, what is sent."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import (
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import after_names, by_table, transfer
from sandgate.assessment.judges.requests import (
    CREDENTIAL_OPTIONS,
    DATA_OPTIONS,
    FORM_OPTIONS,
    asks_to_delete,
    judge_change,
    orders_deletion,
    posts,
)
from sandgate.assessment.knowledge.network import CURL_VALUES, SSH_VALUES, WGET_VALUES
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.places import made_to_ship, place_of
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.options import Parsed

FETCHERS = frozenset({"curl", "wget", "http", "https", "xh", "dig", "host", "nslookup", "ssh-keyscan", "openssl"})
METADATA_HOSTS = ("169.254.169.254", "metadata.google.internal", "100.100.100.200", "fd00:ec2::254", "169.254.170.2")
METADATA_KEYS = (
    "security-credentials",
    "/token",
    "user-data",
    "service-accounts",
    "identity/oauth2",
    "/ram/",
    "identity-",
)
PRIVATE = ("secret", "encoded", "environment", "file")  # tags of data that should not leave without a question
UPLOAD_OPTIONS = frozenset({"-T", "--upload-file", "--post-file", "--body-file"})
# What only shapes or repeats what it was told: such text is no private data.
LITERAL = frozenset(words("echo printf yes seq true false : sleep date jq tr base64 sed head tail sort uniq cut wc "
                          "tee cat"
                          " gzip xz bzip2 zstd grep awk rev uname whoami python python3 node"))  # fmt: skip
SERVED = ("/srv", "/opt", "/var/www", "/var/lib/www", "/usr/share/nginx", "/usr/local")  # where one's own things go
CURL_WRITES = frozenset({"-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--libcurl",
                         "--stderr",
                         "--etag-save", "--hsts", "--alt-svc"})  # fmt: skip
CHANGING_METHODS = frozenset({"DELETE"})


def private_input(call: Call) -> str | None:
    """What private data flows into this call, if any, as words."""
    for tag in PRIVATE:
        if call.upstream.get(tag, "/dev/null") != "/dev/null":
            return "environment variables" if tag == "environment" else f"the content of {worded(call.upstream[tag])}"
    feeder = call.feeder
    while feeder is not None and feeder.program in LITERAL:
        feeder = feeder.feeder
    return f"the output of {worded(feeder.program)}" if feeder is not None and feeder.program not in FETCHERS else None


def _judge_curl(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, CURL_VALUES)
    if options.has("--version --help -V"):
        inquiry.add(LOW, "reads", "curl", "only shows help")
        return
    urls = [arg.text for arg in options.operands] + [arg.text for name, arg in options.values if name == "--url"]
    hosts = [host_of(url) for url in urls] or ["?"]
    for url, host in zip(urls or ["?"], hosts, strict=True):
        inquiry.contact(host, call, sentence=f"Downloads {worded(url.replace(UNKNOWN, '?'))}")
        _instance_keys(url, inquiry)
        if not is_local(host) and orders_deletion(url, options):
            inquiry.add(HIGH, "deletes", host, "asks a remote service to delete", "", "", (DELETION, NETWORK))
        if url.startswith("file:"):
            inquiry.read(Arg(url.removeprefix("file://")), call)
    saved(options, "-o --output", hosts[0], call, inquiry)
    if options.has("-O --remote-name"):
        for url, host in zip(urls, hosts, strict=True):
            _saved_as(Arg(_file_name(url)), host, call, inquiry)
    _sent(options, hosts[0], call, inquiry)
    method = options.value("-X --request")
    if method is not None and method.text.upper() in CHANGING_METHODS:
        asks_to_delete(hosts[0], inquiry)
    judge_change(options, hosts[0], call, inquiry)
    for name, arg in options.values:
        if name in CURL_WRITES and arg.text != "-":
            inquiry.write(arg, call)
    if options.has("--mail-rcpt"):
        inquiry.add(HIGH, "contacts", hosts[0], "sends a mail", "Sends a mail", "", (EXFILTRATION, NETWORK))
    socket = options.value("--unix-socket --abstract-unix-socket")
    if (
        socket is not None
        and socket.text.endswith(".sock")
        and (posts(options) or (method is not None and method.text.upper() not in {"GET", "HEAD"}))
    ):
        inquiry.add(HIGH, "privilege", socket.text, "orders a service of this machine over its socket",
                    f"Gives orders to the service behind {worded(socket.text)}",
                    "Whoever orders a container engine has all rights on this machine", (PRIVILEGE,
                                                                                         SYSTEM))  # fmt: skip
    if options.has("-K --config"):
        inquiry.doubt("takes its options from a file", target="curl")


def _instance_keys(url: str, inquiry: Inquiry) -> None:
    """A cloud tells every program on its machines their keys, at an address of its own."""
    if any(host in url for host in METADATA_HOSTS) and any(path in url for path in METADATA_KEYS):
        inquiry.add(HIGH, "reads", url, "asks the cloud for the keys of this machine",
                    "Asks the cloud for the keys of this machine", "",
                    (EXFILTRATION, PRIVILEGE, NETWORK))  # fmt: skip


def _sent(options: Parsed, host: str, call: Call, inquiry: Inquiry) -> None:
    """Uploads: files named by options, or private data that flows in."""
    sent = False
    for name, arg in options.values:
        source = _upload(name, arg)
        if source is None:
            continue
        sent = True
        if source.text in {"-", ""}:
            continue
        inquiry.read(source, call)
        path, _ = call.paths(source)
        inquiry.send(f"the file {worded(path or '?')}", host)
    private = private_input(call)
    direct = _in_words(options, call)
    if private is not None and (sent or direct or "secret" in call.upstream or posts(options)):
        inquiry.send(private, host)


def _in_words(options: Parsed, call: Call) -> bool:
    """Whether private data stands in a URL or a body.

    A password in a header is there to log in; a file that holds a version makes a URL, and nothing leaves by it.
    """
    logins = {id(arg) for name, arg in options.values if name in CREDENTIAL_OPTIONS}
    for arg in call.args:
        tags = dict(arg.carries)
        own = tags.get("environment", "").startswith("$") and not tags["environment"].startswith("$AWS")
        login = id(arg) in logins or any(mark in arg.text.lower() for mark in ("key=", "token=", "appid=", "auth="))
        if {"secret", "encoded"} & set(tags) or ("environment" in tags and not (own and login)):
            return True
        named = tags.get("file", "").rsplit("/", 1)[-1].lower()
        if (
            "file" in tags
            and "://" in arg.text
            and UNKNOWN in arg.text
            and not any(mark in named for mark in ("version", "latest", "tag", "url", "release"))
        ):
            return True
    return False


def _upload(name: str, arg: Arg) -> Arg | None:
    """The file an option uploads; text `-` or empty: standard input."""
    text = arg.text
    if name in UPLOAD_OPTIONS:
        return arg
    if name in {"-H", "--header"} and text.startswith("@"):
        return arg.but(text=text[1:], raw="")
    if name in DATA_OPTIONS and name != "--data-raw" and text.startswith("@"):
        return arg.but(text=text[1:], raw="")
    if name == "--data-urlencode" and "@" in text and "=" not in text.split("@", 1)[0]:
        return arg.but(text=text.split("@", 1)[1], raw="")
    if name in FORM_OPTIONS and ("=@" in text or "=<" in text):
        return arg.but(text=text.split("=", 1)[1][1:].split(";", 1)[0], raw="")
    return None


def _file_name(url: str) -> str:
    return url.split("?", 1)[0].rstrip("/").rsplit("/", 1)[-1] or "index.html"


def saved(options: Parsed, names: str, host: str, call: Call, inquiry: Inquiry) -> None:
    """Note the file an option lets a download be written to."""
    target = options.value(names)
    if target is not None and target.text != "-":
        _saved_as(target, host, call, inquiry)


def _saved_as(target: Arg, host: str, call: Call, inquiry: Inquiry) -> None:
    inquiry.write(target, call, verb="Downloads to")
    path, _ = call.paths(target)
    if path is not None:
        inquiry.downloads[path] = host


def _judge_wget(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, WGET_VALUES)
    if options.has("--version --help"):
        inquiry.add(LOW, "reads", "wget", "only shows help")
        return
    hosts = [host_of(arg.text) for arg in options.operands] or ["?"]
    for arg, host in zip(options.operands, hosts, strict=False):
        inquiry.contact(host, call, sentence=f"Downloads {worded(arg.text.replace(UNKNOWN, '?'))}")
        _instance_keys(arg.text, inquiry)
    target = options.value("-O --output-document")
    if target is None:
        for arg, host in zip(options.operands, hosts, strict=False):
            _saved_as(Arg(_file_name(arg.text)), host, call, inquiry)
    else:
        saved(options, "-O --output-document", hosts[0], call, inquiry)
    method = options.value("--method")
    if method is not None and method.text.upper() in CHANGING_METHODS:
        asks_to_delete(hosts[0], inquiry)
    into = options.value("-P --directory-prefix")
    if into is not None:
        inquiry.write(into, call, verb="Downloads to")
    _sent(options, hosts[0], call, inquiry)


def _judge_ssh(call: Call, inquiry: Inquiry) -> None:
    values = SSH_VALUES + (" -M" if call.program == "autossh" else "")
    options = parsed(call.args, values, stop_at_operand=True)
    if options.has("-V") or options.has("-Q"):
        inquiry.add(LOW, "reads", "ssh", "only shows its version")
        return
    host = host_of(options.operands[0].text) if options.operands else "?"
    later = parsed(options.operands[1:], values, stop_at_operand=True)  # options may stand behind the host, too
    rest = later.operands
    options = options.but(flags=options.flags | later.flags, values=(*options.values, *later.values))
    inquiry.contact(host, call, sentence=f"Logs in to {worded(host)}")
    if not rest and not options.has("-N -f -T -G -O -L -R -D -W"):
        _judge_login(options, host, inquiry)
    if is_local(host) and (options.operands[0].text.startswith("root@") or _says_root(options)):
        inquiry.add(HIGH, "privilege", host, "logs in as the administrator of this machine",
                    "Becomes the administrator of this machine", "", (PRIVILEGE,))  # fmt: skip
    if options.has("-R -D -w"):
        said = f"Opens a tunnel between this machine and {worded(host)}"
        inquiry.add(HIGH, "contacts", host, "opens a tunnel", said, "", (NETWORK, EXFILTRATION))
    for name, arg in options.values:
        key, _, value = arg.text.partition("=")
        if name == "-o" and key.lower() in {"proxycommand", "localcommand", "knownhostscommand"}:
            inquiry.run_script(value, call)
    bound = options.value("-L")
    if bound is not None and (options.has("-g") or bound.text.startswith(("0.0.0.0:", "*:", "[::]:"))):
        inquiry.add(HIGH, "contacts", host, "lets others through to another machine",
                    f"Lets others connect to {worded(host)} through this machine", "", (NETWORK,
                                                                                       EXFILTRATION))  # fmt: skip
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)
    for words_run in (rest, after_names(rest)):
        if not words_run:
            continue
        inner = call.inside("sh", [Arg("-c"), Arg(" ".join(arg.text for arg in words_run))], remote=True)
        inner.upstream = {}
        inquiry.run(inner)


def _judge_login(options: Parsed, host: str, inquiry: Inquiry) -> None:
    """A shell of the administrator of another machine, where anything may be typed."""
    named = options.operands[0].text if options.operands else ""
    login = options.value("-l")
    if named.startswith(("root@", "ssh://root@", "Administrator@")) or (login is not None and login.text == "root"):
        inquiry.add(HIGH, "privilege", host, "opens a shell of an administrator",
                    f"Becomes the administrator of {worded(host)}", "", (PRIVILEGE, NETWORK))  # fmt: skip


def _says_root(options: Parsed) -> bool:
    user = options.value("-l")
    return user is not None and user.text == "root"


def _judge_scp(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-c -F -i -J -l -o -P -S -e --rsh --exclude --include --rsync-path")
    shell = options.value("-e --rsh") if call.program == "rsync" else None
    if shell is not None and not shell.text.startswith("ssh"):
        inquiry.run_script(shell.text, call)
    remote = [arg for arg in options.operands if _remote(arg.text)]
    if not remote and call.program == "rsync" and options.has("-n --dry-run"):
        inquiry.add(LOW, "reads", "rsync", "only shows what it would copy", "Shows what would be copied")
        return
    if not remote:
        transfer("copy", options, call, inquiry, verb="Copies")
        if options.has("--delete --delete-after --delete-excluded --del --remove-source-files") and options.operands:
            inquiry.delete(options.operands[-1], call, recursive=True, contents=True)
        return
    destination = options.operands[-1]
    if call.program == "rsync" and options.has("-n --dry-run"):
        inquiry.contact(_host_part(remote[0].text), call, why="compares files with another machine")
        return
    if _remote(destination.text):
        _judge_place_there(destination.text, inquiry)
        for arg in options.operands[:-1]:
            inquiry.read(arg, call, recursive=True)
        send_files([arg for arg in options.operands[:-1] if not _remote(arg.text)], _host_part(destination.text), call,
                   inquiry)  # fmt: skip
        if options.has("--delete --delete-after --delete-excluded --del"):
            inquiry.add(HIGH, "deletes", destination.text, "deletes on the other machine", "", "", (DELETION, NETWORK))
        return
    host = _host_part(remote[0].text)
    inquiry.contact(host, call, sentence=f"Copies files from {worded(host)}")
    _saved_as(destination, host, call, inquiry)
    for arg in remote:  # into a directory it goes by its own name
        path, _ = call.paths(Arg(f"{destination.text}/{arg.text.rpartition(':')[2].rpartition('/')[2]}"))
        if path is not None:
            inquiry.downloads[path] = host


def _judge_place_there(destination: str, inquiry: Inquiry) -> None:
    """`scp x root@web:/etc/…`: part of the system of another machine."""
    path = destination.partition(":")[2]
    kind = place_of(path, inquiry.facts).kind if path[:1] == "/" else ""
    if kind in {"root", "device"} or (kind == "system" and not path.startswith(SERVED)):
        inquiry.add(HIGH, "writes", destination, "changes part of the system of another machine",
                    f"Writes to {worded(destination)}", "", (SYSTEM, NETWORK))  # fmt: skip


def send_files(sources: Sequence[Arg], host: str, call: Call, inquiry: Inquiry) -> None:
    """Files go to another machine; what a project has made for others is less of a loss."""
    paths = [call.paths(arg)[0] for arg in sources]
    ships = bool(paths) and all(path is not None and made_to_ship(path, inquiry.facts) for path in paths)
    what = " and ".join(worded(arg.text) for arg in sources[:2]) or "files"
    inquiry.send(what, host, level=MEDIUM if ships else HIGH)


def _remote(text: str) -> bool:
    before, colon, _ = text.partition(":")
    return bool(colon) and "/" not in before


def _host_part(text: str) -> str:
    return host_of(text.split(":", 1)[0]) if "://" not in text else host_of(text)


def judge_sender(call: Call, inquiry: Inquiry) -> None:
    """Programs that pass on whatever they are given."""
    by_table(call, inquiry)
    private = private_input(call)
    host = next((arg.text for arg in call.args if arg.text[:1] != "-"), "?")
    call.carry("network", host)
    if call.program in ASKERS and any(UNKNOWN in arg.text.partition(".")[0] and "." in arg.text for arg in call.args):
        said = "Asks a name server for a name made of what a command prints"
        inquiry.add(HIGH, "contacts", "?", "puts data into a name that is looked up", said, "", (EXFILTRATION, NETWORK))
        return
    if call.program in ASKERS and not {"secret", "encoded", "environment"} & set(call.upstream):
        return
    if private is not None:
        inquiry.send(private, host)


def _judge_backup(call: Call, inquiry: Inquiry) -> None:
    """`restic -r sftp:host:/repo backup ~/`, `borg create ssh://host/repo::name ~/`: what is kept is sent there."""
    by_table(call, inquiry)
    options = parsed(call.args, "-r --repo --repository-file -p --password-file --exclude --tag -C --compression")
    named = [arg.text for arg in options.operands]
    repository = options.value("-r --repo")
    at = next((at for at, text in enumerate(named[:2]) if text in {"backup", "create"}), -1)
    if at < 0 or options.has("-n --dry-run"):
        return
    places = options.operands[at + 1 :]
    place = repository.text if repository is not None else ""
    if not place and places:
        place, places = places[0].text, places[1:]
    far = "://" in place or place.startswith(("sftp:", "rest:", "s3:", "b2:", "gs:", "azure:", "swift:", "rclone:"))
    if far and not place.startswith("file:"):
        send_files(places, host_of(place.removeprefix("rest:")), call, inquiry)


# They send nothing but the name they are given.
ASKERS = frozenset({"dig", "nslookup", "host", "ping", "drill", "doggo", "dog"})


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "curl": _judge_curl,
    "wget": _judge_wget,
    "ssh": _judge_ssh,
    "autossh": _judge_ssh,
    **dict.fromkeys(("restic", "borg", "kopia"), _judge_backup),
    "scp": _judge_scp,
    "rsync": _judge_scp,
    **dict.fromkeys(
        ("telnet", "lynx", "mail", "sendmail", "mutt", "mailx", "swaks", "msmtp", "websocat",
         "curlie", "grpcurl", "wscat", "drill", "doggo", "dog", "neomutt", "s-nail", "termbin",
         "dig", "nslookup", "host", "ping"),
        judge_sender,
    ),
}  # fmt: skip
