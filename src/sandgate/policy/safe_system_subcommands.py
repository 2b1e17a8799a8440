"""Commands of `systemctl`, `openssl`, `zfs` and the like that only read, by the arguments that keep them so. Data, like
`safe_programs`."""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.commandline.words import words_of
from sandgate.policy.safe_mac import MAC_COMMANDS
from sandgate.policy.safe_system import SESSIONS, SYSTEMCTL

# Commands of the programs marked `sub`.
_EACH: dict[str, str] = {
    "csrutil status": "0",
    "systemd-analyze time": "0",
    "systemd-analyze blame": "--no-pager 0",
    "systemd-analyze critical-chain": "--no-pager *",
    "systemd-analyze security": "--no-pager *",
    "systemd-analyze calendar": "--iterations= *",
    "systemd-analyze timespan": "*",
    "systemd-analyze timestamp": "*",
    "systemd-analyze unit-paths": "0",
    "systemd-analyze dot": "--order --require *",
    "systemd-analyze plot": "0",
    "timedatectl status": "0",
    "timedatectl show": "-a -p= --all --value --property= 0",
    "timedatectl list-timezones": "--no-pager 0",
    "timedatectl timesync-status": "0",
    "timedatectl show-timesync": "-ap --all --value 0",
    "hostnamectl status": "--static --pretty --transient 0",
    "hostnamectl hostname": "0",
    "localectl status": "0",
    "localectl list-locales": "--no-pager 0",
    "localectl list-keymaps": "--no-pager 0",
    "busctl list": "--no-pager --no-legend --acquired --activatable --unique --json= 0",
    "coredumpctl list": "-qr1 -n= -S= -U= --no-pager --no-legend --since= --until= --json= *",
    "coredumpctl info": "-qr1 --no-pager *",
    "bootctl status": "--no-pager 0",
    "bootctl list": "--no-pager 0",
    "initctl list": "0",
    "initctl status": "*",
    "sv status": "*",
    "zpool list": "-gHLpPvT -o= *",
    "zpool status": "-DeigLpPstvx *",
    "zpool iostat": "-gHLlnpPqrvwy *",
    "zpool get": "-Hp -o= *",
    "zpool history": "-il *",
    "zfs list": "-rHp -d= -o= -s= -S= -t= *",
    "zfs get": "-rHp -d= -o= -s= -t= *",
    "cryptsetup status": "1",
    "cryptsetup luksDump": "1",
    "cryptsetup isLuks": "-v 1",
    "nvme list": "-v -o= 0",
    "nvme smart-log": "-o= 1",
    "nvme id-ctrl": "-H -o= 1",
    "nvme id-ns": "-H -n= -o= 1",
    "udevadm info": "-ear -q= -p= -n= -x --query= --path= --name= --attribute-walk --export-db --export --no-pager *",
    "dmsetup ls": "--tree --target= *",
    "dmsetup info": "-cC -o= *",
    "dmsetup status": "*",
    "dmsetup deps": "*",
    "dmsetup targets": "0",
    "qemu-img info": "-f= --output= --backing-chain -U 1 exact check:local_media",
    "qemu-img check": "-f= --output= -q -U 1 exact check:local_media",
    "tmux ls": "0",
    "tmux list-sessions": "0",
    "tmux list-windows": "-a -t= 0",
    "tmux list-panes": "-as -t= 0",
    "tmux capture-pane": "-peJN -t= -S= -E= 0 needs:-p",
    "tmux has-session": "-t= 0",
    "cpupower frequency-info": "-aefblwdpgosymn *",
    "cpupower idle-info": "-fos 0",
    "magick identify": "words -format= -verbose -ping -quiet -version -list= * exact check:local_media",
    "chronyc tracking": "0",
    "chronyc sources": "-av 0",
    "chronyc sourcestats": "-av 0",
    "gio list": "-dhlnu -a= --hidden --long --attributes= * check:own_files",
    "gio info": "-wf -a= --attributes= * check:own_files",
    "gio tree": "-hl --hidden --follow-symlinks * check:own_files",
    "gio mime": "1",
    "gio help": "1",
    "gio version": "0",
    "gsettings get": "2",
    "gsettings list-schemas": "0",
    "gsettings list-keys": "1",
    "gsettings list-recursively": "1",
    "gsettings describe": "2",
    "gsettings range": "2",
    "dconf read": "-d 1",
    "dconf list": "1",
    "dconf dump": "1",
    "xdg-mime query": "2",
    "defaults read": "-g *",
    "defaults read-type": "*",
    "defaults domains": "0",
    "diskutil list": "*",
    "diskutil info": "-a 1",
    "launchctl list": "1",
    "launchctl print": "1",
    "7z i": "0",
    "openssl help": "1",
    "openssl errstr": "*",
    "openssl pkcs7": "words -in= -inform= -noout -text -print_certs 0",
    "openssl pkcs12": "words -in= -info -noout -nokeys -legacy -passin= 0 needs:-in",
    "xmlstarlet sel": "words -t -T -B -I -v= -n -nl -m= -c= -o= -N= -e= -a= -b -i= -s= --template --text --value-of= "
    "--nl "
    "--match= --copy-of= --output= * check:only_xpath",
    "xmlstarlet el": "words -a -v -u -d1 -d2 -d3 * check:no_url",
    "xmlstarlet val": "words -w -q -b -g -e * check:no_url",
    "xsv headers": "-j -d= *",
    "xsv count": "-n -d= *",
    "xsv stats": "-n -s= -d= -j= --everything --mode --cardinality --median --nulls *",
    "xsv frequency": "-n -s= -l= -d= -j= *",
    "xsv slice": "-n -s= -e= -l= -i= -d= *",
    "xsv select": "-n -d= 2",
    "xsv search": "-niv -s= -d= 2",
    "xsv sort": "-nNR -s= -d= 1",
    "xsv table": "-w= -p= -c= -d= *",
    "xsv sample": "-n -d= 2",
    "aspell list": "-l= -d= --lang= --mode= --master= --ignore= --encoding= 0",
    "aspell dicts": "0",
}

SYSTEM_SUBCOMMANDS: dict[str, str] = one_table(
    _EACH,
    {f"qsv {key[4:]}": line for key, line in _EACH.items() if key.startswith("xsv ")},
    MAC_COMMANDS,
    {
        f"systemctl {command}": f"{SYSTEMCTL} *"
        for command in words_of(
            "status show cat list-units list-unit-files list-timers list-sockets list-jobs list-dependencies "
            "list-paths "
            "list-automounts list-machines is-active is-enabled is-failed is-system-running get-default "
            "show-environment"
        )
    },
    {
        f"loginctl {command}": SESSIONS
        for command in words_of(
            "list-sessions list-users list-seats show-session show-user show-seat session-status user-status "
            "seat-status"
        )
    },
    {
        f"{program} {command}": "words -slt -ba -r -y -bso0 -scrc -sccUTF-8 *"
        for program in ("7z", "7za", "7zr", "7zz")
        for command in ("l", "t", "h")
    },
    {
        f"{program} {command}": "words -p- -y -idq *"
        for program in ("unrar", "rar")
        for command in words_of("l lb lt v vb vt t")
    },
)
