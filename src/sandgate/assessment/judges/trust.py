"""What switches off a protection without being a program of its own: variables, options and settings.

A connection whose other end is not checked can be answered by anybody, and a history that is not kept is what somebody
wants who has something to hide. Names and values are those of the programs' manuals.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.inline import host_of
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.watching import GUARDS
from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

GUARDS_MIN = 5  # characters of a name that counts as a part of a longer one
_LONG_GUARDS = tuple([mark for mark in GUARDS if len(mark) >= GUARDS_MIN])
OFF = frozenset(words("0 false no off"))
ON = frozenset(words("1 true yes on"))
# Set to one of `OFF`, or to one of `ON`, they switch the check off.
CHECKS = frozenset(
    words("""
    NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY NPM_CONFIG_STRICT_SSL npm_config_strict_ssl YARN_STRICT_SSL
    CONDA_SSL_VERIFY BUNDLE_SSL_VERIFY_MODE AWS_VERIFY_SSL
    YARN_ENABLE_STRICT_SSL
    """)
)
WAIVERS = frozenset(
    words("""
    GIT_SSL_NO_VERIFY VAULT_SKIP_VERIFY HELM_KUBEINSECURESKIPTLSVERIFY CONSUL_HTTP_SSL_NO_VERIFY NOMAD_SKIP_VERIFY
    SKIP_TLS_VERIFY ARGOCD_INSECURE
    """)
)
# With any value, or with this one, they let go of the check of what was fetched.
LOOSE = {"GOSUMDB": "off", "GOFLAGS": "-insecure", "GONOSUMDB": "*", "GONOSUMCHECK": "", "GOINSECURE": "",
         "PIP_TRUSTED_HOST": "", "UV_INSECURE_HOST": ""}  # fmt: skip
# They say where packages come from.
SOURCES = frozenset(
    words("""
    PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL NPM_CONFIG_REGISTRY
    npm_config_registry YARN_REGISTRY YARN_NPM_REGISTRY_SERVER GOPROXY BUNDLE_MIRROR__ALL
    """)
)
# They keep the hooks of a repository from running: when set to one of `OFF`, of `ON`, or to the names of hooks.
HOOKS_OFF = frozenset(words("HUSKY LEFTHOOK"))
HOOKS_SKIPPED = frozenset(words("HUSKY_SKIP_HOOKS OVERCOMMIT_DISABLE PRE_COMMIT_SKIP"))
HOOK_NAMES = frozenset(words("SKIP LEFTHOOK_EXCLUDE SKIP_HOOKS"))
SCANNERS = (
    "secret",
    "leak",
    "trufflehog",
    "talisman",
    "security",
    "bandit",
    "semgrep",
    "audit",
    "private-key",
    "licen",
)
HISTORIES = frozenset(words("HISTFILE HISTSIZE HISTFILESIZE SAVEHIST"))
NOWHERE = frozenset(("", "/dev/null", "0"))
# Options of any program that fetch from whom nobody checked; the value, where one is needed, is one of `OFF`.
OPTIONS = frozenset(words("--strict-ssl=false --no-strict-ssl --config.strict-ssl=false --no-verify-ssl"))
FETCHING = frozenset(words("install i add ci update upgrade get require clone fetch pull push exec dlx"))


def judge_protection(name: str, values: Sequence[Arg], inquiry: Inquiry) -> None:
    """One finding for a variable that switches off a check, or that ends a shell's history."""
    text = values[0].text if values else ""
    if (
        (name in CHECKS and text.lower() in OFF)
        or (name in WAIVERS and text.lower() in ON)
        or (name in LOOSE and text and LOOSE[name] in text)
        or (name in SOURCES and (text.startswith("http://") and not is_local(host_of(text))))
    ):
        _unchecked(name, inquiry)
    elif name in HOOK_NAMES and any(scanner in text.lower() for scanner in SCANNERS):
        inquiry.add(HIGH, "runs", name, "leaves out the search for secrets or holes",
                    "Leaves out the checks that look for secrets or holes", "", (COMPLIANCE,))  # fmt: skip
    elif (name in HOOKS_OFF and text in OFF) or (name in HOOKS_SKIPPED and text in ON):
        inquiry.add(MEDIUM, "runs", name, "leaves out the checks of this repository",
                    "Leaves out the checks of this repository", "", (COMPLIANCE,))  # fmt: skip
    elif (name in HISTORIES and text in NOWHERE) or (name == "HISTIGNORE" and text == "*"):
        no_history(name, inquiry)


def no_history(target: str, inquiry: Inquiry) -> None:
    """Note that what is typed from here on leaves no trace."""
    inquiry.add(HIGH, "writes", target, "keeps no history of what is run", "Stops the shell from keeping its history",
                "Nobody can see afterwards what was run", (COMPLIANCE,))  # fmt: skip


def judge_watched(call: Call, inquiry: Inquiry, since: int) -> None:
    """What was found bad about `call` is worse when it concerns what keeps watch; `since`: findings before it."""
    worst = [found for found in inquiry.findings[since:] if found.level == HIGH and found.kind != "reads"]
    if not any(SYSTEM in found.categories or DELETION in found.categories for found in worst):
        return
    texts = [arg.text.lower() for arg in call.args]
    said = "\n".join(texts)
    if any(mark in said for mark in _LONG_GUARDS) or any(_last_name(text) in GUARDS for text in texts):
        inquiry.note(worst[0].but(why="concerns what keeps watch over this machine", categories=(COMPLIANCE,)))


def _last_name(text: str) -> str:
    return text.rsplit("/", 1)[-1].removesuffix(".service").removesuffix(".plist")


def judge_unchecked_options(call: Call, inquiry: Inquiry) -> None:
    """One finding for a package manager that is told to fetch without a look at whom it fetches from."""
    texts = [arg.text.lower() for arg in call.args]
    if FETCHING.isdisjoint(texts):
        return
    if any(text in OPTIONS for text in texts) or any(
        texts[at] == "--strict-ssl" and texts[at + 1] in OFF for at in range(len(texts) - 1)
    ):
        _unchecked(call.program, inquiry)


def judge_git_setting(key: str, value: str, inquiry: Inquiry) -> None:
    """`git -c http.sslVerify=false …`."""
    if key.lower().startswith("http.") and key.lower().endswith("sslverify") and value.lower() in OFF:
        _unchecked(key, inquiry)


def _unchecked(target: str, inquiry: Inquiry) -> None:
    inquiry.add(HIGH, "contacts", target, "no longer checks whom it talks to",
                "Talks to servers without checking who they are", "Anybody on the way can answer instead",
                (SYSTEM, COMPLIANCE, NETWORK))  # fmt: skip
