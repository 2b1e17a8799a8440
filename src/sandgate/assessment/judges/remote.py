"""Commands for other machines, hidden in arguments: `kubectl exec … -- CMD`, `ansible -a CMD`, `vagrant ssh -c CMD`."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.costs import judge_size
from sandgate.assessment.judges.loops import is_many
from sandgate.assessment.judges.network import private_input
from sandgate.assessment.judges.watching import holds_rules
from sandgate.assessment.knowledge.containers import KUBECTL_VALUES
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

# Modules of ansible that only look.
ANSIBLE_LOOKING = frozenset(words("""
    ping setup stat debug gather_facts command_warn service_facts package_facts slurp find getent wait_for uri_get
    assert
    ansible.builtin.ping ansible.builtin.setup ansible.builtin.stat ansible.builtin.debug win_ping
    """))  # fmt: skip
# What a cluster keeps its users apart by, and under control.
GUARDING = (
    "networkpolic", "netpol", "podsecurity", "psp", "validatingwebhook", "resourcequota", "limitrange", "auditpol",
    "admissionpol", "clusterpol", "validatingadmission", "peerauthentication", "authorizationpol",
)  # fmt: skip
ANSIBLE_COMMANDS = frozenset(words("command shell raw script ansible.builtin.command ansible.builtin.shell expect"))
ANSIBLE_DELETING = ("state=absent", "force=yes state=absent")
SALT_COMMANDS = ("cmd.", "test.", "file.remove", "file.", "state.", "pkg.", "service.", "user.", "system.")
RULING = frozenset(words("delete label annotate patch edit replace apply scale create set"))
RESOLVER_SETTINGS = frozenset(words("dns domain llmnr mdns dnssec dnsovertls default-route nta"))
MANY_USERS = 500  # at once; what a service is tried with by its own people is less
MANY_STREAMS = 32
LOUD_REQUESTS = 100_000  # from here on requests to this very machine are no mere measurement


def _inside(rest: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    if rest:
        inquiry.run(call.inside(rest[0].text, rest[1:], remote=True))


def _script(text: str, call: Call, inquiry: Inquiry) -> None:
    _inside([Arg("sh"), Arg("-c"), Arg(text)], call, inquiry)


def _after(call: Call, mark: str = "--") -> list[Arg]:
    texts = [arg.text for arg in call.args]
    return list(call.args[texts.index(mark) + 1 :]) if mark in texts else []


def _judge_kubectl(call: Call, inquiry: Inquiry) -> None:
    inner = _after(call)
    before = call.args[: len(call.args) - len(inner) - 1] if inner else call.args
    whole, call.args = call.args, tuple(before)
    by_table(call, inquiry)
    call.args = whole
    options = parsed(before, KUBECTL_VALUES)
    verb = options.operands[0].text if options.operands else ""
    if (
        verb in {"get", "describe"}
        and _names_secrets(options.operands[1:])
        and (verb == "describe" or _shows_content(before))
    ):
        inquiry.add(HIGH, "reads", "secrets", "prints secrets of a cluster", "Prints secrets of a cluster", "",
                    (EXFILTRATION, NETWORK))  # fmt: skip
    _judge_rights(verb, before, inner, inquiry)
    if verb in {"scale", "autoscale"}:
        judge_size(call, inquiry)
    if verb in {"delete", "patch", "replace"} and any(
        arg.text.lower().startswith(GUARDING) for arg in options.operands[1:]
    ):
        inquiry.add(HIGH, "deletes", "cluster", "takes a protection of a cluster away",
                    "Takes a protection of a cluster away", "", (COMPLIANCE, SYSTEM, NETWORK))  # fmt: skip
    if verb == "replace" and options.has("--force"):
        inquiry.add(HIGH, "deletes", "cluster", "deletes things of a cluster to make them anew", "", "",
                    (DELETION, SYSTEM, NETWORK))  # fmt: skip
    if verb == "config" and options.has("--raw"):
        inquiry.add(HIGH, "reads", "kubeconfig", "prints keys of clusters", "Prints keys of clusters", "",
                    (EXFILTRATION,))  # fmt: skip
    if verb == "config" and options.has("--kubeconfig --minify") and len(options.operands) == 1:
        inquiry.add(LOW, "reads", "kubeconfig", "shows settings")
    if verb in {"debug", "run"} and any(
        "privileged" in arg.text
        or "hostPID" in arg.text
        or "hostPath" in arg.text
        or arg.text.startswith(("node/", "sysadmin"))
        for arg in before
    ):
        inquiry.add(HIGH, "privilege", "cluster", "a container with rights over its machine",
                    "Runs a container with all rights on its machine", "", (PRIVILEGE, SYSTEM, NETWORK))  # fmt: skip
    if verb in {"port-forward", "proxy"} and any("0.0.0.0" in arg.text for arg in before):
        inquiry.add(HIGH, "contacts", "cluster", "lets others through to a cluster", "Lets others connect to a cluster",
                    "", (NETWORK, EXFILTRATION))  # fmt: skip
    if verb == "cp" and len(options.operands) > 2:
        _kubectl_copy(options.operands[1:], call, inquiry)
    if not inner and verb == "exec":
        inner = list(parsed(call.args, KUBECTL_VALUES, stop_at_operand=False).operands[2:])
    if verb in {"exec", "debug", "run"}:
        _inside(inner, call, inquiry)
    private = private_input(call)
    if private is not None and verb in {"exec", "cp", "create", "apply", "run"}:
        inquiry.send(private, "the cluster")


def _judge_rights(verb: str, before: Sequence[Arg], inner: Sequence[Arg], inquiry: Inquiry) -> None:
    """Rules of the cluster, its administrators, and what programs in production were told."""
    if verb in RULING and holds_rules(before) and not any(arg.text.startswith("--dry-run") for arg in before):
        inquiry.add(HIGH, "privilege", "cluster", "changes the rules of a cluster", "Changes the rules of a cluster",
                    "They protect everything that runs there", (COMPLIANCE, SYSTEM, NETWORK))  # fmt: skip
    if verb == "exec" and _shows_environment(inner) and any("prod" in arg.text for arg in before):
        inquiry.add(HIGH, "reads", "environment", "prints what a program in production was told",
                    "Prints the environment of a program in production", "", (EXFILTRATION, NETWORK))  # fmt: skip
    if any(arg.text.startswith(("--as=system:", "--as-group=system:")) for arg in before) or "system:masters" in [
        arg.text for arg in before
    ]:
        inquiry.add(HIGH, "privilege", "cluster", "acts with the rights of an administrator of the cluster", "", "",
                    (PRIVILEGE, NETWORK))  # fmt: skip


def _shows_environment(inner: Sequence[Arg]) -> bool:
    return [arg.text for arg in inner] in (["env"], ["printenv"], ["sh", "-c", "env"], ["sh", "-c", "printenv"])


def _shows_content(args: Sequence[Arg]) -> bool:
    """Whether more than names and ages is asked for: `-o yaml`, `-o jsonpath={.data.password}`."""
    texts = [arg.text for arg in args]
    shapes = [texts[at + 1] for at in range(len(texts) - 1) if texts[at] in {"-o", "--output"}]
    shapes += [text.partition("=")[2] or text[2:] for text in texts if text.startswith(("-o", "--output="))]
    shapes = [shape for shape in shapes if shape not in {"", "utput"}]
    return bool(shapes) and not all(shape in {"name", "wide"} or ".metadata." in shape for shape in shapes)


def _names_secrets(operands: Sequence[Arg]) -> bool:
    return any(
        part.split("/", 1)[0].lower() in {"secret", "secrets"} for arg in operands for part in arg.text.split(",")
    )


def _kubectl_copy(operands: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    source, destination = operands[0], operands[1]
    if ":" in destination.text:
        inquiry.read(source, call, recursive=True)
        inquiry.add(HIGH, "writes", destination.text, "changes files in a container of a cluster",
                    f"Writes to {worded(destination.text)}", "", (SYSTEM, NETWORK))  # fmt: skip
        if call.outflow.get("secret"):
            inquiry.send(worded(source.text), "the cluster")
    else:
        inquiry.write(destination, call, verb="Downloads to")


def _judge_ansible(call: Call, inquiry: Inquiry) -> None:
    options = by_table(call, inquiry)
    if options is None:
        return
    module = options.value("-m --module-name")
    given = options.value("-a --args")
    name = module.text if module is not None else "command"
    if options.has("-C --check --list-hosts --version --help --syntax-check"):
        return
    if name in ANSIBLE_COMMANDS:
        if given is not None:
            _script(given.text, call, inquiry)
    elif name not in ANSIBLE_LOOKING:
        deletes = given is not None and any(mark in given.text for mark in ANSIBLE_DELETING)
        inquiry.add(HIGH, "deletes" if deletes else "contacts", name, "changes other machines",
                    f"Changes other machines with the module {worded(name)}", "",
                    (DELETION, SYSTEM, NETWORK) if deletes else (SYSTEM, NETWORK))  # fmt: skip
    if options.has("-b --become"):
        inquiry.add(HIGH, "privilege", "ansible", "with the rights of the administrator of other machines", "", "",
                    (PRIVILEGE, NETWORK))  # fmt: skip


def _judge_playbook(call: Call, inquiry: Inquiry) -> None:
    options = parsed(call.args, "-i --inventory -u -l -e -t")
    if options.has("--check -C --syntax-check --list-tasks --list-hosts --list-tags"):
        inquiry.add(MEDIUM, "contacts", "ansible-playbook", "only rehearses", "Rehearses a playbook", "", (NETWORK,))
        return
    by_table(call, inquiry)
    if options.has("-b --become -K"):
        inquiry.add(HIGH, "privilege", "ansible", "with the rights of the administrator of other machines", "", "",
                    (PRIVILEGE, NETWORK))  # fmt: skip


def _judge_scan(call: Call, inquiry: Inquiry) -> None:
    """`nmap localhost`: nobody else is bothered."""
    hosts = parsed(call.args, "-p -oN -oX -oA -oG --top-ports --script -T", clusters=False).operands
    if hosts and all(is_local(arg.text) for arg in hosts):
        inquiry.add(MEDIUM, "contacts", hosts[0].text, "looks which ports of this machine are open")
        return
    by_table(call, inquiry)


def _judge_many(call: Call, inquiry: Inquiry) -> None:
    """`pssh -h hosts -i CMD`, `pdsh -w a,b CMD`, `clush -a CMD`: the operands are a script for each machine."""
    options = by_table(call, inquiry)
    if options is None or options.has("--version --help"):
        return
    text = " ".join(arg.text for arg in options.operands)
    if text:
        _script(text, call, inquiry)
    inquiry.add(MEDIUM, "contacts", "?", "runs a command on several machines", "", "", (NETWORK,))


def _judge_salt(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    texts = [arg.text for arg in parsed(call.args, "-c -C -G -L -N -E -t -b --timeout").operands]
    for at, text in enumerate(texts):
        if text.startswith("cmd.") and at + 1 < len(texts):
            _script(texts[at + 1], call, inquiry)
        elif text.startswith("file.remove"):
            inquiry.add(HIGH, "deletes", " ".join(texts[at + 1 :]) or "?", "deletes on other machines",
                        "Deletes files of other machines", "", (DELETION, NETWORK))  # fmt: skip
        elif text.startswith(SALT_COMMANDS) and not text.startswith(
            ("test.", "cmd.", "state.show", "pkg.list", "file.read")
        ):
            inquiry.add(HIGH, "contacts", text, "changes other machines", f"Changes other machines with {worded(text)}",
                        "", (SYSTEM, NETWORK))  # fmt: skip


def _judge_shell_option(call: Call, inquiry: Inquiry) -> None:
    """`vagrant ssh -c CMD`, `fly ssh console -C CMD`, `gcloud compute ssh vm --command CMD`; or words behind `--`."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if not {"ssh", "exec", "shell", "run", "attach"} & set(texts):
        return
    options = parsed(call.args, "-c -C --command", clusters=False)
    given = options.value("-c -C --command")
    if given is not None:
        _script(given.text, call, inquiry)
        return
    inner = _after(call)
    if not inner and "exec" in texts:
        inner = list(call.args[texts.index("exec") + 2 :])
    _inside(inner, call, inquiry)


def _judge_namespace(call: Call, inquiry: Inquiry) -> None:
    """`flatpak-spawn --host CMD` leaves a sandbox: what runs, runs here."""
    by_table(call, inquiry)
    rest = [arg for arg in call.args if arg.text[:1] != "-"]
    if call.program in {"flatpak-spawn", "distrobox-host-exec"} and rest:
        inquiry.run(call.inside(rest[0].text, rest[1:]))


def _judge_ip(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if "netns" in texts and "exec" in texts:
        inner = call.args[texts.index("exec") + 2 :]
        inquiry.add(HIGH, "privilege", "network namespace", "runs in another network of this machine", "", "",
                    (PRIVILEGE,))  # fmt: skip
        if inner:
            inquiry.run(call.inside(inner[0].text, inner[1:]))


def _judge_resolver(call: Call, inquiry: Inquiry) -> None:
    """`resolvectl dns` and `resolvectl dns eth0` show; more words set."""
    words_given = [arg for arg in call.args if arg.text[:1] != "-"]
    if len(words_given) <= 2 and words_given and words_given[0].text in RESOLVER_SETTINGS:
        inquiry.add(LOW, "reads", "resolvectl", "shows a setting", "Shows how names are resolved")
        return
    by_table(call, inquiry)


def _judge_load(call: Call, inquiry: Inquiry) -> None:
    options = by_table(call, inquiry)
    if options is None or options.has("--help --version -V"):
        return
    hosts = [host_of(arg.text) for arg in options.operands if "://" in arg.text or "." in arg.text]
    for host in hosts[-1:]:
        if is_local(host):
            inquiry.contact(host, call)
        else:
            inquiry.add(HIGH, "contacts", host, "sends very many requests to another machine",
                        f"Sends very many requests to {worded(host)}", "It may stop answering others",
                        (EXHAUSTION, NETWORK))  # fmt: skip
    if not hosts and any(_is_loud(arg.text) for arg in call.args):
        inquiry.add(HIGH, "contacts", "?", "sends very many requests", "Sends very many requests", "",
                    (EXHAUSTION, NETWORK))  # fmt: skip
    count = options.value("-n")
    if count is not None and count.text.isdecimal() and int(count.text) >= LOUD_REQUESTS and hosts:
        inquiry.add(MEDIUM, "contacts", hosts[-1], "sends very many requests", "", "", (EXHAUSTION,))


def _is_loud(text: str) -> bool:
    """`-max-workers=5000`, `-rate=0` (as many as there can be)."""
    name, _, value = text.partition("=")
    name = name.lstrip("-")
    return (name == "rate" and value == "0") or (
        name in {"max-workers", "rate", "connections"} and is_many(value, 1000)
    )


def _judge_users(call: Call, inquiry: Inquiry) -> None:
    """`k6 run --vus 5000 x.js`, `locust -u 10000`, `iperf3 -P 64`: how many do at once what a script says."""
    by_table(call, inquiry)
    options = parsed(call.args, "--vus -u --users -r --duration -d -f -H --host -P --parallel -t --time -c -n -p "
                                "--target --rate --spawn-rate -m --max")  # fmt: skip
    host = options.value("-H --host --target")
    if call.program in {"iperf", "iperf3"}:
        host = options.value("-c")
    if host is not None and is_local(host_of(host.text)):
        return
    most = {"-P": MANY_STREAMS, "--parallel": MANY_STREAMS}
    for name, arg in options.values:
        if name in {"--vus", "-u", "--users", "-P", "--parallel", "--rate", "--max"} and is_many(
            arg.text, most.get(name, MANY_USERS)
        ):
            inquiry.add(HIGH, "contacts", "?", "sends very many requests to another machine",
                        "Sends very many requests at once", "It may stop answering others",
                        (EXHAUSTION, NETWORK))  # fmt: skip


def _judge_transfer(call: Call, inquiry: Inquiry) -> None:
    """ftp, sftp, lftp: their own language says whether they fetch, send or delete."""
    by_table(call, inquiry)
    options = parsed(call.args, "-e -c -b -i -P -o -u -p")
    host = next((host_of(arg.text) for arg in options.operands), "?")
    call.carry("network", host)
    given = [arg.text for name, arg in options.values if name in {"-e", "-c"}]
    feeder = call.feeder
    echoed = (
        " ".join(arg.text for arg in feeder.args) if feeder is not None and feeder.program in {"echo", "printf"} else ""
    )
    text = " ; ".join([*given, call.stdin_text or "", echoed])
    for line in text.replace("\\n", "\n").replace(";", "\n").split("\n"):
        _transfer_line(line.split(), host, call, inquiry)
    private = private_input(call)
    if private is not None:
        inquiry.send(private, host)
    if options.has("-b") or (call.program in {"sftp", "ftp"} and options.has("-b -N")):
        inquiry.doubt("its orders come from a file", target=call.program)


def _transfer_line(said: list[str], host: str, call: Call, inquiry: Inquiry) -> None:
    if not said:
        return
    verb, rest = said[0].lower(), [word for word in said[1:] if word[:1] != "-"]
    flags = {word for word in said[1:] if word[:1] == "-"}
    if verb in {"put", "mput", "send", "append", "reput"} or (
        verb == "mirror" and ({"-R", "--reverse"} & flags or any("R" in flag for flag in flags if flag[:2] != "--"))
    ):
        for word in rest[:1]:
            inquiry.read(Arg(word, raw=word), call, recursive=True)
        inquiry.send(worded(rest[0]) if rest else "files", host)
    if verb in {"rm", "mrm", "delete", "mdelete", "rmdir", "del"} or (verb == "mirror" and "--delete" in flags):
        inquiry.add(HIGH, "deletes", rest[0] if rest else "?", "deletes on the other machine",
                    f"Deletes files on {worded(host)}", "", (DELETION, NETWORK))  # fmt: skip
    if verb.startswith("!"):
        inquiry.run_script(" ".join(said)[1:], call)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "kubectl": _judge_kubectl,
    "ip": _judge_ip,
    "resolvectl": _judge_resolver,
    "nmap": _judge_scan,
    "ansible": _judge_ansible,
    "ansible-playbook": _judge_playbook,
    **dict.fromkeys(("pssh", "parallel-ssh", "pdsh", "clush", "dsh", "mussh"), _judge_many),
    **dict.fromkeys(("salt", "salt-ssh", "salt-call"), _judge_salt),
    **dict.fromkeys(("vagrant", "lxc", "incus", "multipass", "limactl", "colima", "docker-machine", "minikube",
                     "machinectl", "k3d", "crictl", "toolbox", "distrobox"), _judge_shell_option),
    **dict.fromkeys(("flatpak-spawn", "distrobox-host-exec"), _judge_namespace),
    **dict.fromkeys(("ab", "wrk", "wrk2", "hey", "bombardier", "oha", "autocannon", "siege", "h2load", "vegeta",
                     "plow", "httperf"), _judge_load),
    **dict.fromkeys(("k6", "locust", "artillery", "iperf", "iperf3", "ghz", "fortio"), _judge_users),
    **dict.fromkeys(("ftp", "lftp", "sftp", "ncftp", "tnftp", "smbclient", "cadaver"), _judge_transfer),
}  # fmt: skip
