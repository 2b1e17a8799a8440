"""What keeps watch, on this machine and in a cloud, and what it means to stop it.

Scanners, logs, audits, alarms and firewalls are stopped with the same words as any other service. What makes it
serious is their name, so this is a list of names and of words that stop something.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, HIGH, SYSTEM
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

# What keeps watch over an account of a cloud, and what it has written down.
ACCOUNT = words("""
    cloudtrail guardduty securityhub inspector macie audit flow-log configservice logging access-analyzer detector
    diagnostic-settings log-profiles sinks cloudwatch protection ruleset org-policies policy encryption versioning
    security log-group object-lock retention legal-hold public-access-block log-stream alarm alert monitor waf shield
    backup-vault recovery-point tde transparent-data threat-policy defender compliance delivery-channel
    trail config-rule conformance rotation
    """)
LOCKS = frozenset(words("lock locks hold"))
# What keeps watch over a machine, by its name or a part of it.
GUARDS = frozenset(
    words("""
    audit auditd auditbeat rsyslog rsyslogd syslog syslogd journald falco osquery osqueryd wazuh ossec crowdstrike
    falcon clamav clamd freshclam mdatp defender windefend sentinelone sentinelagent cbdaemon cbagentd carbonblack
    cylance cylancesvc datadog newrelic fluentd fluent filebeat packetbeat metricbeat splunk splunkd splunkforwarder
    nessus nessusd nessusagent qualys tripwire aide aidecheck samhain snort suricata zeek fail2ban sshguard crowdsec
    apparmor selinux firewalld nftables ufw node_exporter exporter alertmanager prometheus zabbix telegraf rkhunter
    chkrootkit kyverno gatekeeper tetragon tracee sysmon cloudwatch xagt taniumclient ds_agent esets sophos sav
    opensnitch littlesnitch psacct acct sysstat process-accounting td-agent cbosd usbguard arpwatch logwatch vector
    promtail loki nrpe nagios icinga2 sensu munin netdata aws-guardduty trivy
    sentinel cbagent snoopy fluent-bit datadog-agent elastic-agent iptables santa traps_pmd
    """)
)
# Programs of them, where an order to stop is an argument.
OWN_PROGRAMS = frozenset(
    words("""
    datadog-agent wazuh-control ossec-control falconctl sentinelctl mdatp osqueryctl clamav-daemon freshclam splunk
    nessuscli amazon-cloudwatch-agent-ctl filebeat auditbeat suricata suricatasc zeekctl fail2ban-client fail2ban-server
    cscli aide tripwire newrelic-infra zabbix_agentd telegraf td-agent rsyslogd auditd accton qualys-cloud-agent.sh
    netdatacli monit
    """)
)
SWITCHERS = frozenset(words("helm terraform tofu terragrunt kubectl oc gcloud az aws pulumi helmfile doctl oci"))
SWITCHED_OFF = ("=false", "=none", "=off", "=disabled", "=0", "=null", "=tls1_0", "=tls1_1", "=tls1.0")
SWITCHED = ("audit", "trail", "log", "encrypt", "protection", "guard", "monitor", "alert", "tls", "ssl", "https",
            "security", "policy", "policies", "versioning", "backup", "mfa", "waf", "firewall", "verify", "retention",
            "immutab")  # fmt: skip
STOPPING = frozenset(
    words("""
    stop disable mask kill remove purge uninstall delete rm unload bootout down off autoremove erase -R -Rns -e -r
    -k -X none stop-service del terminate suspend pause scale shutdown disabled --disable --stop
    """)
)
# They stop, remove or switch off what they are told the name of.
STOPPERS = frozenset(
    words("""
    systemctl service rc-service rc-update launchctl supervisorctl initctl sv chkconfig update-rc.d invoke-rc.d sc net
    apt apt-get dpkg aptitude yum dnf rpm zypper pacman apk brew snap helm kubectl oc monit svcadm
    """)
)
ENDERS = frozenset(words("kill pkill killall killall5 skill"))  # stop without a word that says so


# In requests to a service, by a part of an address or of the data.
REQUESTED = ("protection", "audit", "ruleset", "securit", "policies", "compliance", "retention", "required_status",
             "only_allow_merge", "approval_rule", "enforce_admins", "vulnerability", "secret_scanning", "alert",
             "monitor", "silence")  # fmt: skip
# What a cluster holds its users to, by a part of a word of an order.
CLUSTER = ("networkpolic", "netpol", "pod-security", "podsecurity", "webhookconfiguration", "clusterpolic",
           "authorizationpolic", "peerauthentication", "resourcequota", "limitrange", "auditpolic", "ciliumnetwork",
           "prometheusrule", "servicemonitor", "constraint", "falco", "kyverno", "gatekeeper", "psp")  # fmt: skip


def holds_rules(args: Sequence[Arg]) -> bool:
    """Whether an order to a cluster is about the rules it holds its users to."""
    text = " ".join([arg.text for arg in args]).lower()
    return any(mark in text for mark in CLUSTER)


def keeps_watch(path: Sequence[str]) -> bool:
    """Whether words of an order to a cloud name what watches over an account."""
    return any(word in LOCKS or any(mark in word for mark in ACCOUNT) for word in path)


def is_told_to_watch(call: Call) -> bool:
    """Whether the address or the data of a request name what watches over an account or a project."""
    return any(mark in arg.text.lower() for arg in call.args for mark in REQUESTED)


def judge_guards(call: Call, inquiry: Inquiry) -> None:
    """One finding for a call that stops what keeps watch over a machine."""
    program = call.program
    own = program in OWN_PROGRAMS
    if not (own or program in STOPPERS or program in ENDERS):
        return
    texts = [arg.text.lower() for arg in call.args]
    if program not in ENDERS and STOPPING.isdisjoint(texts):
        return
    named = program if own else next((text for text in texts if _is_guard(text)), None)
    if named is not None:
        inquiry.add(HIGH, "privilege", named, "stops what keeps watch over a machine", f"Stops {worded(named)}",
                    "Nobody hears of what happens from here on", (SYSTEM, COMPLIANCE))  # fmt: skip


def judge_switch(call: Call, inquiry: Inquiry) -> None:
    """`-var enable_cloudtrail=false`, `--no-enable-flow-logs`: a protection that an option switches off."""
    if call.program not in SWITCHERS:
        return
    before = ""
    for arg in call.args:
        text = arg.text.lower()
        text, before = (f"{before}={text}" if before[:2] == "--" and "=" not in before else text), text
        if not (text.endswith(SWITCHED_OFF) or text.startswith(("--no-", "--disable"))):
            continue
        named = text if any(mark in text for mark in SWITCHED) else ""
        if not named and any(_is_guard(each.text.lower()) for each in call.args):
            named = text
        if named:
            inquiry.add(HIGH, "privilege", named, "switches off what keeps watch", f"Sets {worded(named)}", "",
                        (COMPLIANCE, SYSTEM))  # fmt: skip
            return


def _is_guard(name: str) -> bool:
    """`falco`, `daemonset/falco`, `auditd.service`, `com.crowdstrike.falcon.Agent`, `prometheus-node-exporter`."""
    if name in GUARDS:
        return True
    parts = "".join([" " if letter in "/.:-@" else letter for letter in name]).split()
    return not GUARDS.isdisjoint(parts)
