"""What a request asks a service to do: to delete, to change something with somebody's key, to stop keeping watch.

The method says part of it; the rest stands in the address and in the data, in words most services share.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.watching import is_told_to_watch
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.options import Parsed

DATA_OPTIONS = frozenset({"-d", "--data", "--data-binary", "--data-raw", "--data-ascii", "--data-urlencode", "--json"})
FORM_OPTIONS = frozenset({"-F", "--form"})
CREDENTIAL_OPTIONS = frozenset({"-H", "--header", "-u", "--user", "--oauth2-bearer", "-b", "--cookie", "-E",
                                "--cert", "--key",
                                "--proxy-user", "-U", "--pass", "--password", "--http-password"})  # fmt: skip
# Elasticsearch, CouchDB, InfluxDB, Qdrant, etcd, Consul, ClickHouse, Neo4j: what is deleted there is data.
STORE_PORTS = frozenset({"9200", "5984", "8086", "6333", "2379", "8500", "8123", "7474"})
STOPPING = frozenset(
    words("reboot shutdown restart poweroff stop quit safe-restart safe-shutdown factory-reset halt kill")
)
DELETING_WORDS = frozenset(words("delete destroy purge drop truncate wipe erase terminate flushall deletedb"))


def posts(options: Parsed) -> bool:
    """Whether a request has a body."""
    return any(name in DATA_OPTIONS | FORM_OPTIONS for name, _ in options.values)


def orders_deletion(url: str, options: Parsed) -> bool:
    """`POST /api/v1/admin/tsdb/delete_series`: an address that is an order."""
    if "_delete_by_query" in url:
        return True
    if not (posts(options) or options.has("-X --request")):
        return False
    path = url.partition("://")[2].partition("/")[2].partition("?")[0].lower()
    return not DELETING_WORDS.isdisjoint("".join([each if each.isalnum() else " " for each in path]).split())


def _stops(url: str) -> bool:
    """`POST /api/reboot`, `POST /-/quit`."""
    return url.partition("?")[0].rstrip("/").rpartition("/")[2].lower().replace("_", "-") in STOPPING


def asks_to_delete(host: str, inquiry: Inquiry) -> None:
    """A service of this machine is most often the one that is being developed, unless it is a store of data."""
    if is_local(host) and host.rpartition(":")[2] not in STORE_PORTS:
        inquiry.add(MEDIUM, "deletes", host, "asks a service of this machine to delete",
                    f"Deletes something at {worded(host)}", "", (DELETION,))  # fmt: skip
        return
    inquiry.add(HIGH, "deletes", host, "asks a service to delete", f"Deletes something at {worded(host)}", "",
                (DELETION, NETWORK))  # fmt: skip


def judge_change(options: Parsed, host: str, call: Call, inquiry: Inquiry) -> None:
    """`curl -X PUT` with somebody's key to another machine: what is there is another from then on."""
    method = options.value("-X --request --method")
    asked = method.text.upper() if method is not None else ""
    if is_local(host):
        return
    if any("/silences" in arg.text or "/mute" in arg.text for arg in options.operands) and posts(options):
        inquiry.add(HIGH, "contacts", host, "silences what keeps watch", "Silences alerts", "",
                    (COMPLIANCE, SYSTEM, NETWORK))  # fmt: skip
    if (posts(options) or asked == "POST") and any(_stops(arg.text) for arg in options.operands):
        inquiry.add(HIGH, "contacts", host, "stops or restarts a service", f"Stops or restarts {worded(host)}", "",
                    (SYSTEM, NETWORK))  # fmt: skip
    if asked not in {"PUT", "PATCH", "DELETE"}:
        return
    if asked != "DELETE" and any(name in CREDENTIAL_OPTIONS and _is_key(arg.text) for name, arg in options.values):
        inquiry.add(HIGH, "contacts", host, "changes a service with a key", f"Changes something at {worded(host)}", "",
                    (SYSTEM, NETWORK))  # fmt: skip
    if is_told_to_watch(call):
        inquiry.add(HIGH, "contacts", host, "changes what keeps watch over a service", "", "",
                    (COMPLIANCE, SYSTEM, NETWORK))  # fmt: skip


def _is_key(text: str) -> bool:
    """`Authorization: …`, `PRIVATE-TOKEN: …`, `user:password`; `Content-Type: …` is none."""
    name = text.partition(":")[0].lower()
    return any(mark in name for mark in ("auth", "token", "key", "secret", "cookie")) or " " not in text
