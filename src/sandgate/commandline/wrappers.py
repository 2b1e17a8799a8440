"""Programs that run other programs: their own options, and where the inner command begins.

Data only; `invocation` reads it. A line is an argument grammar (see arguments.py) and one word for the shape of
what follows the options:

    command     the rest is the inner command            skip1 command   after one operand
    assigned    NAME=value words, then the command       script          the rest, joined, is a shell script
    operand     the first operand is a shell script      -c=script       the value of -c is one
"""

from __future__ import annotations

from sandgate.commandline.commission_rows import COMMISSIONED, ESCAPING, LANGUAGES
from sandgate.commandline.launcher_rows import LAUNCHING
from sandgate.commandline.words import words_of

WRAPPERS: dict[str, str] = {
    "env": (
        "-0iv -u= -C= -S= --null --ignore-environment --debug --list-signal-handling --unset= --chdir= "
        "--split-string= --block-signal[=] --default-signal[=] --ignore-signal[=] stop * assigned"
    ),
    "sudo": (
        "-ABbEeHiKklNnPSsVv -a= -C= -c= -D= -g= -h= -p= -R= -r= -T= -t= -U= -u= --askpass --background --bell "
        "--chdir= --chroot= --close-from= --command-timeout= --group= --host= --list --login --no-update "
        "--non-interactive --other-user= --preserve-env[=] --preserve-groups --prompt= --remove-timestamp "
        "--reset-timestamp --role= --set-home --shell --stdin --type= --user= --validate stop * assigned"
    ),
    "doas": "-Lns -a= -C= -u= stop * command",
    "nice": "-n= --adjustment= -NUM stop * command",
    "nohup": "stop * command",
    "timeout": "-fpv -k= -s= --kill-after= --signal= --foreground --preserve-status --verbose stop * skip1 command",
    "time": "-apqvV -f= -o= --append --format= --output= --portability --verbose stop * command",
    "stdbuf": "-i= -o= -e= --input= --output= --error= stop * command",
    "setsid": "-cfw --ctty --fork --wait stop * command",
    "ionice": "-c= -n= -p= -P= -t -u= --class= --classdata= --ignore stop * command",
    "chrt": (
        "-abdfiomrRv -T= -P= -D= --batch --deadline --fifo --idle --other --rr --all-tasks --reset-on-fork "
        "--verbose stop * skip1 command"
    ),
    "taskset": "-acp --all-tasks --cpu-list stop * skip1 command",
    "xargs": (
        "-0oprtx -a= -d= -E= -e[=] -I= -i[=] -J= -L= -l[=] -n= -P= -R= -S= -s= --null --arg-file= --delimiter= "
        "--eof[=] --replace[=] --max-lines[=] --max-args= --max-procs= --interactive --process-slot-var= "
        "--no-run-if-empty --max-chars= --show-limits --verbose --exit --open-tty stop * command"
    ),
    "parallel": "-0kvt -j= -n= -N= -I= --jobs= --keep-order --null --dry-run --bar stop * script",
    "command": "-p stop * command",
    "builtin": "stop * command",
    "exec": "-cl -a= stop * command",
    "noglob": "stop * command",
    "nocorrect": "stop * command",
    "coproc": "stop * command",
    "eval": "stop * script",
    "trap": "-lp stop * operand",
    "busybox": "stop * command",
    "toybox": "stop * command",
    "chroot": "--groups= --userspec= --skip-chdir stop * skip1 command",
    "unshare": (
        "-CcfimnprTUu -R= -S= -G= -w= -l= --fork --mount[=] --net[=] --pid[=] --user[=] --uts[=] --ipc[=] "
        "--cgroup[=] --map-root-user --map-current-user --mount-proc[=] --root= --wd= stop * command"
    ),
    "nsenter": "-aCFimnpUuZ -t= -S= -G= --all --target= --no-fork stop * command",
    "flock": (
        "-enosuxF -c= -w= -E= --exclusive --nonblock --no-fork --shared --unlock --close --timeout= --wait= "
        "--conflict-exit-code= --command= stop * skip1 command"
    ),
    "watch": "-bcegptwx -d[=] -n= -q= --beep --color --differences[=] --interval= --no-title --exec stop * script",
    "script": "-aefq -c= -I= -O= -B= -T= -m= -o= --command= --append --return --flush --quiet * command_option",
    "su": (
        "-flmpP -c= -g= -G= -s= -w= --command= --session-command= --login --fast --group= --shell= "
        "--preserve-environment --pty * command_option"
    ),
    "runuser": "-flmpP -c= -g= -G= -s= -w= -u= --command= --login --user= --group= --shell= stop * command",
    "strace": (
        "-AcCdDfFhikqrtTvVwxyYzZ -a= -b= -e= -E= -I= -n= -o= -O= -p= -P= -s= -S= -u= -U= --follow-forks[=] "
        "--trace= --output= stop * command"
    ),
    "ltrace": "-bcCfhiLrStTV -a= -A= -D= -e= -F= -l= -n= -o= -p= -s= -u= -w= -x= stop * command",
    "catchsegv": "stop * command",
    "prlimit": "-v[=] -n[=] -c[=] -u[=] -f[=] -s[=] --nofile[=] --nproc[=] --as[=] --core[=] --cpu[=] stop * command",
    "systemd-run": (
        "-dGPqrSt -M= -p= -u= -E= --user --system --scope --pty --wait --collect --quiet --shell --unit= "
        "--property= --setenv= --uid= --gid= --slice= stop * command"
    ),
    "firejail": "--quiet --noprofile --private[=] --net= stop * command",
    "proot": "-0 -r= -b= -w= -q= stop * command",
    "fakeroot": "-i= -s= -l= -u stop * command",
    "dbus-run-session": "--config-file= --dbus-daemon= stop * command",
    "xvfb-run": "-a -e= -f= -n= -p= -s= -w= --auto-servernum --server-args= stop * command",
    "unbuffer": "-p stop * command",
    "chpst": "-vP012 -u= -U= -b= -e= -/= -n= -l= -L= -m= -d= -o= -p= -f= -c= stop * command",
    "sshpass": "-ehvV -d= -f= -p= -P= stop * command",
    "torsocks": "-diq -u= -p= -a= -P= stop * command",
    "proxychains": "-q -f= stop * command",
    "proxychains4": "-q -f= stop * command",
    "pkexec": "--user= --disable-internal-agent --keep-cwd stop * command",
    "entr": "-acdnprsxz stop * command",
    "chronic": "-ev stop * command",
    "setarch": "-vR3BFILSTXZ --uname-2.6 --verbose --addr-no-randomize stop * skip1 command",
    "numactl": (
        "-sHlb -i= -N= -C= -m= -p= --all --cpunodebind= --physcpubind= --membind= --interleave= --preferred= "
        "--localalloc stop * command"
    ),
    "gosu": "stop * skip1 command",
    "su-exec": "stop * skip1 command",
    "tini": "-gsvw -p= -e= stop * command",
    "dumb-init": "-cv -r= --single-child --verbose --rewrite= stop * command",
    "ssh-agent": "-a= -t= -E= -csdD stop * command",
    "spawn": "-noecho -console -pty -nottycopy -open= -leaveopen= -ignore= words stop * command",  # of expect
    **dict.fromkeys(words_of("busybox.static uutils coreutils"), "stop * command"),
    # The loader runs a program that is given to it (ld.so(8)).
    **dict.fromkeys(
        words_of(
            "ld.so ld.so.1 ld64.so.1 ld64.so.2 ld-linux.so.2 ld-linux.so.3 ld-linux-x86-64.so.2 ld-linux-x32.so.2 "
            "ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-linux-riscv64-lp64d.so.1 ld-linux-loongarch-lp64d.so.1 "
            "ld-musl-x86_64.so.1 ld-musl-aarch64.so.1 ld-musl-armhf.so.1 ld-musl-i386.so.1 ld-musl-riscv64.so.1"
        ),
        "--verify --inhibit-cache --list --library-path= --inhibit-rpath= --audit= --preload= --argv0= "
        "--glibc-hwcaps-prepend= --glibc-hwcaps-mask= --list-tunables --list-diagnostics --version stop * command",
    ),
}

# Words of the shell behind which a command begins, where the grammar takes them for a program.
COMMAND_FOLLOWS = words_of("do then else elif if while until time ! coproc {")

# Shells and the options they may carry before `-c`; the first operand after it is the script.
SHELL_PROGRAMS = words_of("bash sh zsh dash ksh mksh ash rbash yash")

# The options of git itself that come before its command.
GIT_GLOBALS = (
    "-pPvh -C= -c= --bare --config-env= --exec-path[=] --git-dir= --glob-pathspecs --help --html-path "
    "--icase-pathspecs --info-path --list-cmds= --literal-pathspecs --man-path --namespace= --no-advice "
    "--no-lazy-fetch --no-optional-locks --no-pager --no-replace-objects --noglob-pathspecs --paginate "
    "--super-prefix= --version --work-tree= --attr-source= stop *"
)

# The options of ssh before and behind the name of the host; then comes a script for its shell.
SSH_OPTIONS = (
    "-46AaCfGgKkMNnqsTtVvXxYy -B= -b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -P= -p= -Q= -R= -S= -W= "
    "-w= stop *"
)

# `find` runs what stands between one of these and `;` or `+`.
FIND_RUNNERS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))

# Every program that may start another one; whatever is not here runs alone.
STARTERS = (
    frozenset(WRAPPERS)
    | SHELL_PROGRAMS
    | COMMAND_FOLLOWS
    | COMMISSIONED
    | LANGUAGES
    | ESCAPING
    | LAUNCHING
    | {"find", "git", "ssh"}
)
