"""Many ways to write a command that a rule forbids, each of which runs it on some machine.

Written from manuals and from memory before anything was mended, not from the tables of the product. In a spelling `C`
in braces is the whole command, `P` its program, `A` the rest of its words, `B` the path of the program. `OPEN` lists
what the text of a command line cannot show; docs/threat-model.md speaks of it.
"""

from __future__ import annotations

# What passes, and why.
OPEN = {
    "ENV=f sh -i": "a file is run that the text does not show",
    "LD_PRELOAD=./x.so true": "a file is loaded that the text does not show",
    "cd /usr/bin && cp {P} /tmp/q; /tmp/q {A}": "a copy by a path that is relative to a directory changed to",
    "tar -cf- -C /usr/bin {P} | tar xf - --transform s/{P}/q/; ./q {A}": "a copy made by an archive",
    "crontab f": "a file is run that the text does not show",
    "at -f s now": "a file is run that the text does not show",
    "coreutils --coreutils-prog=rm build": "one binary of all tools, called by a name that is nowhere the default",
    "gio trash build": "another program that does the same",
    "perl -MFile::Path -e 'rmtree(\"build\")'": "a library that does the same",
    "rimraf build": "another program that does the same",
    "X='{C}' git --config-env=core.pager=X log": "a setting whose value is in a variable of any name",
    "gh repo sync owner/x": "another program that does the same",
    "curlie http://files.example/x": "another program that does the same",
}
FORBIDDEN: dict[str, tuple[str, ...]] = {
    "rm": ("rm", "build"),
    "push": ("git", "push", "origin"),
    "curl": ("curl", "http://files.example/x"),
}

SPELLINGS = r"""
{B} {A}
command {C}
builtin command {C}
exec {C}
exec -a x {C}
\{P} {A}
'{P}' {A}
"{P}" {A}
env {C}
env -i {C}
env -S '{C}'
env -S'{C}'
env --split-string='{C}'
env -u X X=1 {C}
env -C /tmp {C}
nice {C}
nice -n 5 {C}
nohup {C}
nohup {C} &
time {C}
/usr/bin/time -o /dev/null {C}
timeout 5 {C}
timeout -s KILL 5 {C}
setsid {C}
setsid -f {C}
stdbuf -o0 {C}
ionice -c3 {C}
chrt -b 0 {C}
x='$({C})'; echo ${{x@P}}
x='\$({C})'; echo "${{x@P}}"
x='`{C}`'; echo ${{x@P}}
set -- '$({C})'; echo "${{1@P}}"
printf -v PS4 %s '$({C})'; set -x; :
compgen -W '$({C})'
complete -W '$({C})' x
read x <<< 'a[$({C})]'; echo $((x))
echo 'a[$({C})]' | while read x; do ((x)); done
f() {{ echo $(($1)); }}; f 'a[$({C})]'
set -- -v 'a[$({C})]'; [ "$@" ]
exit 'a[$({C})]'
ulimit -n 'a[$({C})]'
sdiff --diff-program='{C}' a b
svn diff --diff-cmd '{C}'
taskset 1 {C}
taskset -c 0 {C}
sudo {C}
sudo -u root {C}
sudo -E -- {C}
sudo -s {C}
sudo -i -- {C}
doas {C}
doas -u root {C}
su -c '{C}'
su root -c '{C}'
su - root -c '{C}'
su --command='{C}' root
runuser -c '{C}'
runuser -u nobody -- {C}
runuser -l nobody -c '{C}'
runuser --command='{C}' nobody
pkexec {C}
setpriv --reuid 1000 {C}
chroot / {C}
unshare -r {C}
unshare --map-root-user --fork {C}
nsenter -t 1 -m {C}
nsenter --target 1 --mount -- {C}
flock /tmp/l {C}
flock /tmp/l -c '{C}'
systemd-run {C}
systemd-run --user --scope {C}
systemd-run --user -- {C}
systemd-nspawn -D / {C}
machinectl shell root@ {B} {A}
script -c '{C}'
script -qc '{C}' /dev/null
script -q /dev/null -c '{C}'
watch {C}
watch -n1 -x {C}
xargs {C} < /dev/null
echo | xargs {C}
echo '{A}' | xargs {P}
echo '{C}' | xargs -I X sh -c X
printf '%s\n' {A} | xargs {P}
find . -maxdepth 0 -exec {C} \;
find . -maxdepth 0 -execdir {C} +
fd x -x {C}
fd x --exec {C}
parallel {P} ::: {A}
parallel '{C}' ::: 1
parallel ::: '{C}'
echo '{C}' | parallel
echo '{C}' | sh
echo '{C}' | bash -s
sh -c '{C}'
bash -c '{C}'
bash -lc "{C}"
bash -ic '{C}'
bash -c 'eval "{C}"'
dash -c '{C}'
zsh -c '{C}'
ksh -c '{C}'
mksh -c '{C}'
fish -c '{C}'
tcsh -c '{C}'
csh -c '{C}'
busybox sh -c '{C}'
busybox ash -c '{C}'
busybox nice {C}
busybox env {C}
toybox env {C}
toybox timeout 5 {C}
bash <<< '{C}'
sh << E⏎{C}⏎E
. /dev/stdin <<< '{C}'
source <(echo '{C}')
bash <(echo '{C}')
eval '{C}'
eval {C}
eval "$(echo {C})"
trap '{C}' EXIT
trap "{C}" DEBUG; true
alias x='{C}'; x
x() {{ {C}; }}; x
function x {{ {C}; }}; x
x={P}; $x {A}
x='{C}'; $x
x=({C}); "${{x[@]}}"
set -- {C}; "$@"
read -r x <<< '{C}'; $x
printf -v x %s '{P}'; $x {A}
${{X:-{P}}} {A}
$(echo {P}) {A}
`echo {P}` {A}
$(which {P}) {A}
$(command -v {P}) {A}
"$(type -P {P})" {A}
coproc {C}
( {C} )
{{ {C}; }}
! {C}
if {C}; then :; fi
while {C}; do break; done
for i in 1; do {C}; done
case x in x) {C};; esac
true && {C}
false || {C}
true; {C}
true | {C}
{C} &
x=$({C})
echo "$({C})"
cat <({C})
[[ -n $({C}) ]]
BASH_CMDS[g]={B}; g {A}
BASH_CMDS[g]=$(which {P}); g {A}
BASH_CMDS=([g]={B}); g {A}
declare -A BASH_CMDS=([g]={B}); g {A}
typeset 'BASH_CMDS[g]={B}'; g {A}
parallel -j2 {P} {{1}} ::: {A} ::: a
echo '{C}' > s; at -f s now
expect <<< 'spawn {C}'
docker compose -f a.yml exec web {C}
npm x {C}
cd /usr/bin && cp {P} /tmp/q; /tmp/q {A}
tar -cf- -C /usr/bin {P} | tar xf - --transform s/{P}/q/; ./q {A}
crontab f
at -f s now
tmux send-keys -t x '{P}' ' {A}' Enter
BASH_ALIASES[g]='{P}'; shopt -s expand_aliases; g {A}
hash -p {B} g; g {A}
hash -p $(which {P}) g && g {A}
enable -n echo; {C}
cp {B} f; ./f {A}
cp $(which {P}) f; ./f {A}
cp "$(command -v {P})" ./f && ./f {A}
ln -s {B} f; ./f {A}
ln -sf $(which {P}) /tmp/f; /tmp/f {A}
mv {B} f; ./f {A}
install -m755 {B} f; ./f {A}
cat {B} > f; chmod +x f; ./f {A}
dd if={B} of=f; chmod +x f; ./f {A}
rsync {B} f; ./f {A}
tar cf - {B} | tar xf -; ./{P} {A}
/lib64/ld-linux-x86-64.so.2 {B} {A}
/lib/ld-linux.so.2 {B} {A}
/usr/lib64/ld-linux-x86-64.so.2 --library-path /lib {B} {A}
ld.so {B} {A}
/lib/ld-musl-x86_64.so.1 {B} {A}
echo '{C}' | at now
echo '{C}' | batch
at now <<< '{C}'
at now + 1 minute << E⏎{C}⏎E
batch << E⏎{C}⏎E
echo '* * * * * {C}' | crontab -
crontab - << E⏎* * * * * {C}⏎E
crontab <<< '@reboot {C}'
(crontab -l; echo '* * * * * {C}') | crontab -
tmux new -d '{C}'
tmux new-session -d {C}
tmux new-s -d '{C}'
tmux neww '{C}'
tmux new-w '{C}'
tmux split-w '{C}'
tmux splitw '{C}'
tmux send-keys '{C}' Enter
tmux send-k '{C}' Enter
tmux run-shell '{C}'
tmux run-s '{C}'
tmux if-shell '{C}' ''
tmux respawn-p -k '{C}'
tmux display-p '{C}'
tmux pipe-pane '{C}'
tmux pipe-p '{C}'
tmux new -d \; run-shell '{C}'
tmux set-hook -g session-created "run-shell '{C}'"
screen -dmS x {C}
screen -X stuff '{C}\n'
screen -X exec {C}
dtach -n /tmp/s {C}
docker exec x {C}
docker run --rm image {C}
docker run --entrypoint {P} image {A}
docker compose exec web {C}
docker compose run web {C}
docker-compose run web {C}
podman exec -it x {C}
podman run image {C}
podman unshare {C}
nerdctl exec x {C}
kubectl exec pod -- {C}
kubectl exec -it pod -c c -- {C}
kubectl run x --image=i -- {C}
kubectl debug node/n -- {C}
oc exec pod -- {C}
oc rsh pod {C}
nix shell nixpkgs#x -c {C}
nix-shell -p x --run '{C}'
nix run nixpkgs#{P} -- {A}
nix develop --command {C}
guix shell -- {C}
guix shell x -- {C}
guix environment --ad-hoc x -- {C}
rustup run stable {C}
runcon -t x {C}
bwrap --bind / / {C}
bwrap --ro-bind / / --dev /dev -- {C}
firejail {C}
proot {C}
fakeroot {C}
fakechroot {C}
strace {C}
strace -f -o /dev/null {C}
ltrace {C}
gdb --args {C}
gdb -batch -ex run --args {C}
gdb -batch -ex 'shell {C}'
valgrind {C}
perf stat {C}
perf record -- {C}
ssh localhost {C}
ssh localhost '{C}'
ssh -o ProxyCommand='{C}' h
npx {C}
npx -c '{C}'
npm exec -- {C}
npm exec -c '{C}'
pnpm exec {C}
pnpm dlx {C}
yarn exec {C}
bun run {C}
bun x {C}
bunx {C}
uv run {C}
uvx {C}
uv tool run {C}
pipx run {C}
poetry run {C}
pipenv run {C}
pdm run {C}
hatch run {C}
rye run {C}
pixi run {C}
conda run -n x {C}
bundle exec {C}
direnv exec . {C}
mise exec -- {C}
mise x -- {C}
asdf exec {C}
rbenv exec {C}
pyenv exec {C}
nvm exec 20 {C}
fnm exec -- {C}
volta run {C}
composer exec {C}
opam exec -- {C}
dotenv run -- {C}
op run -- {C}
doppler run -- {C}
aws-vault exec me -- {C}
chamber exec s -- {C}
sops exec-env f '{C}'
entr {C}
ls | entr {C}
ls | entr -s '{C}'
watchexec {C}
watchexec -- {C}
nodemon --exec '{C}'
hyperfine '{C}'
hyperfine --prepare '{C}' true
python3 -c 'import os; os.system("{C}")'
python3 -c 'import subprocess as s; s.run("{C}", shell=True)'
python3 - << E⏎import os⏎os.system("{C}")⏎E
perl -e 'system("{C}")'
perl -e 'exec "{C}"'
ruby -e 'system "{C}"'
ruby -e '`{C}`'
node -e 'require("child_process").execSync("{C}")'
php -r 'system("{C}");'
lua -e 'os.execute("{C}")'
awk 'BEGIN {{ system("{C}") }}'
awk 'BEGIN {{ print | "{C}" }}'
sed -n '1e {C}' f
sed 's/.*/{P}/e' f
vim -c '!{C}' -c q
vim -es '+!{C}' +q
ed f <<< '!{C}'
less '+!{C}' f
tar cf /dev/null f --checkpoint=1 --checkpoint-action=exec='{C}'
tar xf f --to-command='{C}'
tar -I '{C}' -cf f g
rsync -e '{C}' a b:c
rg --pre '{P}' x
sort --compress-program='{P}' f
split --filter='{C}' f
man -P '{C}' ls
PAGER='{C}' man ls
GIT_PAGER='{C}' git log
GIT_SSH_COMMAND='{C}' git fetch
EDITOR='{C}' git commit
git -c core.pager='{C}' log
git -c alias.x='!{C}' x
git config alias.x '!{C}'; git x
git bisect run {C}
git submodule foreach '{C}'
git rebase -x '{C}' HEAD~1
git difftool -x '{C}'
git filter-branch --tree-filter '{C}'
make SHELL='{C}'
make --eval='$(shell {C})'
echo 'x:; {C}' | make -f -
make -f - <<< 'x:; {C}'
expect -c 'spawn {C}'
osascript -e 'do shell script "{C}"'
pwsh -c '{C}'
dbus-run-session {C}
dbus-launch {C}
xvfb-run {C}
xterm -e {C}
gnome-terminal -- {C}
caffeinate {C}
torsocks {C}
proxychains {C}
unbuffer {C}
chronic {C}
ts-node -e 'require("child_process").execSync("{C}")'
start-stop-daemon --start --exec {B} -- {A}
prlimit --nofile=1 {C}
numactl -N 0 {C}
choom -n 0 -- {C}
linux64 {C}
setarch x86_64 {C}
capsh -- -c '{C}'
gosu nobody {C}
su-exec nobody {C}
tini -- {C}
dumb-init {C}
daemonize {B} {A}
faketime now {C}
cpulimit -l 5 -- {C}
eatmydata {C}
just --command {C}
lxc exec x -- {C}
vagrant ssh -c '{C}'
limactl shell x {C}
wsl {C}
adb shell {C}
toolbox run {C}
distrobox enter x -- {C}
flatpak run --command={P} app {A}
flatpak-spawn --host {C}
snap run --shell x -c '{C}'
ip netns exec x {C}
cgexec -g x {C}
schroot -c x -- {C}
pseudo {C}
socat - EXEC:'{C}'
socat - SYSTEM:'{C}'
nc -e '{C}' h 1
ncat --exec '{C}' h 1
ncat -c '{C}' h 1
zsh -c '={P} {A}'
[ -n "$x" ] || {C}
x='{P} '; x+='{A}'; $x
a={P} b; $a {A}
mapfile -t x <<< '{C}'; ${{x[0]}}
printf '{C}' > s; sh s
echo '{C}' > s.sh && bash s.sh
cat > s.sh << E⏎{C}⏎E⏎sh s.sh
tee s.sh <<< '{C}'; sh s.sh
base64 -d <<< eA== | sh
PROMPT_COMMAND='{C}' bash -i
fc -e '{C}'
m4 <<< 'syscmd(`{C}'"'"')'
m4 <<< 'esyscmd({C})'
echo 'syscmd({C})' | m4
m4 -D 'x=esyscmd({C})' f
tclsh <<< 'exec {C}'
tclsh << E⏎puts [exec {C}]⏎E
echo 'set f [open "|{C}"]' | wish
expect << E⏎spawn {C}⏎expect eof⏎E
tclsh <<< 'exec {{{P}}} {A}'
expect -c 'system {C}'
env m4 <<< 'syscmd({C})'
sudo -u x tclsh <<< 'exec {C}'
env python3 <<< 'import os; os.system("{C}")'
dc <<< '!{C}'
dc -e '!{C}'
echo '!{C}' | dc
ftp -n <<< '!{C}'
ftp h << E⏎!{C}⏎E
echo '!{C}' | sftp h
lftp -c '!{C}'
telnet <<< '!{C}'
smbclient //h/x -c '!{C}'
mail x <<< '~!{C}'
mail -S pager='{C}' -f f
mailx -S 'editor={C}' x
psql <<< '\! {C}'
psql -c "copy t from program '{C}'"
mysql -e '\! {C}'
mysql <<< 'system {C}'
sqlite3 f "select edit('', '{C}')"
sqlite3 <<< "SELECT EDIT (x,'{C}') from t;"
sqlite3 f '.once |{C}'
gdb <<< 'shell {C}'
lldb -o 'platform shell {C}'
gnuplot -e '! {C}'
gnuplot <<< 'system("{C}")'
vim -c 'r !{C}'
vim -es -c '%!{C}' -c q f
ex f <<< '%!{C}'
sed -f - f <<< '1e {C}'
emacs --batch --eval '(shell-command "{C}")'
emacs -eval '(call-process "{P}" nil nil nil "{A}")'
emacsclient -e '(shell-command "{C}")'
R -e 'system("{C}")'
Rscript - <<< 'system("{C}")'
octave --eval 'system("{C}")'
guile -c '(system "{C}")'
sbcl --eval '(uiop:run-program "{C}")'
julia -e 'run(`{C}`)'
erl -eval 'os:cmd("{C}")'
ocaml -e 'Sys.command "{C}"'
groovy -e '"{C}".execute()'
ipython -c '!{C}'
bpftrace --unsafe -e 'BEGIN {{ system("{C}") }}'
bpftrace -c '{C}' f
pdflatex -shell-escape '\immediate\write18{{{C}}}'
make --eval 'x:; {C}'
make --eval='x:⏎	@{C}'
make -E 'y != {C}'
make -f - <<< 'x:; @-{C}'
make -f - <<< 'y := $(shell {C})'
make 'X=${{shell {C}}}'
git config core.fsmonitor '{C}'; git status
git config --global --add core.pager '{C}'; git log
git config set diff.external '{C}'; git diff
git config mergetool.x.cmd '{C}'; git mergetool
git clone --config core.fsmonitor='{C}' u
git clone 'ext::{C}' x
git remote add x 'ext::{C}'; git fetch x
X='{C}' git --config-env=core.pager=X log
uftrace {C}
uftrace record -d x {C}
trace-cmd record -e sched {C}
perf trace {C}
gdbserver :1 {C}
samply record {C}
ip vrf exec red {C}
ip v e red {C}
watch '{P}${{IFS}}{A}'
test -v 'a[$({P}${{IFS}}{A})]'
test -v "a[\$({P}\${{IFS}}{A})]"
test -v a[\$\({P}\${{IFS}}{A}\)]
x="a[\$({P}\${{IFS}}{A})]"; echo $((x))
x=a[\$\({P}\${{IFS}}{A}\)]; echo $((x))
f() {{ echo $(($1)); }}; f 'a[$({P}${{IFS}}{A})]'
BASH_ENV=<(echo '{C}') bash -c :
ENV=f sh -i
LD_PRELOAD=./x.so true
"""

# Of single programs.
OF_PUSH = r"""
git-push origin
/usr/lib/git-core/git-push origin
$(git --exec-path)/git-push origin
"$(git --exec-path)"/git-push origin
git -C . push origin
git -c a.b=c push origin
git --git-dir=.git --work-tree=. push origin
git --no-pager push origin
GIT_DIR=.git git push origin
git lfs push origin main
git subtree push --prefix=x origin main
git submodule foreach git push
git --exec-path=/x push origin
git -p push origin
git send-pack origin main
git-send-pack origin main
git lfs push --all origin
git lfs pre-push origin
git p4 submit
git svn dcommit
git remote-https origin http://h
git-remote-https origin http://h
parallel git ::: push
parallel git ::: push pull
parallel git {} ::: push
echo push | xargs git
xargs git <<< push
printf 'push origin' | xargs git
git $(echo push) origin
g=push; git $g origin
git {push,origin}
{git,push,origin}
git 'push' origin
gh repo sync owner/x
hub push origin
git annex sync
jj git push
git lfs push origin --object-id x
"""
OF_RM = r"""
busybox rm build
toybox rm build
busybox.static rm build
/bin/busybox rm build
uutils rm build
coreutils rm build
coreutils --coreutils-prog=rm build
grm build
/usr/bin/../bin/rm build
/proc/self/root/bin/rm build
//bin//rm build
gio trash build
srm build
perl -MFile::Path -e 'rmtree("build")'
find build -delete
find build -exec rm -rf {} +
rimraf build
ls build | xargs rm -rf
xargs -a list rm
xargs rm < list
"""
OF_CURL = r"""
curl.exe http://files.example/x
curl-8.5 http://files.example/x
/snap/bin/curl http://files.example/x
/opt/homebrew/opt/curl/bin/curl http://files.example/x
python3 -m curl http://files.example/x
npx curl http://files.example/x
exec 3<>/dev/tcp/files.example/80
curlie http://files.example/x
"""


def spelled(key: str) -> dict[str, str]:
    """Spelling → the script, for one of the forbidden commands."""
    words = FORBIDDEN[key]
    values = {"C": " ".join(words), "P": words[0], "A": " ".join(words[1:]), "B": f"/usr/bin/{words[0]}"}
    found = {line: line for line in {"rm": OF_RM, "push": OF_PUSH, "curl": OF_CURL}[key].strip().splitlines()}
    for line in SPELLINGS.strip().splitlines():
        needs_words = key == "push" and not any(part in line for part in ("{C}", "{A}"))
        if not needs_words or "{P}" not in line:  # `rg --pre git` is no push
            found[line] = line.format(**values)
    return {spelling: script.replace("⏎", "\n") for spelling, script in found.items()}
