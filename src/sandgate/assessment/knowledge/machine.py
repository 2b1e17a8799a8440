"""Accounts, rights, the kernel, firmware, hardware, power, printers, the desktop: settings that outlive a project."""

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
from sandgate.assessment.listing import phrases

ENTRIES: tuple[Entry, ...] = (
    # Accounts and rights
    *acting("Changes accounts or passwords", """
        useradd, usermod, adduser, groupadd, groupmod, chpasswd, gpasswd, chfn, vipw, vigr, addgroup, newusers,
        pw, chgpasswd, pwconv, pwunconv, grpconv, grpunconv, pwck, grpck, smbpasswd, pdbedit,
        pam-auth-update, authselect, authconfig, realm, adcli, sss_cache, sysadminctl, newuidmap, newgidmap, faillock,
        pam_tally2, kadmin, ldapadd, ldapmodify, ldappasswd, ipa, samba-tool, opasswd
        """, PRIVILEGE, SYSTEM),
    # What other systems call theirs, for those who have them
    *acting("Deletes or clears what Windows has written down", """
        wevtutil cl, wevtutil clear-log, wevtutil sl, vssadmin delete, wmic shadowcopy delete, fsutil usn deletejournal,
        auditpol, cipher, diskpart
        """, DELETION, SYSTEM, COMPLIANCE),
    *acting("Changes Windows", """
        netsh, reg add, reg delete, reg import, schtasks, bcdedit, takeown, icacls, dism, sfc, wusa, pnputil
        """, SYSTEM, COMPLIANCE),
    *acting("Runs what another machine says", "mshta, regsvr32, rundll32, bitsadmin, msiexec", SYSTEM, NETWORK),
    *acting("Deletes entries of a directory of accounts", "ldapdelete", DELETION, SYSTEM, harmless="-n"),
    *acting("Changes accounts of this Mac", "dscl", PRIVILEGE, SYSTEM, clusters=False,
            harmless="-read -list -search -readall"),
    *acting("Changes settings of this Mac", "networksetup, scutil, tccutil", SYSTEM, clusters=False,
            harmless="--get --dns --proxy --nwi -listallnetworkservices -listallhardwareports -listnetworkserviceorder "
            "-listlocations -getinfo -getdnsservers -getwebproxy -getsearchdomains -getcomputername -version"),
    *acting("Changes a password", "passwd", PRIVILEGE, SYSTEM, harmless="-S --status"),
    *acting("Changes who may become administrator", "visudo", PRIVILEGE, SYSTEM, harmless="-c --check"),
    *acting("Changes the login shell", "chsh", SYSTEM, PRIVILEGE, harmless="-l --list-shells"),
    *acting("Changes how long passwords last", "chage", PRIVILEGE, SYSTEM, harmless="-l --list"),
    Entry("userdel", HIGH, "Deletes accounts", ("userdel u",), kind="privilege", categories=(SYSTEM, PRIVILEGE),
          values="-R -P",
          worse=(Worse("-r --remove -f", HIGH, "Deletes an account with its files", (DELETION, SYSTEM, PRIVILEGE)),)),
    Entry("deluser", HIGH, "Deletes accounts", ("deluser u",), kind="privilege", categories=(SYSTEM, PRIVILEGE),
          worse=(Worse("--remove-home --remove-all-files", HIGH, "Deletes an account with its files",
                       (DELETION, SYSTEM, PRIVILEGE)),)),
    *acting("Deletes groups", "groupdel, delgroup", SYSTEM, PRIVILEGE),
    *acting("Gives a program extra rights", "setcap", PRIVILEGE, SYSTEM, operands="skip-write", harmless="-v -h"),
    *acting("Changes the rights of a session", "pivot_root, switch_root, setpriv, newgrp, sg, kinit", PRIVILEGE),
    *acting("Changes the rights of a session", "capsh", PRIVILEGE, harmless="--print"),
    *looking("Shows rights and accounts", """
        getcap, getpcaps, getfacl, getfattr, namei, lsattr, pathchk, finger, pinky, lslogins, sestatus,
        getenforce, getsebool, seinfo, sesearch, aa-status, apparmor_status, aa-unconfined, matchpathcon, klist,
        ldapsearch, wbinfo
        """),
    *acting("Switches a protection of this machine", """
        setenforce, aa-disable, aa-complain, aa-teardown, aa-enforce, aa-remove-unknown, apparmor_parser,
        augenrules, spctl, csrutil, semanage, setsebool, semodule, load_policy, fixfiles,
        update-crypto-policies, fips-mode-setup, mokutil, sbctl, tpm2_clear, usbguard, fail2ban-client, freshclam,
        rkhunter, tripwire
        """, SYSTEM, COMPLIANCE, harmless="-l --list --list-enrolled --sb-state --status"),
    *acting("Switches a protection of this machine", "auditctl", SYSTEM, COMPLIANCE, harmless="-l -s -v"),
    *looking("Shows a protection of this machine", "csrutil status, spctl status, fail2ban-client status, "
            "usbguard list-devices, clamscan, lynis show, chkrootkit"),
    *acting("Changes security labels", "chcon, restorecon", SYSTEM, kind="writes", level=MEDIUM, operands="write",
            values="-t -u -r -l",
            harmless="-n"),
    *acting("Mines for a currency", """
        xmrig, xmr-stak, xmr-stak-rx, cpuminer, cpuminer-multi, minerd, ccminer, ethminer, t-rex, nbminer, lolMiner,
        lolminer, PhoenixMiner, teamredminer, gminer, srbminer, SRBMiner-MULTI, cgminer, bfgminer, nicehash, nheqminer,
        xmrig-proxy, nanominer, wildrig, bzminer, rigel, onezerominer, kawpowminer, claymore, ewbf
        """, EXHAUSTION, NETWORK, COMPLIANCE, kind="runs", consequence="It takes the machine for as long as it runs"),
    # Processes of others, memory
    *acting("Looks into other programs' memory", "gcore, mimikatz, gdbserver, memdump, volatility, avml, criu, "
            "polkit-agent-helper-1",
            PRIVILEGE, EXFILTRATION),
    *acting("Shows the stack of a program", "gstack, pstack, eu-stack", level=MEDIUM, kind="reads"),
    *looking("Shows processes", """
        ps, pstree, pgrep, pidof, top, htop, btop, atop, glances, nmon, iotop, iostat, mpstat, pidstat, sar,
        dstat, vmstat, pmap, pwdx, slabtop, ipcs, lsipc, lslocks, lsfd, lsns, procs, tload, schedtool, uptime,
        turbostat, nethogs, iftop, bmon, nload, vnstat, cpupower frequency-info, cpupower idle-info, perf list,
        perf report, perf script, lsof, tiptop, numastat, smem, ps_mem, memusage, sadf, ksysguard, btm, bpytop,
        gotop
        """),
    *acting("Measures programs", "perf, bpftrace, opcontrol, sysdig, trace-cmd, ftrace, systemtap, stap",
            level=MEDIUM, kind="runs"),
    *acting("Ends processes", "killall5, skill, slay", EXHAUSTION, SYSTEM, kind="runs"),
    *acting("Deletes shared memory of programs", "ipcrm", SYSTEM, level=MEDIUM, kind="runs"),
    *acting("Changes limits of programs", "cgcreate, cgset, cgdelete, cgexec, cgclassify, cgconfigparser, earlyoom, "
            "systemd-oomd", SYSTEM),
    *acting("Changes priorities", "renice, snice", level=MEDIUM, kind="runs"),
    *acting("Uses up processors and memory", """
        stress, stress-ng, sysbench, fio, iozone, bonnie++, memtester, cpuburn, mprime, y-cruncher, hping3
        """, EXHAUSTION, kind="runs"),
    *acting("Writes to all terminals", "wall, write", level=MEDIUM, kind="writes"),
    *looking("Prints information", """
        mesg, lsb_release, hostid, uuidgen, mcookie, pwgen, mkpasswd, apg, xkcdpass, zdump, cal, ncal, look,
        units, rig, figlet, toilet, cowsay, fortune, banner, lolcat, sl, cmatrix, asciiquarium, neofetch,
        fastfetch, screenfetch, primes, dc, qalc, jo, envsubst, compgen, enable, caller, dirs, help, fc,
        hash, suspend, logout, times, virt-what, spark, dateutils.dconv, ddiff, dadd, gdate, getopt, whereami
        """),
    # Kernel, boot, firmware
    *acting("Changes the running kernel", """
        insmod, rmmod, kexec, dkms add, bpftool, kmod, kpatch, livepatch, weak-modules
        """, SYSTEM, PRIVILEGE),
    *acting("Changes the running kernel", "modprobe", SYSTEM, PRIVILEGE,
            harmless="-n --dry-run --show-depends -D -c --showconfig"),
    *acting("Changes the running kernel", "depmod, dkms", SYSTEM, PRIVILEGE, harmless="-n --dry-run"),
    *looking("Shows the kernel", """
        modinfo, lsmod, dkms status, bpftool prog show, bpftool map show, bpftool prog list, kmod list, kmod
        static-nodes, systool
        """),
    *acting("Changes how this machine starts", """
        grub-install, grub2-install, update-grub, update-grub2, grub-mkconfig, grub2-mkconfig, grub-set-default,
        grub2-set-default, grub-reboot, grub-editenv, grub2-editenv, update-initramfs, mkinitcpio,
        mkinitramfs, dracut, mkinitrd, kernel-install, installkernel, lilo, syslinux, extlinux, refind-install,
        kernelstub, plymouth-set-default-theme, update-bootloader, bless, nvram, bcdedit, raspi-config,
        rpi-update, u-boot-update, fw_setenv, systemd-boot, zipl, sbsign, extlinux-update
        """, SYSTEM, consequence="This machine may not start any more"),
    *acting("Changes which tools this machine builds with", "xcode-select", SYSTEM,
            harmless="-p --print-path -v --version"),
    *acting("Changes how this machine starts", "efibootmgr, bootctl", SYSTEM, bare=True),
    *acting("Changes how this machine starts", "grubby", SYSTEM, bare=True),
    *looking("Shows how this machine starts", "bootctl status, bootctl list, grub-editenv list, fw_printenv, "
            "lsinitramfs, lsinitrd"),
    *acting("Changes firmware or hardware registers", """
        flashrom, fwupdmgr, fwupdtool, setpci, wrmsr, rdmsr, ipmitool, ipmi-chassis, amtool, openocd,
        nvflash, mft, mstflint, rpi-eeprom-update, rpi-eeprom-config,
        usbreset, uhubctl, i2cset, gpioset, devmem2, devmem, busybox devmem, hid-tools,
        heimdall, cbmem
        """, SYSTEM, consequence="Hardware can become unusable"),
    *(Entry(name, HIGH, "Writes the program of a device", (f"{name} write x", f"{name} erase => high",
            f"{name} --list => low"), kind="privilege", categories=(SYSTEM,), clusters=False,
            values="--port -p -b --baud --chip -c -a -s -P -U -D -f -d -i -t",
            consequence="The device may not start any more", harmless="--help --version --list -l --probe",
            worse=(Worse("--eraseall --erase --chiperase --recover -e --mass-erase", HIGH,
                         "Deletes everything on a device", (DELETION, SYSTEM), unless="-U",
                         operands="erase erase_flash erase-flash erase_region erase-region erase-parts mass-erase "
                                  "mass_erase recover erase_all"),))
      for name in phrases("dfu-util, esptool, esptool.py, espflash, avrdude, st-flash, nrfjprog, nrfutil, pyocd, "
                          "picotool, probe-rs, stm32flash, bossac, mspdebug, JLinkExe, teensy_loader_cli")),
    *looking("Shows what a device says", """
        esptool.py chip_id, esptool.py flash_id, esptool.py read_mac, esptool.py image_info, esptool.py version,
        esptool chip_id, esptool chip-id, esptool flash_id, esptool flash-id, esptool read_mac, esptool image_info,
        espflash board-info, espflash list-ports, espflash monitor, pyocd list, pyocd json, probe-rs list,
        probe-rs info, picotool info, picotool version, st-info, st-trace, nrfutil device list, lsusb,
        arduino-cli board, arduino-cli core list, arduino-cli lib list, pio device, pio boards, west boards,
        idf.py size, idf.py monitor
        """, values="--port -p -b --baud --chip", clusters=False),
    Entry("fastboot", HIGH, "Changes the system of a phone", ("fastboot flash boot boot.img",
          "fastboot devices => low"), kind="privilege", categories=(SYSTEM,),
          consequence="The phone may not start any more",
          worse=(Worse("-w", HIGH, "Deletes everything on a phone", (DELETION,),
                       operands="erase format format:ext4 wipe-super"),), harmless="--help --version"),
    Entry("adb", MEDIUM, "Talks to a phone", ("adb install app.apk", "adb uninstall a.b => high", "adb devices => low"),
          kind="contacts",
          worse=(Worse("", HIGH, "Deletes things on a phone", (DELETION,), operands="uninstall wipe"),
                 Worse("", HIGH, "Changes the system of a phone", (SYSTEM, PRIVILEGE),
                       operands="root remount disable-verity sideload"))),
    *looking("Shows phones", "adb devices, adb version, adb logcat, adb get-state"),
    Entry("adb pull", MEDIUM, "Copies files from a phone", ("adb pull /sdcard/a",), kind="writes"),
    Entry("xcrun simctl", MEDIUM, "Uses a simulator of a phone", ("xcrun simctl boot a",
          "xcrun simctl erase all => high", "xcrun simctl list => low"), kind="runs",
          worse=(Worse("", HIGH, "Deletes what simulators hold", (DELETION,), operands="erase delete"),)),
    *looking("Shows simulators of phones", "xcrun simctl list, xcrun simctl help"),
    *looking("Shows hardware", """
        fwupdmgr get-devices, fwupdmgr get-updates, fwupdmgr get-history, ipmitool sensor, ipmitool sdr, ipmitool
        sel list, ipmitool fru, ipmitool chassis status, dmidecode, lshw, hwinfo, inxi, lsmem, lsirq, lscpu,
        lspci, lsusb, sensors, acpi, upower, biosdecode, vpddecode, edac-util, usb-devices, lstopo, hwloc-ls,
        lshal, cpuid, x86info, i2cdetect, i2cdump, gpioinfo, gpiodetect, gpioget, glxinfo, vulkaninfo, clinfo,
        rocm-smi, rocminfo, nvtop, intel_gpu_top, vainfo, vdpauinfo, nvidia-debugdump, tegrastats, vcgencmd,
        pinout, system_profiler, ioreg, vm_stat, sw_vers, powermetrics, hostinfo, lstcl, fastboot devices,
        picotool info, lsdvd, mcelog
        """),
    Entry("nvidia-smi", LOW, "Shows graphics processors", ("nvidia-smi", "nvidia-smi -pl 250 => high"), kind="reads",
          values="-i -q -d -l -f", clusters=False,
          worse=(Worse("-pl -pm -r -e -c -ac -rac -lgc -rgc -mig -dm -p --gpu-reset --power-limit --persistence-mode "
                       "--ecc-config --compute-mode --lock-gpu-clocks", HIGH, "Changes a graphics processor",
                       (SYSTEM,)),)),
    *acting("Changes power settings", """
        shutdown, reboot, halt, poweroff, init, telinit, pm-suspend, pm-hibernate, rtcwake, s2ram, s2disk, zzz,
        loginctl suspend, loginctl reboot, loginctl poweroff, apcupsd, upscmd, upsdrvctl, systemctl-suspend,
        powerd
        """, SYSTEM, EXHAUSTION),
    *acting("Changes power settings", """
        cpupower, cpufreq-set, tuned-adm, x86_energy_perf_policy, tlp, powerprofilesctl, thermald,
        undervolt, nvpmodel, jetson_clocks, ryzenadj, systemd-inhibit, caffeine, auto-cpufreq
        """,
            SYSTEM),
    *acting("Changes power settings", "pmset", SYSTEM, harmless="-g"),
    *acting("Changes power settings", "rfkill", SYSTEM, bare=True),
    *looking("Shows power settings", """
        tuned-adm active, tuned-adm list, tlp-stat, powerprofilesctl list, powerprofilesctl get, cpufreq-info,
        rfkill list, upsc, apcaccess
        """),
    Entry("sysctl", LOW, "Shows kernel settings", ("sysctl kernel.hostname", "sysctl -w kernel.x=1 => high"),
          kind="reads",
          worse=(Worse("-w --write -p --load --system -f", HIGH, "Changes kernel settings", (SYSTEM,)),)),
    Entry("hostname", LOW, "Prints the name of this machine", ("hostname", "hostname new => high"), kind="reads"),
    Entry("date", LOW, "Prints the time", ("date", "date -s 12:00 => high"), kind="reads",
          values="-d -r -f --date --reference",
          worse=(Worse("-s --set", HIGH, "Changes the clock", (SYSTEM, COMPLIANCE)),)),
    *acting("Changes the clock", "hwclock", SYSTEM, COMPLIANCE, harmless="-r --show --get", bare=True),
    *acting("Changes the clock", "ntpdate, sntp, rdate, adjtimex, tzselect, ntpdig, chronyd, systemd-timesyncd",
            SYSTEM, COMPLIANCE, NETWORK),
    *acting("Changes the clock", "chronyc", SYSTEM, COMPLIANCE),
    *looking("Shows the clock", """
        chronyc tracking, chronyc sources, chronyc sourcestats, chronyc activity, chronyc ntpdata, ntpq, ntpstat
        """),
    # Settings of the system
    *acting("Changes which program a name means", """
        update-alternatives, alternatives, select-editor, eselect, archlinux-java, update-java-alternatives
        """, SYSTEM,
            harmless="--list --display --query --get-selections -l"),
    *acting("Changes which libraries programs load", "ldconfig", SYSTEM, harmless="-p --print-cache"),
    *acting("Changes which certificates programs trust", "update-ca-certificates, update-ca-trust, trust, certmgr, "
            "c_rehash, cert-sync", SYSTEM, COMPLIANCE),
    *looking("Shows trusted certificates", "trust list, trust dump"),
    *acting("Changes settings of the system", """
        dpkg-reconfigure, debconf-set-selections, locale-gen, update-locale, localedef, augtool, netplan,
        nixos-rebuild, sysrc, update-rc, systemsetup, nvram, kextload, kextunload, kmutil,
        installer, pkgutil, profiles, launchd, authconfig, lpadmin, smartmontools,
        setserial, loadkeys, setfont, setupcon, update-mime-database, update-desktop-database, tzdata-update,
        catalog-update, ldapconf
        """, SYSTEM),
    *looking("Shows settings of the system", "debconf-show, debconf-get-selections, postconf, netplan get, kextstat"),
    *acting("Changes settings of this account", """
        gsettings set, gsettings reset, gsettings reset-recursively, dconf, dconf write, dconf reset, dconf load,
        kwriteconfig5, xfconf-query, xdg-mime, xdg-settings, defaults import, plutil, PlistBuddy,
        git-credential-store
        """, SYSTEM, level=MEDIUM, kind="writes"),
    Entry("defaults write", MEDIUM, "Changes settings of this account",
          ("defaults write com.apple.dock tilesize 36", "defaults write com.apple.LaunchServices LSQuarantine -bool NO "
           "=> high"), kind="writes", categories=(SYSTEM,), clusters=False,
          worse=(Worse("", HIGH, "Switches a protection of this machine", (SYSTEM, COMPLIANCE),
                       operands="LSQuarantine com.apple.LaunchServices com.apple.alf com.apple.screensaver "
                       "com.apple.loginwindow com.apple.security com.apple.SoftwareUpdate com.apple.commerce "
                       "/Library/Preferences/"),)),
    *acting("Deletes settings of this account", "defaults delete", SYSTEM, DELETION, level=MEDIUM, kind="writes"),
    *looking("Shows settings of this account", """
        gsettings, gsettings get, gsettings list-keys, gsettings list-schemas, gsettings list-recursively, dconf
        read, dconf list, dconf dump, xdg-mime query, xdg-settings get, xdg-user-dir, kreadconfig5, defaults
        read, defaults domains, defaults find, defaults read-type, fc-match, fc-query, mdfind, mdls, locale,
        tput, infocmp, toe, showkey, dumpkeys, xprop, xwininfo, xdpyinfo, xlsclients, xev
        """),
    *acting("Changes the terminal or the screen", """
        setterm, reset, xrandr, xset, setxkbmap, xmodmap, wmctrl, xdotool, ydotool, wtype, brightnessctl,
        light, xbacklight, xinput, xrdb, wlr-randr, swaymsg, i3-msg, hyprctl, xdg-screensaver,
        gnome-screensaver-command, xscreensaver-command, resize
        """, level=MEDIUM, kind="runs"),
    *acting("Changes the terminal or the screen", "stty", level=MEDIUM, kind="runs", bare=True),
    *acting("Updates caches of this account", """
        fc-cache, updatedb, mandb, gtk-update-icon-cache, update-mime, kbuildsycoca5, glib-compile-schemas,
        texhash, mktexlsr, makewhatis
        """, level=MEDIUM, kind="writes"),
    *acting("Opens something on the desktop", """
        xdg-open, open, gio open, gnome-open, kde-open, start, explorer.exe, notify-send, zenity, kdialog,
        dialog, whiptail, say, espeak, spd-say, terminal-notifier, wslview, xdg-email
        """, level=MEDIUM, kind="runs"),
    *acting("Reads or changes the clipboard", "xclip, xsel, wl-copy, wl-paste, pbcopy, pbpaste, clip.exe",
            level=MEDIUM, kind="reads"),
    *acting("Records the screen, sound or picture", """
        scrot, gnome-screenshot, grim, import, maim, flameshot, spectacle, screencapture,
        wf-recorder, xwd, simplescreenrecorder, kazam, obs
        """, level=MEDIUM, kind="reads"),
    *acting("Records what is said or seen here", "arecord, parecord, parec, pw-record, rec, fswebcam, imagesnap",
            EXFILTRATION, kind="reads"),
    *acting("Records what is typed", "logkeys, showkey, evtest, xspy, keysniffer", EXFILTRATION, PRIVILEGE,
            kind="reads"),
    *acting("Changes sound", "amixer, alsamixer, pactl, pacmd, wpctl, pamixer, alsactl", level=MEDIUM, kind="runs"),
    *looking("Shows sound", "pactl list, pactl info, wpctl status, amixer scontents, amixer get"),
    # Printers
    *acting("Prints on paper", "lp, lpr, enscript, a2ps", level=MEDIUM, kind="runs"),
    *acting("Cancels print jobs", "cancel, lprm", level=MEDIUM, kind="runs"),
    *looking("Shows printers", "lpstat, lpq, lpinfo"),
    *acting("Changes printers", "lpoptions, lpmove, hp-setup, system-config-printer", SYSTEM, harmless="-l"),
    *acting("Scans", "scanimage, hp-scan", level=MEDIUM, kind="reads"),
)  # fmt: skip
