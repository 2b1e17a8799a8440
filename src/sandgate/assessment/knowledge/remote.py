"""Tools that reach many machines or strangers: remote shells, tunnels, scanners, load, mail, queues, secrets, names."""

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
from sandgate.assessment.listing import phrases, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel

ASKING = "--help --version"


def _each(
    level: RiskLevel, kind: FactKind, does: str, categories: tuple[RiskCategory, ...], names: str, consequence: str = ""
) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, level, does, (f"{name} x",), kind=kind, categories=categories, consequence=consequence,
              harmless=ASKING)
        for name in phrases(names)
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_each(HIGH, "contacts", "Attacks or scans other machines", (NETWORK, COMPLIANCE), """
    nmap, zmap, rustscan, unicornscan, nikto, sqlmap, hydra, medusa, ncrack, patator, wfuzz, ffuf, gobuster, dirb,
    dirbuster, feroxbuster, dirsearch, nuclei, wpscan, msfconsole, msfvenom, msfdb, setoolkit, crackmapexec, cme,
    netexec, nxc, responder, gs-netcat, gsocket, pwncat-cs, hoaxshell, icmpsh, impacket-secretsdump, secretsdump.py,
    psexec.py, wmiexec.py, smbexec.py, GetUserSPNs.py, evil-winrm, enum4linux, kerbrute, bloodhound-python,
    ntlmrelayx.py, slowloris, commix, dalfox, xsstrike, amass, subfinder, sublist3r, theHarvester, dnsrecon,
    dnsenum, fierce, masscan, netdiscover, arp-scan, nbtscan, onesixtyone, snmp-check, linpeas.sh, chisel, ligolo,
    sliver, merlin, pupy, weevely
    """),
    *_each(HIGH, "reads", "Listens to or changes the traffic of others", (EXFILTRATION, NETWORK, PRIVILEGE), """
    ettercap, bettercap, arpspoof, dsniff, mitmproxy, mitmdump, mitmweb, sslstrip, airodump-ng, aireplay-ng,
    aircrack-ng, airmon-ng, kismet, ngrep, tcpflow, dumpcap, driftnet, termshark, wireshark, tcpreplay, dnschef,
    dnsspoof, yersinia
    """),
    *_each(HIGH, "contacts", "Floods or probes other machines", (NETWORK, COMPLIANCE, EXHAUSTION),
           "hping3, hping, slowloris, zmap, masscan, nping, scapy"),
    *_each(HIGH, "deletes", "Deletes data of a message broker", (DELETION, NETWORK),
           "kafka-delete-records, kafka-delete-records.sh, kafka-streams-application-reset.sh"),
    *_each(HIGH, "contacts", "Opens a bare connection from a shell", (NETWORK, EXFILTRATION, PRIVILEGE), "ztcp"),
    Entry("fetch", MEDIUM, "Downloads", ("fetch https://example.com/a",), kind="contacts", categories=(NETWORK,)),
    Entry("gh auth status", MEDIUM, "Asks a code host who you are", ("gh auth status", "gh auth status -t => high"),
          kind="contacts", categories=(NETWORK,),
          worse=(Worse("-t --show-token", HIGH, "Prints your access token", (EXFILTRATION, NETWORK)),)),
    *_each(HIGH, "reads", "Breaks passwords", (EXFILTRATION, COMPLIANCE),
           "john, hashcat, ophcrack, cewl, fcrackzip, pdfcrack, crunch, hashid, rainbowcrack, mimipenguin"),
    *_each(HIGH, "contacts", "Opens this machine to the internet", (NETWORK, EXFILTRATION), """
    ngrok, cloudflared, localtunnel, lt, bore, frpc, frps, rathole, gost, sshuttle, zrok, telebit, pagekite,
    pagekite.py, loophole, expose, tunnelmole, tmole, inlets, inletsctl, playit, serveo, localxpose, loclx, pinggy,
    devtunnel, code tunnel, tailscale funnel, tailscale serve, tmate, gotty, ttyd, teleconsole, sshx, upterm, wstunnel,
    iodine, dns2tcp, dnscat, dnscat2, ptunnel, udp2raw, revsocks, onionshare, onionshare-cli, tor, vncserver, x11vnc
    """),
    *_each(HIGH, "contacts", "Sends files to another machine", (EXFILTRATION, NETWORK), """
    croc, wormhole, magic-wormhole, ffsend, pastebinit, wgetpaste, termbin, dpaste, fpaste, nopaste, haste,
    hastebin, rustypaste, bpaste, lodgeit, paste.sh, transfer.sh, transfersh, swift upload, swift post, onionshare,
    onionshare-cli, portal send, mega-put, megaput, megacopy, ncftpput, curlftpfs, tftp, qrcp, woof, telegram-send,
    slackcat, ipfs add, syncthing
    """),
    *_each(HIGH, "contacts", "Sends a mail or a message to people", (EXFILTRATION, NETWORK), """
    mailx, s-nail, msmtp, ssmtp, swaks, mpack, sendemail, sendEmail, exim, exim4, postdrop, qmail-inject, mail,
    sendmail, aerc, himalaya, mailsend, mailsend-go, ntfy publish, apprise, pushover, signal-cli, wall, write, twurl,
    toot, sendxmpp, gammu, gammu-smsd-inject
    """, "What has been sent cannot be taken back"),
    *_each(HIGH, "contacts", "Silences alerts", (COMPLIANCE, SYSTEM, NETWORK), "amtool silence add, amtool silence "
                                                                              "expire, amtool silence import"),
    *_each(MEDIUM, "contacts", "Asks about alerts", (NETWORK,), "amtool alert, amtool silence query, amtool config, "
                                                               "amtool cluster"),
    *_each(HIGH, "contacts", "Puts a message into a queue that others act on", (SYSTEM, NETWORK), """
    mosquitto_pub, mqttx pub, kafka-console-producer.sh, kafka-console-producer, amqp-publish, nats pub, rpk topic
    produce, pulsar-client produce, stomp-send, zmqcat, gcloud pubsub topics publish, aws sns publish
    """),
    *_each(MEDIUM, "contacts", "Listens to a message queue", (NETWORK,), """
    mosquitto_sub, mqttx sub, kcat, kafkacat, kafka-console-consumer.sh, kafka-console-consumer, amqp-consume, amqp-get,
    nats sub, pulsar-client consume, kafka-consumer-groups.sh, kafka-consumer-groups, mqttx, pulsar-client
    """),
    *_each(MEDIUM, "contacts", "Opens a connection to another machine", (NETWORK,), """
    mosh, autossh, sshfs, et, rlogin, rsh, telnet, vncviewer, xfreerdp, rdesktop, remmina, minicom, cu, picocom, tio,
    ncftp, ncftpget, smbclient, smbget, cadaver, davfs2, grpcurl, evans, websocat, wscat, curlie, httpie, hurl, xh, xhs,
    http-prompt, newman, postman, insomnia, bruno, w3m, links, elinks, lynx, axel, aria2c, youtube-dl, yt-dlp, httrack,
    gdown, wget2, snarf, megadl, ipfs, ldapsearch, snmpwalk, snmpget, rpcinfo, showmount, finger, mtr,
    tracepath, traceroute6, tcptraceroute, fping, arping, ping6, drill, kdig, doggo, dog, delv, host, dnstop, resolvectl
    query, systemd-resolve, avahi-browse, avahi-resolve, iperf, iperf3, netperf, speedtest, speedtest-cli, sslscan,
    testssl, testssl.sh, sslyze, ssh-audit, whatweb, wafw00f, nmblookup, ntpq, chronyc, sntp, geoiplookup, ipinfo,
    dnstracer, ssh-keyscan, git-remote-https, gh-dash, lazydocker, ctop
    """),
    *_each(HIGH, "contacts", "Loads a service with requests", (EXHAUSTION, NETWORK), """
    slowhttptest, goldeneye, t50, thc-ssl-dos, mdk3, mdk4
    """),
    *_each(HIGH, "privilege", "Changes how this machine is connected", (SYSTEM, NETWORK), """
    wg-quick, openvpn, openvpn3, openconnect, vpnc, pppd, strongswan, ipsec, swanctl, nordvpn, mullvad, expressvpn,
    protonvpn, protonvpn-cli, warp-cli, zerotier-cli, netbird, nebula, tailscale up, tailscale down, tailscale set,
    tailscale logout, tailscale login, tailscale switch, ifup, ifdown, dhclient, dhcpcd, wpa_supplicant, hostapd,
    dnsmasq, netplan, nmtui, iwctl, vconfig, ifenslave, ovs-vsctl, ovs-ofctl, bridge, macchanger,
    snmpset, vtysh,
    unbound-control, rndc, nsupdate, pdnsutil, pdns_control, knotc, keepalived, haproxy, stunnel, redsocks,
    tun2socks, badvpn
    """),
    *_each(HIGH, "privilege", "Changes which certificates or keys this machine trusts", (SYSTEM, COMPLIANCE), """
    update-ca-certificates, update-ca-trust, trust anchor, certbot, acme.sh, lego, dehydrated, apt-key, pacman-key, step
    ca bootstrap
    """),
    *_each(HIGH, "reads", "Reads or changes stored passwords", (EXFILTRATION,), """
    gopass, bw get, bw list, bw export, bw unlock, lpass show, lpass export, lpass ls, keepassxc-cli show, keepassxc-cli
    export, keepassxc-cli ls, kpcli, dashlane, nordpass, keeper, enpass, chamber read, chamber export, chamber list,
    aws-vault export, aws-vault add, aws-vault remove, credstash get, credstash getall, keyring get, kwallet-query,
    ykman oath, oathtool, sops decrypt, ansible-vault view, ansible-vault decrypt, git-crypt unlock,
    teller show, teller export, summon, berglas access, blackbox_cat, gcore, laZagne, lazagne, docker-credential-desktop
    get, docker-credential-secretservice get, git-credential-store get, git credential fill, gnome-keyring-daemon,
    kinit, ktutil, infisical export, phase secrets export, akeyless get-secret-value, conjur variable get, op read, op
    item get, op document get, op inject, heroku config:get, npm token list, dotenvx get
    """),
    *_each(LOW, "reads", "Shows its state", (), """
    syncthing cli show, gopass version, bw status, cloudflared tunnel list, cloudflared tunnel info, ngrok config,
    ngrok config check, ngrok help, tailscale funnel status, tailscale serve status,
    tailscale status, tailscale version, tailscale ip, ngrok
    version, cloudflared version, nmcli, nmcli device, nmcli general, nmcli connection show, nmcli con show, nmcli c
    show, nmcli device status, nmcli device show, nmcli dev status, nmcli dev show, nmcli d status, nmcli d show,
    resolvectl, resolvectl status, resolvectl statistics, networkctl, networkctl status, networkctl list, arp,
    iwconfig, iw dev, iw list, rfkill list, bridge link show, bridge fdb show, bridge vlan show, ipcalc, sipcalc,
    mailq, hostnamectl, hostnamectl status, capinfos, nstat, netstat, ss, nethogs, iftop, bmon, vnstat, iptraf-ng,
    ip6tables-save, iptables-save, brctl show, ipset list, promtool check, amtool check-config, named-checkconf,
    named-checkzone, apachectl configtest, caddy validate, caddy version, postconf, getent hosts
    """),
    *(Entry(name, MEDIUM, "Decrypts or encrypts files", (f"{name} a", f"{name} -d a => high"), kind="reads",
            worse=(Worse("-d --decrypt -D", HIGH, "Prints secrets in the clear", (EXFILTRATION,)),))
      for name in ("sops", "ccrypt")),
    *(Entry(name, MEDIUM, "Talks to a message broker", (f"{name} -L", f"{name} -P -t x => high"), kind="contacts",
            categories=(NETWORK,), values="-b -t -G -o -c -f -K -X",
            worse=(Worse("-P", HIGH, "Puts a message into a queue that others act on", (SYSTEM, NETWORK)),))
      for name in ("kcat", "kafkacat")),
    *(Entry(name, MEDIUM, "Handles certificates", (f"{name} x", f"{name} {flag} => high"), kind="writes",
            clusters=False,
            worse=(Worse(flag, HIGH, "Changes which certificates this machine trusts", (SYSTEM, COMPLIANCE)),))
      for name, flag in (("mkcert", "-install"), ("certutil", "-A"), ("keytool", "-importcert"))),
    *(Entry(name, MEDIUM, "Runs a server", (f"{name} x", *(f"{name} {flag} => low" for flag in looks.split()[:1])),
            kind="contacts", harmless=looks)
      for name, looks in (("nginx", "-t -T -v -V -h"), ("apachectl", "-t -S -v"), ("apache2ctl", "-t -S -v"),
                          ("sshd", "-t -T"), ("haproxy", "-c -v -vv"), ("httpd", "-t -S -v"), ("caddy", "--help"),
                          ("traefik", "--help"), ("envoy", "--version"), ("named", "-v"), ("squid", "-v"))),
    *_each(MEDIUM, "contacts", "Asks a storage service", (NETWORK,), "swift list, swift stat, swift download"),
    *_each(HIGH, "deletes", "Deletes things of a storage service", (DELETION, NETWORK), "swift delete"),
    Entry("gist", HIGH, "Shows files to everybody", ("gist a.py", "gist -l => low"), kind="contacts",
          categories=(EXFILTRATION, NETWORK), harmless="-l --list -r --read --help --version"),
    *(Entry(name, HIGH, "Deletes or reads backups", (f"{name} -d -f x",), kind="deletes", categories=(DELETION,),
            harmless="--list-archives --print-stats --verify-config -t --version")
      for name in ("tarsnap",)),
    *(Entry(name, HIGH, "Changes the firewall", (f"{name} x",), kind="privilege",
            categories=(SYSTEM, COMPLIANCE, NETWORK), harmless=f"{looks} {ASKING}")
      for name, looks in (
          ("iptables", "-L -S -C --list --list-rules --check -V"), ("ip6tables", "-L -S -C --list --list-rules -V"),
          ("iptables-legacy", "-L -S"), ("iptables-nft", "-L -S"), ("arptables", "-L"), ("ebtables", "-L"),
          ("firewall-cmd", "--list-all --state --get-zones --get-active-zones --list-ports --list-services "
           "--list-all-zones --get-default-zone --get-services --query-port --query-service --info-zone"),
          ("conntrack", "-L -S -C"), ("fail2ban-client", "--ping"), ("csf", "-v"), ("shorewall", "-v"), ("pfctl", "-s"),
          ("ipfw", "--help"), ("ip6tables-restore", "-t --test"), ("firewall-offline-cmd", "--list-all"))),
    *(Entry(name, LOW, "Shows the firewall", (name,), kind="reads")
      for name in ("ufw status", "ufw show", "ufw app list", "ufw version", "nft list", "nft describe", "ipset list",
                   "fail2ban-client status", "pfctl -s")),
    *(Entry(f"route {verb}", HIGH, "Changes how this machine finds others", (f"route {verb} x",), kind="privilege",
            categories=(SYSTEM, NETWORK)) for verb in ("add", "del", "delete", "change", "flush")),
    Entry("route", LOW, "Shows how this machine finds others", ("route -n",), kind="reads"),
    Entry("ethtool", LOW, "Shows a network interface", ("ethtool eth0", "ethtool -s eth0 speed 100 => high"),
          kind="reads",
          worse=(Worse("-s --change -K --offload -G -C -A -L -U -N -X -E -f --flash -r -p -W --set-priv-flags --reset",
                       HIGH, "Changes a network interface", (SYSTEM,)),), clusters=False),
    Entry("arp", LOW, "Shows neighbours", ("arp -an", "arp -d 10.0.0.1 => high"), kind="reads",
          worse=(Worse("-d -s -f", HIGH, "Changes the table of neighbours", (SYSTEM, NETWORK)),)),
    Entry("iwconfig", LOW, "Shows wireless interfaces", ("iwconfig", "iwconfig wlan0 essid x => high"), kind="reads",
          worse=(Worse("", HIGH, "Changes a wireless interface", (SYSTEM,), operands="essid mode key ap channel"),)),
    *(Entry(name, HIGH, "Sends a mail or a message to people", (f"{name} eve@example.com", f"{name} -v => low"),
            kind="contacts", categories=(EXFILTRATION, NETWORK), harmless="-v -vv --help --version",
            consequence="What has been sent cannot be taken back") for name in ("mutt", "neomutt")),
    Entry("tc", LOW, "Shows traffic shaping", ("tc -s qdisc show dev eth0", "tc qdisc add dev eth0 root netem => high"),
          kind="reads", worse=(Worse("", HIGH, "Changes traffic shaping", (SYSTEM, NETWORK),
                                     operands="add del delete change replace flush link"),)),
    *_each(LOW, "reads", "Shows how a cluster is set up", (), "kubeadm version, kubeadm config print, kubeadm "
                                                              "token list"),
    *(Entry(f"supabase {verb}", MEDIUM, "Works with services on this machine", (f"supabase {verb}",))
      for verb in ("start", "stop", "status", "init", "functions serve", "functions new", "migration new", "db start",
                   "gen", "test")),
    Entry("hostnamectl set-hostname", HIGH, "Renames this machine", ("hostnamectl set-hostname x",), kind="privilege",
          categories=(SYSTEM,)),
    *(Entry(f"resolvectl {verb}", HIGH, "Changes how this machine finds others", (f"resolvectl {verb} x y",),
            kind="privilege", categories=(SYSTEM,))
      for verb in ("dns", "domain", "revert", "dnssec", "dnsovertls", "llmnr", "mdns", "default-route", "log-level")),
    *(Entry(f"resolvectl {verb}", MEDIUM, "Asks a name server", (f"resolvectl {verb} x",), kind="contacts",
            categories=(NETWORK,)) for verb in ("query", "service", "openpgp", "tlsa", "flush-caches",
                                                "reset-statistics")),
    *(Entry(f"{tool} {verb}", HIGH, "Changes how this machine is connected", (f"{tool} {verb} x",), kind="privilege",
            categories=(SYSTEM, NETWORK))
      for tool, verbs in (
          ("nmcli", "connection add, connection delete, connection modify, connection up, connection down, "
                    "connection edit,"
           " connection reload, connection import, con add, con delete, con del, con mod, con modify, con up, con down,"
           " c add, c delete, c modify, c up, c down, device connect, device disconnect, device delete, device set,"
           " device wifi connect, device wifi hotspot, dev wifi connect, dev disconnect, d disconnect, d wifi connect,"
           " networking off, networking on, radio, general hostname, general reload, n off, r wifi off"),
          ("networkctl", "up, down, delete, reload, reconfigure, renew, forcerenew, edit"),
          ("bridge", "fdb add, fdb del, vlan add, vlan del, link set"), ("iw", "dev, reg set, phy"),
          ("rfkill", "block, unblock, toggle"))
      for verb in phrases(verbs) if f"{tool} {verb}" != "iw dev"),
    Entry("tcpdump", HIGH, "Records network traffic", ("tcpdump -i any", "tcpdump -r a.pcap => low"), kind="reads",
          categories=(EXFILTRATION, PRIVILEGE, NETWORK), values="-i -w -r -c -s -C -G -W -z -F",
          harmless="-r -D --list-interfaces --help --version"),
    Entry("tshark", HIGH, "Records network traffic", ("tshark -i any", "tshark -r a.pcap => low"), kind="reads",
          categories=(EXFILTRATION, NETWORK), values="-i -w -r -c -Y -T -e -f", harmless="-r -D -v --help --version"),
    *(Entry(name, MEDIUM, "Loads a service with requests", (f"{name} http://localhost:8000/",
            f"{name} https://example.com/ => high"), kind="contacts", values=values)
      for name, values in (
          ("ab", "-n -c -t -p -T -H -k -A -u -m"), ("wrk", "-t -c -d -s -H --latency"), ("wrk2", "-t -c -d -s -H -R"),
          ("hey", "-n -c -z -q -m -d -D -H -T"), ("bombardier", "-n -c -d -r -m -b -H"), ("oha",
                                                                                          "-n -c -z -q -m -d -H"),
          ("autocannon", "-c -d -p -w -m -b -H"), ("siege", "-c -r -t -f -d -H"), ("httperf", "--server --port"),
          ("h2load", "-n -c -m -t"), ("vegeta", "-rate -duration"), ("plow", "-c -n -d"))),
    *(Entry(name, MEDIUM, "Loads a service as a script says", (f"{name} run x",), kind="contacts",
            categories=(NETWORK,))
      for name in ("k6", "locust", "artillery", "jmeter", "gatling", "tsung", "ghz", "fortio", "drill")),
    *(Entry(name, MEDIUM, "Handles passwords or secrets", (f"{name} x",), kind="reads")
      for name in ("bw", "lpass", "keepassxc-cli", "chamber", "aws-vault", "credstash", "keyring",
                   "ansible-vault", "git-crypt", "teller", "berglas", "dotenvx", "klist", "age", "rage", "gitleaks",
                   "trufflehog",
                   "detect-secrets", "step-cli", "cfssl",
                   "age-keygen", "pwgen", "ssh-agent")),
    *(Entry(name, MEDIUM, "Runs a command on other machines", (f"{name} x",), kind="contacts",
            categories=(NETWORK,), values=values)
      for name, values in (
          ("pssh", "-h -H -l -p -t -o -e -O -x -X"), ("parallel-ssh", "-h -H -l -p -t -o -e -O -x -X"),
          ("pdsh", "-w -x -l -t -u -f -R -g"), ("clush", "-w -x -g -X -l -o -f -t -u"), ("dsh", "-m -f -g -r"),
          ("sshpass-run", "-p"), ("mussh", "-h -H -c -l"), ("pslurp", "-h -H"), ("cssh", "-l"), ("csshx", "-l"),
          ("fabric", "-H"), ("ansible-console", "-i"))),
    *_each(HIGH, "contacts", "Copies files to other machines", (EXFILTRATION, NETWORK), "pscp, parallel-scp, pdcp, "
                                                                                        "prsync, parallel-rsync"),
    Entry("ansible", MEDIUM, "Changes machines by modules", ("ansible all -m ping", "ansible all -m apt -a name=x "
                                                                                    "=> high",
          "ansible all -a 'rm -rf /srv' => high"), kind="contacts", categories=(NETWORK,),
          values="-i --inventory -m --module-name -a --args -u --user -f --forks -l --limit -e --extra-vars -T"),
    Entry("ansible-playbook", HIGH, "Changes machines as a playbook says", ("ansible-playbook site.yml",
          "ansible-playbook --check site.yml => medium", "ansible-playbook --syntax-check site.yml => medium"),
          kind="contacts", categories=(SYSTEM, NETWORK),
          values="-i --inventory -u --user -l --limit -e --extra-vars -t --tags --skip-tags"),
    Entry("ansible-galaxy", MEDIUM, "Installs roles", ("ansible-galaxy install x",), kind="contacts",
          categories=(NETWORK,)),
    *(Entry(name, MEDIUM, "Reads what ansible knows", (f"{name} --list",), kind="reads")
      for name in ("ansible-inventory", "ansible-doc", "ansible-config")),
    Entry("ansible-pull", HIGH, "Runs a playbook from the network", ("ansible-pull -U x",), kind="contacts",
          categories=(SYSTEM, NETWORK)),
    *(Entry(name, MEDIUM, "Orders machines by their minions", (f"{name} '*' test.ping",
            f"{name} '*' cmd.run 'rm -rf /srv' => high", f"{name} '*' state.apply => high"), kind="contacts",
            categories=(NETWORK,)) for name in ("salt", "salt-ssh", "salt-call")),
    *(Entry(name, MEDIUM, "Handles a message broker", (f"{name} --list", f"{name} --delete --topic x => high",
            f"{name} --alter --topic x => high"), kind="contacts", categories=(NETWORK,), clusters=False,
            values="--bootstrap-server --zookeeper --topic --config --group --command-config",
            worse=(Worse("--delete --delete-offsets --remove", HIGH, "Deletes data of a message broker",
                         (DELETION, NETWORK), "Messages in it are lost"),
                   Worse("--alter --create --reset-offsets --execute --add", HIGH, "Changes a message broker",
                         (SYSTEM, NETWORK))))
      for script in ("kafka-topics", "kafka-configs", "kafka-acls", "kafka-consumer-groups",
                     "kafka-reassign-partitions",
                     "kafka-storage", "kafka-streams-application-reset",
                     "kafka-leader-election")
      for name in (script, f"{script}.sh")),
    *(Entry(f"rabbitmqctl {verb}", HIGH, "Deletes data of a message broker", (f"rabbitmqctl {verb}",), kind="deletes",
            categories=(DELETION, NETWORK), consequence="Messages in it are lost")
      for verb in words("reset force_reset delete_queue purge_queue delete_vhost delete_user clear_permissions "
                        "forget_cluster_node")),
    *(Entry(name, MEDIUM, "Handles the mail queue", (f"{name} -q", f"{name} -d ALL => high"), kind="runs",
            worse=(Worse("-d", HIGH, "Deletes mails that wait", (DELETION,)),), harmless="--version")
      for name in ("postsuper", "postqueue")),
    Entry("zkCli.sh", MEDIUM, "Talks to a coordination service", ("zkCli.sh -server x ls /",
          "zkCli.sh deleteall /x => high"), kind="contacts", categories=(NETWORK,),
          worse=(Worse("", HIGH, "Deletes data of a coordination service", (DELETION, NETWORK),
                       operands="delete deleteall rmr"),)),
    *(Entry(name, HIGH, "Works in another namespace of this machine", (f"{name} x",), kind="privilege",
            categories=(PRIVILEGE,)) for name in ("flatpak-spawn", "systemd-nspawn", "distrobox-host-exec",
                                                  "machinectl shell",
                                                  "ip netns exec", "lxc-attach", "lxc-execute", "runc", "crun")),
    *(Entry(name, MEDIUM, "Uses a storage that keeps versions", (f"{name} snapshots",), kind="contacts",
            values="-r --repo")
      for name in ("restic", "borg", "duplicity", "kopia", "duplicacy", "rdiff-backup", "rsnapshot", "bup", "attic")),
    *_each(HIGH, "deletes", "Deletes backups", (DELETION,), """
    restic forget, restic prune, borg delete, borg prune, borg compact, duplicity remove-older-than, duplicity
    remove-all-but-n-full, kopia snapshot delete, kopia snapshot expire, duplicacy prune, rclone deletefile, rclone
    rmdirs, rclone cleanup, rclone rmdir, tarsnap -d, tarsnap --nuke, velero delete, wal-g delete, barman delete,
    pgbackrest expire
    """, "A backup that is gone cannot help any more"),
    *_each(HIGH, "contacts", "Copies files to a storage service", (EXFILTRATION, NETWORK), """
    rclone move, rclone moveto, rclone copyto, rclone bisync, rclone rcat, rclone serve, rclone mount
    """),
    *_each(MEDIUM, "contacts", "Asks a storage service", (NETWORK,), """
    rclone ls, rclone lsd, rclone lsl, rclone lsf, rclone lsjson, rclone size, rclone about, rclone check, rclone cat,
    rclone tree
    """),
    *_each(HIGH, "reads", "Handles storage keys", (EXFILTRATION,), "rclone config show, rclone config dump, rclone "
                                                                   "config file-dump"),
    *_each(LOW, "reads", "Shows its state", (), "rclone version, rclone listremotes, restic version"),
)  # fmt: skip
