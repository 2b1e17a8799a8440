"""Services, schedules, logs, sessions: what runs on this machine without anybody watching."""

from __future__ import annotations

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
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking

STOPS = "Programs that depend on it stop working"

ENTRIES: tuple[Entry, ...] = (
    *acting("Controls services", "systemctl", SYSTEM, harmless="--failed", bare=True,
            values="-t -p -n -o -H -M --type --state --property --lines --output --root --signal --kill-whom"),
    *acting("Stops or restarts this machine", """
        systemctl reboot, systemctl poweroff, systemctl halt, systemctl suspend, systemctl hibernate, systemctl
        kexec, systemctl hybrid-sleep, systemctl rescue, systemctl emergency, systemctl isolate, systemctl
        soft-reboot
        """, SYSTEM, EXHAUSTION),
    *looking("Shows services", """
        systemctl status, systemctl show, systemctl cat, systemctl help, systemctl list-units, systemctl
        list-unit-files, systemctl list-timers, systemctl list-sockets, systemctl list-jobs, systemctl
        list-dependencies, systemctl list-machines, systemctl list-paths, systemctl list-automounts, systemctl
        is-active, systemctl is-enabled, systemctl is-failed, systemctl is-system-running, systemctl get-default,
        systemctl show-environment
        """, values="-t -p -n -o --type --state --property --lines --output"),
    *acting("Switches on diagnostics of the service manager",
            "systemd-analyze set-log-level, systemd-analyze log-level, systemd-analyze log-target", SYSTEM),
    *looking("Shows how services behave", """
        systemd-analyze, systemd-cgls, systemd-cgtop, systemd-detect-virt, systemd-path, systemd-escape,
        systemd-id128, systemd-delta, rc-status, runlevel
        """),
    *acting("Changes files of the system", """
        systemd-sysusers, systemd-machine-id-setup, systemd-hwdb, systemd-firstboot,
        systemd-creds, systemd-cryptenroll, systemd-nspawn, systemd-repart, systemd-sysext, portablectl, homectl,
        userdbctl
        """,
            SYSTEM, harmless="--cat-config list inspect"),
    *acting("Writes to the system log", "systemd-cat", level=MEDIUM, kind="writes"),
    Entry("logger", MEDIUM, "Writes to the system log", ("logger x", "logger -n logs.example x => high"), kind="writes",
          values="-n -P -t -p -f -u --server --port --tag --priority --file", harmless="--help --version",
          worse=(Worse("-n --server", HIGH, "Sends a message to another machine's log", (EXFILTRATION, NETWORK)),)),
    Entry("systemd-tmpfiles", HIGH, "Changes files of the system", ("systemd-tmpfiles --create",
          "systemd-tmpfiles --remove", "systemd-tmpfiles --cat-config => low"), kind="privilege", categories=(SYSTEM,),
          harmless="--cat-config --tldr --help --version --dry-run",
          worse=(Worse("--remove --clean --purge", HIGH, "Deletes files of the system", (DELETION,)),)),
    *acting("Controls sessions", "loginctl", SYSTEM, bare=True),
    *looking("Shows sessions", """
        loginctl list-sessions, loginctl list-users, loginctl list-seats, loginctl show-session, loginctl
        show-user, loginctl show-seat, loginctl session-status, loginctl user-status, loginctl seat-status
        """),
    *acting("Changes the name of this machine", "hostnamectl", SYSTEM, bare=True),
    *looking("Shows the name of this machine", "hostnamectl status"),
    *acting("Changes the clock", "timedatectl", SYSTEM, COMPLIANCE, bare=True),
    *looking("Shows the clock", """
        timedatectl status, timedatectl show, timedatectl list-timezones, timedatectl timesync-status,
        timedatectl show-timesync
        """),
    *acting("Changes the region", "localectl", SYSTEM, bare=True),
    *looking("Shows the region", """
        localectl status, localectl list-locales, localectl list-keymaps, localectl list-x11-keymap-layouts
        """),
    *acting("Sends an order to a service", "busctl", SYSTEM, PRIVILEGE, bare=True, values="--address"),
    *looking("Shows services on the bus", """
        busctl list, busctl status, busctl tree, busctl introspect, busctl get-property, busctl monitor, busctl
        capture
        """),
    *looking("Shows crashes", "coredumpctl, coredumpctl list, coredumpctl info"),
    *acting("Opens the memory of a crashed program", "coredumpctl debug, coredumpctl gdb, coredumpctl dump",
            level=MEDIUM, kind="reads"),
    *acting("Changes how this machine finds others", "networkctl", SYSTEM, bare=True),
    *looking("Shows networks", "networkctl list, networkctl status, networkctl lldp"),
    *acting("Controls services", """
        service, rc-service, rc-update, supervisorctl, launchctl, invoke-rc.d, update-rc.d, chkconfig, insserv,
        sv, sv-enable, s6-svc, s6-rc, runit, initctl, start-stop-daemon, svcadm, monit, dinitctl,
        a2ensite, a2dissite, a2enmod, a2dismod, pg_ctlcluster, rabbitmqctl, postsuper,
        postfix, pm2 startup, pm2 unstartup, ntpd, cupsenable, cupsdisable, cupsaccept, cupsreject, cupsctl,
        lpadmin, openrc, telinit, s6-svscanctl, nssm, sc
        """, SYSTEM, consequence=STOPS, harmless="--status-all --list"),
    *acting("Controls a web server", "nginx, apachectl, apache2ctl, httpd, caddy, haproxy, lighttpd", SYSTEM,
            consequence=STOPS, harmless="-t -v -V -T"),
    *looking("Shows services", """
        supervisorctl status, supervisorctl tail, supervisorctl pid, supervisorctl avail, launchctl list,
        launchctl print, launchctl print-disabled, launchctl blame, rc-update show, sv status, s6-svstat, initctl
        list, initctl status, monit status, monit summary, monit report, dinitctl list, rabbitmqctl status,
        rabbitmqctl list_users, postfix check, pm2 list, pm2 ls, pm2 status, pm2 logs,
        pm2 show, pm2 describe, pm2 info, pm2 env, pm2 jlist, pm2 prettylist, pg_lsclusters, svcs, postqueue,
        mailq, apachectl status, apachectl configtest, apache2ctl configtest, apachectl fullstatus, supervisorctl
        version
        """),
    *acting("Controls this project's processes", """
        pm2, forever, foreman, overmind, hivemind, honcho, goreman, process-compose, supervisord, nodemon
        """, level=MEDIUM, kind="runs"),
    *acting("Deletes queued mail", "", DELETION, kind="deletes"),
    # Schedules
    Entry("crontab", LOW, "Shows your scheduled commands", ("crontab -l", "crontab -r => high",
          "crontab a => high"),
          kind="writes", values="-u",
          worse=(Worse("-r", HIGH, "Deletes your scheduled commands", (DELETION, SYSTEM)),
                 Worse("-e", HIGH, "Changes your scheduled commands", (SYSTEM,)))),
    *acting("Schedules a command for later", "at, batch", SYSTEM, values="-f -q -t", harmless="-l -c -V"),
    *acting("Deletes scheduled commands", "atrm", SYSTEM, DELETION),
    *acting("Runs scheduled commands", "anacron, run-parts, cron, crond, fcron", SYSTEM, harmless="--test --list -T"),
    *acting("Changes scheduled commands", "fcrontab, incrontab", SYSTEM, harmless="-l"),
    *looking("Shows scheduled commands", "atq"),
    # Logs
    Entry("journalctl", LOW, "Reads the system log", ("journalctl -n 20", "journalctl --vacuum-size=1M => high"),
          kind="reads", values="-n -u -p -t -g -o -S -U -D -b --since --until --unit --priority --output --lines",
          worse=(Worse("--vacuum-size --vacuum-time --vacuum-files --rotate", HIGH, "Deletes system logs",
                       (DELETION, COMPLIANCE)),
                 Worse("--flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog", MEDIUM,
                       "Changes the system log", (SYSTEM,)))),
    Entry("dmesg", LOW, "Reads the kernel log", ("dmesg", "dmesg -C => high"), kind="reads",
          values="-l -f -F -n -s",
          worse=(Worse("-C -c --clear --read-clear", HIGH, "Clears the kernel log", (DELETION, COMPLIANCE)),
                 Worse("-D -E -n --console-off --console-on --console-level", HIGH, "Changes the kernel log",
                         (SYSTEM,)))),
    *acting("Replaces or deletes old logs", "logrotate, savelog, rsyslogd, syslog-ng-ctl", SYSTEM, DELETION,
            harmless="-d --debug -N1"),
    *looking("Reads logs of the audit", """
        ausearch, aureport, aulast, ausyscall, lnav, multitail, ccze, goaccess, logcheck, last, lastb, lslogins
        """),
    Entry("lastlog", LOW, "Shows who was here", ("lastlog", "lastlog -C -u me => high"), kind="reads",
          values="-b -t -u",
          worse=(Worse("-C -S --clear --set", HIGH, "Changes the record of who was here", (SYSTEM, COMPLIANCE)),)),
    Entry("utmpdump", LOW, "Shows who was here", ("utmpdump a", "utmpdump -r => high"), values="-o", kind="reads",
          worse=(Worse("-r --reverse", HIGH, "Makes a record of who was here", (SYSTEM, COMPLIANCE)),)),
    Entry("wevtutil", LOW, "Shows logs of the system", ("wevtutil el", "wevtutil cl Security => high"), kind="reads",
          worse=(Worse("", HIGH, "Deletes logs of the system", (DELETION, COMPLIANCE), operands="cl clear-log"),)),
    *acting("Hides when a file was changed", "timestomp", SYSTEM, COMPLIANCE),
)  # fmt: skip
