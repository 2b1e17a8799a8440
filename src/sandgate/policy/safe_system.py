"""Programs of administration that only read, by the arguments that keep them so. Data, like `safe_programs`.

Two things are left out on purpose wherever a manual has them: options that name an output, a host or a program, and
commands whose configuration may come from the working directory. A status command of a service manager asks the
manager, which may refuse; it changes nothing.
"""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.commandline.words import words_of
from sandgate.policy.safe_mac import MAC

_HELP = "--help --version"
_LVM = (
    "-aAvPqt -o= -O= -S= --all --noheadings --units= --separator= --options= --sort= --select= --reportformat= "
    "--segments --nosuffix --readonly *"
)
_UNPACKED = (
    "-cdfklqtv -T= --stdout --to-stdout --decompress --uncompress --list --test --keep --quiet --verbose * "
    "check:unpacked"
)
SYSTEMCTL = (
    "-alq -n= -o= -p= -t= --user --system --all --full --quiet --no-pager --no-legend --plain --failed --type= "
    "--state= --lines= --output= --property= --value --show-types --legend= --with-dependencies --recursive --reverse "
    "--after --before --no-ask-password --timestamp="
)
SESSIONS = "-al -n= -o= -p= --no-pager --no-legend --all --full --lines= --output= --property= --value *"

_EACH: dict[str, str] = {
    # Services and logs
    "systemctl": f"{SYSTEMCTL} --version --help stop * sub alone",
    "service": f"{_HELP} --status-all * exact check:service",
    "journalctl": "-NUM -aefklmNqrx -b[=] -c= -D= -F= -g= -i= -n[=] -o= -p= -S= -t= -u= -U= --all --boot[=] --catalog "
    "--case-sensitive[=] --cursor= --after-cursor= --directory= --disk-usage --dmesg --facility= --field= --fields "
    "--file= --follow --full --grep= --header --identifier= --invocation= --lines[=] --list-boots --list-catalog "
    "--local --machine-id --merge --namespace= --no-full --no-hostname --no-pager --no-tail --output= "
    "--output-fields= --pager-end --priority= --quiet --reverse --show-cursor --since= --system --this-boot "
    "--truncate-newline --unit= --until= --user --user-unit= --utc --verify --version *",
    "systemd-analyze": "--user --system --no-pager --fuzz= --iterations= --base-time= stop * sub alone",
    "systemd-cgls": "-alk -M= -u[=] --no-pager --all --full *",
    "systemd-detect-virt": "-cqrv --container --vm --chroot --private-users --quiet --list 0",
    "systemd-path": "--suffix= --no-pager *",
    "systemd-escape": "-mpu --path --mangle --unescape --template= --suffix= * !",
    "systemd-delta": "--no-pager --diff[=] -t= --type= *",
    "sudo": "-lnkVh -U= --list --non-interactive --other-user= --reset-timestamp --version --help 0 "
    "needs:-l,-k,-V,-h,--list,--reset-timestamp,--version,--help",
    "loginctl": f"{SESSIONS} stop sub alone",
    "timedatectl": "-a -p= --all --no-pager --value --property= stop * sub alone",
    "hostnamectl": "--static --pretty --transient --json= stop * sub alone",
    "localectl": "--no-pager stop * sub alone",
    "busctl": "--user --system --no-pager --no-legend --json= --list stop * sub alone",
    "coredumpctl": "--no-pager --no-legend -qr1 stop * sub alone",
    "bootctl": "--no-pager stop * sub alone",
    "networkctl": "--no-pager --no-legend -als --all --stats --full stop * sub alone",
    "crontab": "-l -u= 0 needs:-l",
    "atq": "-V -q= 1",
    "at": "-lV 0 needs:-l,-V",
    "chkconfig": "--list 1 needs:--list",
    "rc-status": "-acflmrsSu --all --list --servicelist *",
    "initctl": "stop * sub",
    "sv": "-v stop * sub",
    # Disks and file systems
    "blkid": "-ikp -l -L= -n= -o= -s= -t= -u= -U= --list-one --label= --output= --match-tag= --match-token= --probe "
    "--match-types= --uuid= --no-encoding *",
    "mountpoint": "-dqx --quiet --fs-devno --devno --nofollow 1",
    "swapon": "-s --show[=] --summary --noheadings --raw --bytes 0 needs:-s,--show,--summary",
    "fdisk": "-lx -b= -L= -o= -t= -u= -c= --list --list-details --bytes --output= --units[=] * needs:-l,-x,--list",
    "sfdisk": "-dJlVs --dump --json --list --verify --show-size --show-geometry -g --output= -o= --bytes * "
    "needs:-d,-J,-l,-V,-s,--dump,--json,--list,--verify,--show-size",
    "gdisk": "-l * needs:-l",
    "sgdisk": "-p -i= -F= -E= --print --info= * needs:-p,--print,-i,--info",
    "parted": "-lms --list --machine --script * exact check:parted",
    "lsscsi": "-cdgHiklLNpstuUvVw0 *",
    "pvs": _LVM,
    "vgs": _LVM,
    "lvs": _LVM,
    "pvdisplay": "-acCmsv --maps --short --columns --colon --units= *",
    "vgdisplay": "-acCsv --short --columns --colon --units= *",
    "lvdisplay": "-acCmv --all --maps --columns --colon --units= *",
    "mdadm": "-DEQv -s --detail --examine --query --scan --verbose --brief --export * "
    "needs:-D,-E,-Q,--detail,--examine,--query",
    "zpool": "stop * sub",
    "zfs": "stop * sub",
    "btrfs": "-v stop * exact check:btrfs",
    "cryptsetup": "stop * sub",
    "losetup": "-alJnr -j= -O= --all --list --json --noheadings --raw --associated= --output= --output-all 0",
    "dumpe2fs": "-bfhgx -o= *",
    "tune2fs": "-l 1 needs:-l",
    "xfs_info": "-V -t= 1",
    "quota": "-gpquvsw *",
    "repquota": "-acginpqstuv *",
    "smartctl": "-aAcHix -d= -j[=] -n= -q= -r= --all --xall --info --health --attributes --capabilities "
    "--device= --json[=] --scan --scan-open *",
    "wipefs": "-aJnpi -O= --no-act --json --parsable --all * needs:-n,--no-act",
    "isoinfo": "-dflJRpv -i= -x= -N= -T= -j= 0",
    "hdparm": "-giIV --version 1",
    "blockdev": "-v --getsize64 --getsz --getss --getpbsz --getbsz --getro --getra --getfra --getiomin --getioopt "
    "--getalignoff --getmaxsect --report *",
    "nvme": "-v --version stop * sub",
    "udevadm": "stop * sub",
    "dmsetup": "-crv --columns --tree stop * sub",
    "duf": "--all --hide= --hide-fs= --hide-mp= --inodes --json --only= --only-fs= --only-mp= --output= --sort= "
    "--style= --theme= --width= *",
    "dust": "-rsbcpiBDFH -d= -n= -X= -v= -e= -w= -t --depth= --number-of-lines= --full-paths --reverse "
    "--apparent-size --no-colors --no-percent-bars --only-dir --only-file *",
    "qemu-img": "stop * sub confined",  # an image names others, with addresses
    # Processes
    "top": "-bcHiSs -d= -e= -E= -n= -o= -p= -u= -U= -w[=] 0 needs:-b",
    "iostat": "-cdhkmNptxyzsV -g= -H -j= -o= --human --dec= --compact --pretty *",
    "mpstat": "-AnTuV -I= -N= -o= -P= --dec= *",
    "pidstat": "-dhHIlrRstuUvVw -C= -G= -p= -T= --human --dec= *",
    "sar": "-AbBCdFhHqrSuvVwWyzDt -e= -f= -i= -I= -m= -n= -P= -s= --human --pretty --dec= *",
    "pmap": "-pqxXd --quiet --show-path --extended --device *",
    "pwdx": "-V *",
    "fuser": "-acfIlmMuv46 -n= --all --ismountpoint --list-signals --mount --namespace= --user --verbose "
    "* exact check:no_remote",
    "slabtop": "-o -s= --once --sort= 0 needs:-o,--once",
    "ipcs": "-abclmpqstu -i= --human --bytes --all --queues --semaphores --shmems --limits --summary --time --pid 0",
    "lsipc": "-abcgJlmnpqPrst -i= -o= -y --json --list --queues --semaphores --shmems --global *",
    "lslocks": "-bJnru -o= -p= --json --noheadings --output= --pid= --raw 0",
    "lsfd": "-Jlnr -Q= -p= -o= --json --noheadings --output= --pid= --raw --summary 0",
    "kill": "-0lL * exact needs:-0,-l,-L",
    "procs": "--tree --no-header --sortd= --sorta= --and --or *",
    "screen": "words -ls -list -v --version 1 needs:-ls,-list,-v,--version",
    "tmux": "-V stop * sub alone needs:-V",
    # Who we are and who may what
    "getcap": "-nrv *",
    "getpcaps": "--ugly --legacy --iab *",
    "capsh": "--print 0 needs:--print",
    "lslogins": "-acdefGLmnpPrsuyzZ -g= -l= -o= --acc-expiration --failed --last --logins= --output= --pwd "
    "--system-accs --user-accs *",
    "lastlog": "-b= -t= -u= --before= --time= --user= 0",
    "lastb": "-NUM -adFiwx -n= -s= -t= *",
    "chage": "-il --list --iso8601 1 needs:-l,--list",
    "passwd": "-S --status 1 needs:-S,--status",
    "finger": "-lmps * check:no_host",
    "getenforce": "0",
    "csrutil": "stop * sub",
    "spctl": "--status 0 needs:--status",
    "sestatus": "-bv 0",
    "getsebool": "-a *",
    "aa-status": "--enabled --profiled --enforced --complaining --verbose --json --pretty-json 0",
    "ausyscall": "--dump --exact *",
    # The kernel, the hardware, the system
    "modinfo": "-0adlnpV -b= -F= -k= --field= --filename --author --description --license --parameters --null *",
    "dmidecode": "-quV -s= -t= --string= --type= --quiet --no-sysfs --version 0",
    "lshw": "-businfo -short -json -html -xml -quiet -numeric -sanitize -notime -C= -c= -class= -enable= -disable= "
    "words 0",
    "modprobe": "-nDcvaS= --show-depends --dry-run --showconfig --verbose * needs:-n,-D,-c,--show-depends,--dry-run,"
    "--showconfig",
    "dpkg-divert": "--list --listpackage= --truename= * exact needs:--list,--listpackage,--truename",
    "systemd-tmpfiles": "--cat-config --tldr --user --no-pager --prefix= * needs:--cat-config,--tldr",
    "fc": "-NUM -lnr * needs:-l",
    "gio": "stop * sub",
    "lsmem": "-abJnPr -s= -S= -o= --all --bytes --json --noheadings --output= --pairs --raw --summary[=] 0",
    "lsirq": "-JnrPS -s= -o= --json --noheadings --output= --sort= 0",
    "sensors": "-AfjuU -c= --no-adapter --fahrenheit *",
    "acpi": "-abBcfikstV --everything --battery --thermal --ac-adapter --cooling --details 0",
    "upower": "-deb -i= --enumerate --dump --show-info= --version 0",
    "inxi": "-AaBbCDdEFfGIJjLlMmnNoPpRrSsTtuVxXYyZz -c= *",
    "hwinfo": "--short --cpu --memory --disk --netcard --gfxcard --usb --pci --bios --arch * confined",
    "cpupower": "-c= --cpu= stop * sub confined",
    "rfkill": "-Jnr -o= --json --noheadings --output= --raw stop * sub alone",
    "numactl": "-Hs --hardware --show 0 needs:-H,-s,--hardware,--show",
    "hostid": "0",
    "runlevel": "0",
    "lsb_release": "-acdhirsv --all --codename --description --id --release --short --version 0",
    "hwclock": "-rv --show --get --verbose --utc --localtime --version 0 needs:-r,--show,--get,--version",
    "chronyc": "-nc4 stop * sub",
    "ldconfig": "-p --print-cache 0 needs:-p,--print-cache",
    "update-alternatives": "--list= --display= --query= --get-selections 0 "
    "needs:--list,--display,--query,--get-selections",
    "virt-what": "0",
    "zdump": "-vVi -c= -t= *",
    "gsettings": "stop * sub",
    "dconf": "stop * sub",
    "xdg-mime": "stop * sub",
    "xdg-user-dir": "1 exact check:plain_words",  # a shell script that evaluates its argument
    "fc-list": "-qvb -f= --brief --format= --verbose --quiet * confined",
    "fc-match": "-asvb -f= --all --sort --brief --format= --verbose * confined",
    "stty": "-ag --all --save 1 check:stty",
    "tput": "-V -T= * check:tput",
    "uuidgen": "-rt --random --time 0",
    "mcookie": "-v 0",
    "clear": "-x 0",
    "yes": "stop * !",
    "rsync": "-nvarlptgoDHAXxucizhPSWRdkKLO8 --dry-run --archive --recursive --verbose --checksum --update --delete "
    "--itemize-changes --stats --human-readable --progress --exclude= --include= --list-only --links --perms --times "
    "--existing --ignore-existing --size-only --no-perms --no-owner --no-group --no-times --delete-excluded "
    "--delete-after --prune-empty-dirs * exact needs:-n,--dry-run,--list-only check:own_files",
    "grubby": "--info= --default-kernel --default-index --default-title 0",
    # Archives
    "7z": "stop * sub",
    "7za": "stop * sub",
    "7zr": "stop * sub",
    "7zz": "stop * sub",
    "unrar": "stop * sub",
    "rar": "stop * sub",
    "lsar": "words -l -L -j -json -p= -password= *",
    "jar": "* exact check:jar",
    "ar": "--version * exact check:ar",
    "bsdtar": "any check:tar exact",
    "gtar": "any check:tar exact",
    "cpio": "-itv --list --quiet --verbose --numeric-uid-gid * needs:-t,--list",
    "dpkg-deb": "-cIfW --contents --info --field --show --showformat= * "
    "needs:-c,-I,-f,-W,--contents,--info,--field,--show",
    "rpm2cpio": "1",
    "pbzip2": "-cdfktqv --stdout --decompress --test --keep --quiet --verbose * check:unpacked",  # `-l` heeds the load
    "lzcat": "-qv *",
    "zstdcat": "-qv *",
    "lz4cat": "-qv 1",
    # Shell scripts; they put their options together for `eval`
    "zgrep": "@grep check:quotes",
    "zegrep": "@zgrep",
    "zfgrep": "@zgrep",
    "bzgrep": "@zgrep",
    "xzgrep": "@zgrep",
    "zstdgrep": "@zgrep",
    "lzgrep": "@zgrep",
    "zdiff": "-bBciqrsuwy -U= -C= * check:quotes",
    "zcmp": "-bls * check:quotes",
    "unsquashfs": "words -l -ls -ll -lls -s -stat * needs:-l,-ls,-ll,-lls,-s,-stat",
    # Cryptography
    "openssl": "stop * sub check:no_url",
    "gpg": "--version --list-keys --list-public-keys --list-secret-keys --list-signatures --list-sigs --fingerprint "
    "--show-keys --list-packets --keyid-format= --with-colons --with-fingerprint --with-keygrip "
    "--with-subkey-fingerprint "
    "-kKv --no-tty --batch --list-options= --list-config * confined "
    "needs:--version,--list-keys,--list-public-keys,--list-secret-keys,--list-signatures,--list-sigs,--fingerprint,"
    "--show-keys,--list-packets,--list-config,-k,-K",
    "ssh-keygen": "-lv -F= -f= -E= 0 needs:-l,-F",
    "ssh-add": "-lL -E= 0 needs:-l,-L",
    "keytool": "words -list -printcert -keystore= -storepass= -alias= -v -rfc -file= -storetype= -noprompt 0 "
    "needs:-list,-printcert",
    "b3sum": "-cl --check --length= --no-names --raw --quiet --num-threads= * !",
    "xxhsum": "-bcq -H= --check --quiet --status --tag *",
    "xxh64sum": "-bcq --check --quiet --tag *",
    "md5": "-qrs *",
    "crc32": "*",
    "mkpasswd": "-m= -S= -R= --method= --salt= --rounds= 2",
    # Text
    "less": "-NUM -aeEFgGiIJLmMnNqQrRsSuUwWX~ --RAW-CONTROL-CHARS --chop-long-lines --no-init --quit-if-one-screen "
    "--LINE-NUMBERS --help --version * exact confined check:no_plus",
    "more": "-NUM -cdflpsu --help --version * exact confined check:no_plus",
    "zless": "@less",
    "zmore": "@more",
    "bat": "-AfnpuPd -l= -r= -m= -H= --style= --color= --decorations= --paging= --line-range= --language= --plain "
    "--number --theme= --wrap= --tabs= --show-all --list-languages --list-themes --file-name= --highlight-line= "
    "--terminal-width= --no-config --help --version * confined",
    "batcat": "@bat",
    "ag": "-acDfFhHilLnoQrRsSuUvwz0 -A= -B= -C= -g= -G= -m= -W= --ackmate --after= --all-text --all-types --before= "
    "--nobreak --count --color --nocolor --column --context= --depth= --filename --nofilename --files-with-matches "
    "--files-without-matches --follow --group --nogroup --heading --noheading --hidden --ignore= --ignore-case "
    "--ignore-dir= --invert-match --line-numbers --nonumbers --literal --max-count= --no-numbers --null "
    "--only-matching "
    "--print-long-lines --passthrough --silent --skip-vcs-ignores --smart-case --stats --unrestricted --vimgrep "
    "--word-regexp --list-file-types --python --js --ts --go --rust --java --ruby --cpp --cc --html --css --json "
    "--yaml "
    "--markdown --php --shell --swift --kotlin --scala --sql --xml --make --perl --lua --vim *",
    "bc": "-lqsw --mathlib --quiet --standard --warn *",
    "factor": "-h --exponents * !",
    "apropos": "-adelrvw -s= -m= --exact --and --wildcard --regex --long --sections= *",
    "whatis": "-adelrvw -s= -m= --wildcard --regex --long --sections= *",
    "look": "-abdf -t= --alphanum --alternative --ignore-case --terminate= 2",
    "wdiff": "-123isn --no-deleted --no-inserted --no-common --ignore-case --statistics *",
    "sdiff": "-abBdEHilstW -I= -w= --ignore-case --suppress-common-lines --left-column --width= 2",
    "diffstat": "-bcCdElmquv -NUM -p= -f= -w= -n= * exact check:names",
    "lsdiff": "-hnNHsv -p= --strip= --files= --line-number --number --status *",
    "difft": "--color= --display= --context= --width= --tab-width= --language= --syntax-highlight= --skip-unchanged "
    "--ignore-comments --list-languages 2",
    "envsubst": "-v --variables 1",
    "col": "-bfhpx -l= 0",
    "colrm": "2",
    "ul": "-i -t= -T= *",
    "ts": "-irsm 1",
    "jo": "-apBDenv *",
    "datamash": "-sihWHg -C -t= -g= -R= --sort --header-in --header-out --headers --whitespace --ignore-case --group= "
    "--field-separator= --round= --narm --full *",
    "csvlook": "-d= -t -q= -e= -I -H -K= -l --max-rows= --max-columns= --max-column-width= --no-inference *",
    "csvcut": "-nxtHlS -c= -C= -d= -q= -e= -K= --names --columns= --not-columns= --delete-empty-rows *",
    "csvstat": "-ntHI -c= -d= -q= -e= -K= --csv --json --names --columns= --type --nulls --unique --min --max --sum "
    "--mean --median --stdev --len --freq --freq-count= --count --no-inference *",
    "csvgrep": "-nitHl -c= -m= -r= -d= -q= -e= -K= --names --columns= --match= --regex= --invert-match *",
    "csvsort": "-nrtHlI -c= -d= -q= -e= -K= --names --columns= --reverse --no-inference *",
    "xmlstarlet": "stop * sub",
    "xsv": "stop * sub",
    "qsv": "stop * sub",
    "xmllint": "--noout --format --xpath= --nonet --html --recover --noblanks --nowarning --huge --debug "
    "--stream --encode= --pretty= * check:no_url",
    "hexyl": "-vC -n= -c= -s= -o= -l= --length= --skip= --bytes= --color= --border= --no-squeezing --plain *",
    "man": "-afkwWK --help --version -M= -s= -S= -P= --path --where --apropos --whatis --all --no-hyphenation * "
    "check:man confined",
    "aspell": "stop * sub",
    "addr2line": "-aCfipsR -e= -j= -b= --addresses --exe= --functions --inlines --demangle[=] --basenames * "
    "check:no_response_file",
    "c++filt": "-_inprtz -s= --no-params --no-verbose --types --strip-underscore * check:no_response_file",
    "ldd": "-druv --data-relocs --function-relocs --unused --verbose --version * confined",
    "dd": "--help --version * exact check:dd",
    "trash-list": "0",
    "compgen": "-abcdefgjksuv -A= 1",
    "complete": "-p * needs:-p",
    "enable": "-ap 0",
    "bind": "-lpPsSvV 0 needs:-l,-p,-P,-s,-S,-v,-V",
    "history": "1 check:number exact",
    "help": "-dms *",
    "alias": "0",
    "export": "-p 0",
    "declare": "-fFp * exact needs:-p,-f,-F",
    # Pictures, sound, documents
    "ffprobe": "words -v= -loglevel= -hide_banner -show_format -show_streams -show_entries= -show_chapters "
    "-show_frames -show_packets -show_programs -show_error -show_data -show_versions -of= -print_format= "
    "-output_format= "
    "-select_streams= -count_frames -count_packets -pretty -unit -prefix -sexagesimal -read_intervals= -i= "
    "-version -h 1 exact check:local_media",
    "ffmpeg": "words -hide_banner -version -codecs -encoders -decoders -formats -muxers -demuxers -filters -pix_fmts "
    "-protocols -hwaccels -bsfs -layouts -sample_fmts --version -i= 0 exact check:local_media needs:-version,--version,"
    "-codecs,-encoders,-decoders,-formats,-muxers,-demuxers,-filters,-pix_fmts,-protocols,-hwaccels,-bsfs,-layouts,-i",
    "identify": "words -format= -verbose -ping -quiet -version -list= * exact confined check:local_media",
    "exiftool": "words -a -s -s1 -s2 -s3 -S -G -G0 -G1 -j -json -n -u -U -b -r -ee -fast -fast2 -g -g0 -g1 -X -T -q -m "
    "-php -ver -common -all -d= -Make -Model -DateTimeOriginal -CreateDate -ModifyDate -ImageSize -ImageWidth "
    "-ImageHeight -Orientation -FileType -MIMEType -Duration -Title -Author -Artist -Copyright -Software -FileSize "
    "-FileName -ISO -GPSLatitude -GPSLongitude -GPSPosition -GPS:all -EXIF:all -XMP:all * exact confined check:no_pipe",
    "mediainfo": "--Output= --Inform= --Full --Help --Version -f --Language= * check:local_media",
    "sox": "words --i --info --version --help -t -r -c -s -d -D -b -B -e -a * exact check:local_media check:sox",
    "magick": "--version stop * sub confined",
    "soxi": "-abBcDdrsTtV * exact check:local_media",
    "metaflac": "--list --show-md5sum --show-tag= --show-sample-rate --show-channels --show-total-samples "
    "--show-bps --no-filename --with-filename * needs:--list,--show-md5sum,--show-tag,--show-sample-rate,"
    "--show-channels,--show-total-samples,--show-bps",
    "mkvinfo": "-astvz --all --track-info --ui-language= * check:no_response_file",
    "mkvmerge": "-iIJV --identify --identification-format= -F= --version * needs:-i,-J,-I,--identify,-V,--version "
    "check:no_response_file",
    "pdfinfo": "words -f= -l= -box -meta -custom -js -struct -struct-text -url -isodates -rawdates -dests -enc= "
    "-listenc -opw= -upw= -v -h 1 check:no_url",
    "pdftotext": "words -f= -l= -r= -x= -y= -W= -H= -layout -fixed= -raw -nodiag -htmlmeta -tsv -bbox -bbox-layout "
    "-cropbox -enc= -eol= -nopgbrk -opw= -upw= -q 2 exact check:no_url check:to_stdout",
    "pdffonts": "words -f= -l= -subst -opw= -upw= 1 check:no_url",
    "pdfimages": "words -list -f= -l= -opw= -upw= 1 needs:-list check:no_url",
    "qpdf": "--check --show-npages --show-pages --show-encryption --is-encrypted --requires-password "
    "--list-attachments --password= --show-linearization --check-linearization --no-warn 1 "
    "needs:--check,--show-npages,--show-pages,--show-encryption,--is-encrypted,--requires-password,--list-attachments,"
    "--show-linearization,--check-linearization check:no_response_file",
    "vipsheader": "-a -f= * confined",
    "gifsicle": "-I --info --color-info * needs:-I,--info",
    "webpinfo": "words -quiet -diag -summary -bitstream_info *",
    "pngcheck": "-7cfpqtv *",
    "jpeginfo": "-clv *",
    "antiword": "-fs *",
    "catdoc": "-abvw8 -d= -m= -s= *",
    # Printing
    "lpstat": "-dDelrRst -a[=] -c[=] -o[=] -p[=] -u[=] -v[=] -W= *",
    "lpq": "-al -P= *",
    "lpoptions": "-l -p= 0 needs:-l",
    "lpinfo": "-lmv 0 needs:-m,-v",
    # Pictures of text, and what this machine is
    "lsd": "-1aAFlhrRStvXdiLgGZ --tree --depth= --icon= --color= --group-dirs= --total-size --long --all --almost-all "
    "--header --date= --size= --permission= --blocks= --version --help *",
    "dircolors": "-bcp --sh --csh --bourne-shell --c-shell --print-database --print-ls-colors 1",
    "cowsay": "-bdgpstwyn -W= -e= -T= *",
    "figlet": "-cklnoprstvxDENRLX -w= *",
    "fortune": "-acefilosuw -n= -m= *",
    "neofetch": "--off --stdout 0 confined",
    "fastfetch": "--version 0 confined",
    "screenfetch": "-Nnv 0 confined",
    "info": "-w --where --version --help 2 exact check:plain_words needs:-w,--where,--version,--help",
    "systemd-cgtop": "-bptcmikPr1 -n= -d= --batch --iterations= --delay= --depth= --raw 0",
    "iotop": "-boPaktq -n= -d= -p= -u= --batch --only --iter= 0 needs:-b,--batch",
    "ptx": "-AfGrt -w= -g= --ignore-case --width= --gap-size= 1",
    "script": f"{_HELP} 0 needs:--version,--help",
    "busybox": "--list --list-full --help 0 needs:--list,--list-full,--help",
    "toybox": "--long --help --version 0",
}

SYSTEM: dict[str, str] = one_table(
    _EACH,
    MAC,
    dict.fromkeys(words_of("gzip gunzip pigz unpigz bzip2 bunzip2 lbzip2 xz unxz lzma unlzma zstd unzstd"), _UNPACKED),
    # Which version, which help? Programs of administration that answer without reading anything of a project's.
    dict.fromkeys(
        words_of(
            "zip mkfs.ext4 split csplit install shred truncate sync chgrp mktemp mkfifo mknod rmdir "
            "unlink stdbuf nice nohup logger umount sysbench htop btop convert "
            "inkscape rsvg-convert gs tesseract asciidoctor pdflatex xelatex lualatex lame flac "
            "mpv borg age fakeroot debootstrap qemu-system-x86_64 "
            "parallel sponge sd vi fzf delta ncdu patch ed flock strace ltrace perf "
            "chattr useradd usermod"
        ),
        f"{_HELP} 0 needs:--help,--version",
    ),
)
