"""Programs that do nothing but explain themselves when `--help` or `--version` is all they are told.

Agents ask for help before they use a tool they are unsure of, and should not have to ask a person first. Only programs
that read their options before anything else are named here. Test runners, build tools and package managers that load
files of the project first (`pytest`, `scons`, `yarn`) are left out, and so is what fetches itself (`gradlew`).
"""

from __future__ import annotations

from sandgate.commandline.words import words_of
from sandgate.policy.safe_system import SYSTEM

# Programs of administration, of which the same is true.
_OF_MACHINES = words_of(
    "snapper pkaction pkcheck loginctl timedatectl hostnamectl localectl busctl resolvectl machinectl coredumpctl "
    "journalctl networkctl systemd-analyze systemd-nspawn systemd-mount systemd-inhibit systemd-creds "
    "systemd-repart auditctl augenrules ausearch aureport aa-enforce aa-complain apparmor_parser setsebool "
    "semanage restorecon chcon sestatus fail2ban-client clamscan freshclam lynis rkhunter chkrootkit aide "
    "tripwire mkfs mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkswap mke2fs badblocks blkdiscard fstrim "
    "fsfreeze growpart partprobe partx kpartx findfs filefrag e2label e4defrag debugfs zerofree "
    "testdisk photorec ddrescue lvchange lvconvert lvrename lvreduce lvscan pvchange pvmove pvresize pvscan "
    "vgchange vgrename vgreduce vgscan vgexport vgimport xfs_admin xfs_fsr xfs_quota mksquashfs genisoimage "
    "xorriso mkisofs udisksctl fusermount gdu dua duplicity borgmatic rsnapshot rdiff-backup timeshift snapraid "
    "vdo stratis multipath nvme mdadm cryptsetup hdparm smartctl grub-install update-grub grub-mkconfig "
    "grub2-mkconfig efibootmgr dracut mkinitcpio mkinitramfs update-initramfs dkms bootctl kernel-install kexec "
    "bpftool bpftrace numastat perf criu renice chrt taskset ionice prlimit setpriv adduser addgroup deluser "
    "delgroup groupmems newgrp newuidmap faillock pwck grpck vipw visudo chage passwd useradd usermod "
    "update-alternatives update-rc.d start-stop-daemon supervisorctl supervisord monit openrc runit haproxy "
    "postfix iptables-save iptables-restore ip6tables-save ipset ebtables ethtool tc bridge nmcli iw iwconfig wg "
    "wg-quick openvpn aptitude nala dpkg-reconfigure dpkg-divert unattended-upgrade do-release-upgrade paru yay "
    "pamac pkgfile checkupdates microdnf fwupdmgr ostree xbps-install xbps-remove nixos-rebuild emerge equery "
    "softwareupdate subscription-manager 7za brotli lzip lzop lz4 xdelta3 bsdiff innoextract cabextract unar dtrx "
    "zstdmt pixz plzip dos2unix unix2dos rename mmv vidir fdupes jdupes rdfind rmlint stow entr inotifywait "
    "fswatch binwalk checksec glow jless jaq gojq fx dasel gron htmlq xq miller mlr csvkit visidata broot ranger "
    "nnn lf choose htop btop atop glances nmon iotop iftop nethogs bmon nload dstat bpytop sysdig lnav goaccess "
    "multitail screen zellij mosh byobu dtach ttyd asciinema script scriptreplay expect sshpass autossh keychain "
    "john hashcat hydra nikto sqlmap gobuster masscan iperf iperf3 mtr tshark dumpcap ngrep gpgconf gpgsm gpgv "
    "gpg-agent certtool certutil htpasswd mkcert step ykman pass gopass keyring secret-tool rage locale-gen "
    "localedef notify-send xclip xsel wl-copy wl-paste xdg-open dialog whiptail getopt logger uuidgen mcookie "
    "lsipc pwgen apg units"
)
EXPLAINS_ITSELF: frozenset[str] = (
    frozenset(SYSTEM)
    | _OF_MACHINES
    | words_of(
        "rm cp mv ln mkdir touch chmod chown chgrp tee sed awk gawk mawk tar unzip rsync scp sftp ssh sshd nc ncat "
        "netcat socat curl wget git mount umount lsblk swapoff "
        "userdel groupadd groupdel groupmod gpasswd newusers chpasswd chsh chfn su doas runuser pkexec visudo setcap "
        "iptables ip6tables nft ufw firewall-cmd sysctl modprobe rmmod insmod lsmod depmod killall pkill pgrep pidof "
        "timeout xargs env bash sh dash zsh fish ksh python python3 perl ruby lua node php gcc g++ clang "
        "clang++ cc ld "
        "make cmake ninja apt apt-get apt-cache dpkg rpm dnf yum zypper pacman apk brew snap flatpak vim nvim nano "
        "emacs chroot unshare nsenter gdb lldb ip ss netstat ping traceroute dig host nslookup arp route ifconfig "
        "xxd od yq jq watch setfacl getfacl lsattr shuf yes cal fsck e2fsck resize2fs xfs_repair xfs_growfs lvcreate "
        "vgcreate pvcreate lvremove vgremove pvremove lvextend lvresize logrotate rsyslogd pv nmap tcpdump whois "
        "systemd-run systemd-tmpfiles systemd-cat crond cron anacron batch atrm mktemp base64 base32 numfmt fmt "
        "tr cut "
        "sort uniq tail head wc cat ls find grep egrep fgrep rg fd tree du df ps free uptime who w last date "
        "file stat "
        "realpath readlink basename dirname seq expr printenv id groups whoami hostname uname arch nproc lscpu dmesg "
        "diff cmp comm join paste column nl tac rev fold expand unexpand strings hexdump objdump readelf nm "
        "size strip "
        "ar sha256sum md5sum sha1sum sha512sum cksum b2sum tsort pr ptx dircolors link pathchk truncate bwrap "
        "firejail docker podman buildah skopeo kubectl helm psql pg_dump mysql mysqldump sqlite3 redis-cli mongosh "
        "ffmpeg ffprobe convert magick pandoc gh glab aws gcloud az vault pip pip3 pipx "
        "ldd nix nix-build nix-env nix-shell nix-store eza rye tectonic wasmtime nvcc nvidia-smi adb anvil cast forge "
        "tftp ftp lftp telnet hping3 stress stress-ng bore croc wormhole sshuttle frpc frps ngrok cloudflared "
        "tailscale "
        "chisel iperf iperf3 mtr tracepath ethtool conntrack iw nmcli resolvectl wg wg-quick openssl gpg age "
        "sops pass op "
        "bw mosh autossh sshpass pssh mosquitto_pub mosquitto_sub websocat grpcurl hey wrk ab siege vegeta k6 oha "
        "bombardier promtool amtool etcdctl consul nomad terraform tofu packer crane oras cosign trivy grype "
        "syft dive "
        "kind k3d minikube kustomize stern k9s argocd flux istioctl linkerd cilium velero restic borg rclone s3cmd mc "
        "doctl hcloud fly flyctl heroku eksctl kops certbot mkcert step cfssl lego dnsmasq named named-checkzone rndc "
        "unbound haproxy caddy traefik envoy squid postconf mail mutt msmtp swaks rabbitmqctl nats kcat mongodump "
        "mongorestore pg_restore pg_basebackup clickhouse-client cqlsh influx mysqladmin etcd influxd prometheus "
        "node_exporter grafana-server nodetool virsh qemu-img VBoxManage multipass lxc incus zfs zpool "
        "btrfs mdadm "
        "ceph smartctl hdparm nvme fio iotop htop btop nethogs iftop vnstat sar iostat vmstat auditctl ausearch "
        "aureport "
        "aa-status getenforce setenforce sestatus clamscan freshclam rkhunter lynis fail2ban-client logger journalctl "
        "loginctl systemd-analyze hostnamectl timedatectl chronyc ntpq xclip xsel wl-copy wl-paste pbcopy qrencode "
        "7z zstd lz4 pigz xz "
        "fluent-bit filebeat telegraf vector promtail "
        "solc k3s tree-sitter httpd apache2 gopls gnuplot dot claude codex gemini cursor vite xcodebuild "
        "msbuild nuget"
    )
)


# Only where the sandbox confines them, beside those whose line in the tables says so: they ask a server whether there
# is a newer version, or read settings of the directory that may name code (MSBuild: "Directory.Build.rsp").
_CONFINED = words_of(
    "packer sops grype syft fly flyctl heroku infracost claude codex gemini cursor vite nuget msbuild ngrok k9s nuclei"
)
# `vagrant --help` loads the Vagrantfile and `.vagrantplugins`, which are programs, before it explains anything; only
# the version comes first (vagrant's own bin/vagrant and lib/vagrant/environment.rb).
_SAYS_VERSION = frozenset(("vagrant",))
# Their sub-commands explain themselves as well. A word that is none of theirs is refused before anything runs. Not
# here: those that take `--help` for a name (`ip netns add --help`) or hand it to a program (`tmux new x --help`).
_WITH_COMMANDS = words_of(
    "systemctl loginctl timedatectl hostnamectl localectl busctl networkctl resolvectl coredumpctl "
    "journalctl systemd-analyze udevadm cryptsetup btrfs zfs zpool nmcli apt apt-get apt-cache apt-mark apt-file "
    "dnf yum zypper apk brew snap flatpak docker podman kubectl helm gh glab aws gcloud az terraform tofu vault pip "
    "pip3 pipx uv poetry rustup ansible-galaxy ansible-vault restic borg rclone virsh lxc incus qemu-img openssl "
    "dotnet minikube kind k3d eksctl flyctl pulumi packer consul nomad doctl hcloud ostree fwupdmgr "
    "firewall-cmd nft bpftool cosign syft grype trivy"
)
_OF_CARGO = words_of("build test run check add remove update install publish clean doc bench new init tree metadata "
                     "fetch fix search vendor package")  # fmt: skip # nobody can give these another meaning
# Behind these stands a program, with all that follows for its arguments.
_STARTING = words_of("exec unshare shell with-lock plugin plugins")
_WORDS_MAX = 3  # of a command: `aws s3api put-object --help`
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def only_explains(name: str, argv: tuple[str, ...], *, confined: bool) -> bool:
    """`rm --help`, and nothing else. `confined`: whether the sandbox stands around it."""
    if argv[1] == "--version" and name in _SAYS_VERSION:
        return True
    return argv[1] in ("--help", "--version") and name in EXPLAINS_ITSELF and (confined or name not in _CONFINED)


def explains_command(name: str, argv: tuple[str, ...]) -> bool:
    """`systemctl restart --help`: nothing but names of commands before it."""
    names = argv[1:-1]
    if name == "npm" or (name == "cargo" and names[:1] and names[0] in _OF_CARGO):
        return len(names) == 1 and names[0] not in ("", "exec") and names[0][0] != "-" and _LETTERS.issuperset(names[0])
    return (
        argv[-1] == "--help"
        and name in _WITH_COMMANDS
        and len(names) <= (_WORDS_MAX if name in ("aws", "gcloud", "az") else 2)
        and _STARTING.isdisjoint(names)
        and "run" not in names[:-1]
        and all(word[:1] != "-" and _LETTERS.issuperset(word) for word in names)
    )
