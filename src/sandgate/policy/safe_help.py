"""Programs that do nothing but explain themselves when `--help` or `--version` is all they are told.

Agents ask for help before they use a tool they are unsure of, and should not have to ask a person first. Only programs
that read their options before anything else are named here. Test runners, build tools and package managers that load
files of the project first (`pytest`, `scons`, `yarn`) are left out, and so is what fetches itself (`gradlew`).
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.policy.safe_system import SYSTEM

EXPLAINS_ITSELF: frozenset[str] = frozenset(SYSTEM) | words_of(
    "rm cp mv ln mkdir touch chmod chown chgrp tee sed awk gawk mawk tar unzip rsync scp sftp ssh sshd nc ncat "
    "netcat socat curl wget git mount umount lsblk swapoff "
    "userdel groupadd groupdel groupmod gpasswd newusers chpasswd chsh chfn su doas runuser pkexec visudo setcap "
    "iptables ip6tables nft ufw firewall-cmd sysctl modprobe rmmod insmod lsmod depmod killall pkill pgrep pidof "
    "timeout xargs env bash sh dash zsh fish ksh python python3 perl ruby lua node php gcc g++ clang clang++ cc ld "
    "make cmake ninja apt apt-get apt-cache dpkg rpm dnf yum zypper pacman apk brew snap flatpak vim nvim nano "
    "emacs chroot unshare nsenter gdb lldb ip ss netstat ping traceroute dig host nslookup arp route ifconfig "
    "xxd od yq jq watch setfacl getfacl lsattr shuf yes cal fsck e2fsck resize2fs xfs_repair xfs_growfs lvcreate "
    "vgcreate pvcreate lvremove vgremove pvremove lvextend lvresize logrotate rsyslogd pv nmap tcpdump whois "
    "systemd-run systemd-tmpfiles systemd-cat crond cron anacron batch atrm mktemp base64 base32 numfmt fmt tr cut "
    "sort uniq tail head wc cat ls find grep egrep fgrep rg fd tree du df ps free uptime who w last date file stat "
    "realpath readlink basename dirname seq expr printenv id groups whoami hostname uname arch nproc lscpu dmesg "
    "diff cmp comm join paste column nl tac rev fold expand unexpand strings hexdump objdump readelf nm size strip "
    "ar sha256sum md5sum sha1sum sha512sum cksum b2sum tsort pr ptx dircolors link pathchk truncate bwrap "
    "firejail docker podman buildah skopeo kubectl helm psql pg_dump mysql mysqldump sqlite3 redis-cli mongosh "
    "ffmpeg ffprobe convert magick pandoc gh glab aws gcloud az vault pip pip3 pipx "
    "ldd nix nix-build nix-env nix-shell nix-store eza rye tectonic wasmtime nvcc nvidia-smi adb anvil cast forge solc "
    "tftp ftp lftp telnet hping3 stress stress-ng bore croc wormhole sshuttle frpc frps ngrok cloudflared tailscale "
    "chisel iperf iperf3 mtr tracepath ethtool conntrack iw nmcli resolvectl wg wg-quick openssl gpg age sops pass op "
    "bw mosh autossh sshpass pssh mosquitto_pub mosquitto_sub websocat grpcurl hey wrk ab siege vegeta k6 oha "
    "bombardier promtool amtool etcdctl consul nomad terraform tofu packer crane oras cosign trivy grype syft dive "
    "kind k3d minikube kustomize stern k9s argocd flux istioctl linkerd cilium velero restic borg rclone s3cmd mc "
    "doctl hcloud fly flyctl heroku eksctl kops certbot mkcert step cfssl lego dnsmasq named named-checkzone rndc "
    "unbound haproxy caddy traefik envoy squid postconf mail mutt msmtp swaks rabbitmqctl nats kcat mongodump "
    "mongorestore pg_restore pg_basebackup clickhouse-client cqlsh influx mysqladmin etcd influxd prometheus "
    "node_exporter grafana-server nodetool virsh qemu-img VBoxManage vagrant multipass lxc incus zfs zpool btrfs mdadm "
    "ceph smartctl hdparm nvme fio iotop htop btop nethogs iftop vnstat sar iostat vmstat auditctl ausearch aureport "
    "aa-status getenforce setenforce sestatus clamscan freshclam rkhunter lynis fail2ban-client logger journalctl "
    "loginctl systemd-analyze hostnamectl timedatectl chronyc ntpq xclip xsel wl-copy wl-paste pbcopy qrencode "
    "7z zstd lz4 pigz xz "
    "fluent-bit filebeat telegraf vector promtail "
    "k3s tree-sitter httpd apache2 gopls gnuplot dot claude codex gemini cursor vite prisma xcodebuild msbuild nuget"
)


def only_explains(name: str, argv: tuple[str, ...]) -> bool:
    """`rm --help`, and nothing else."""
    return argv[1] in ("--help", "--version") and name in EXPLAINS_ITSELF
