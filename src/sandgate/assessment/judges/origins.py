"""Where packages come from: `pip install https://host/x.tar.gz`, `npm config set registry http://host/`.

Installing runs what was fetched, so an address that is no known registry or code host is as good as downloading a
program and starting it, and an unencrypted one lets everybody on the way decide what runs.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, HIGH, NETWORK, SYSTEM
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry

MANAGERS = frozenset(
    words("""
    pip pipx uv poetry pdm conda mamba micromamba npm yarn pnpm bun gem bundle cargo composer luarocks cpanm
    easy_install dotnet nuget opam deno pipenv rye pixi corepack brew
    """)
)
# Projects and companies that many people fetch code from, by the end of their names; their subdomains count as well.
KNOWN_SOURCES = {
    "com": frozenset(words("""
        github githubusercontent npmjs yarnpkg npmmirror anaconda nvidia microsoft googlesource gitlab bitbucket
    """)),
    "org": frozenset(words("""
        pypi python pythonhosted pytorch npmjs codeberg rubygems rust-lang packagist anaconda nuget haskell luarocks
        cpan golang apache gnu kernel
    """)),
    "io": frozenset(words("crates jsr")),
    "net": frozenset(words("jsdelivr")),
    "co": frozenset(words("huggingface")),
    "land": frozenset(words("deno")),
    "ht": frozenset(words("sr")),
}  # fmt: skip
_TAKING = frozenset(
    words("install i tap enable add require get config set sources source exec tool global download create")
)
_UNCHECKED = frozenset(words("strict-ssl strict_ssl strictssl enablestrictssl http.sslverify secure-http"))
_OFF = frozenset(words("false 0 off no"))
_GLOBAL = frozenset(words("-g --global --location=global --site --system"))
_TRUSTED = frozenset(words("cafile ca https-proxy proxy httpsproxy httpproxy script-shell node-options global.cert"))
_CHECKING = frozenset(words("audit ignore-scripts engine-strict package-lock enable-scripts audit-level"))


def judge_origins(call: Call, inquiry: Inquiry) -> None:
    """One finding for a package manager that is told to take packages from a place nobody knows."""
    texts = [arg.text for arg in call.args]
    if not _TAKING & set(texts[:4]):
        return
    for name, arg in parsed(call.args, "-t --target --prefix --root --install-directory --bin-dir").values:
        named = name in {"--install-directory", "--bin-dir"}
        if named or (name in {"-t", "--target", "--prefix", "--root"} and call.program in {"pip", "uv", "npm"}):
            inquiry.write(arg, call, verb="Installs below")
    if "config" in texts[:1] and {"set", "edit", "delete", "--unset"} & set(texts[:3]):
        _judge_settings(texts, call, inquiry)
    for text in texts:
        fetched = inquiry.downloads.get(call.shell.resolve(text) or "")
        if fetched is not None:
            inquiry.add(HIGH, "runs", fetched, "installs what it downloads",
                        f"Installs what it got from {worded(fetched)}", "It can do anything you can do",
                        (NETWORK, SYSTEM))  # fmt: skip
            return
        address = _address(text)
        if not address:
            continue
        host = host_of(address)
        plain = address.startswith("http://")
        if is_local(host) or (not plain and is_known_host(host)):
            continue
        inquiry.add(HIGH, "contacts", host, "takes packages from an address that is no known registry",
                    f"Takes packages from {worded(host)}", "What is installed can do anything you can do",
                    (NETWORK, SYSTEM))  # fmt: skip
        return
    if any(name.lower() in _UNCHECKED and value in _OFF for name, value in _settings(texts)):
        inquiry.add(HIGH, "writes", call.program, "no longer checks whom it fetches packages from",
                    "Switches off the check of whom packages come from", "", (SYSTEM, COMPLIANCE))  # fmt: skip


def _judge_settings(texts: list[str], call: Call, inquiry: Inquiry) -> None:
    """`npm config set audit false -g`, `npm config set proxy …`: what holds for every project from now on."""
    settings = _settings(texts)
    checks = any(name.lower() in _CHECKING and value in _OFF for name, value in settings)
    if not _GLOBAL.isdisjoint(texts) or any(name.lower() in _TRUSTED for name, _ in settings):
        inquiry.add(HIGH, "writes", call.program, "changes settings for all projects",
                    f"Changes settings of {worded(call.program)} for all projects", "",
                    (SYSTEM, COMPLIANCE) if checks else (SYSTEM,))  # fmt: skip


def _address(text: str) -> str:
    """The URL in one argument: `git+https://…`, `--index-url=https://…`, `name @ https://…`."""
    for scheme in ("http://", "https://"):
        before, found, rest = text.partition(scheme)
        if found and (not before or before.endswith(("git+", "hg+", "=", "@ ", "@", "svn+"))):
            return found + rest
    return ""


def is_known_host(host: str) -> bool:
    """Whether `host` is a registry or a code host that many people fetch from."""
    labels = host.partition(":")[0].lower().split(".")
    return len(labels) > 1 and labels[-2] in KNOWN_SOURCES.get(labels[-1], ())


def _settings(texts: list[str]) -> list[tuple[str, str]]:
    """`key value` and `key=value`."""
    assigned = [(text.partition("=")[0], text.partition("=")[2]) for text in texts]
    return assigned + [(texts[at], texts[at + 1]) for at in range(len(texts) - 1)]
