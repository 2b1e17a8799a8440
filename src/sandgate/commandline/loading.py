"""Options by which a program loads, or works in, something else than it would without them. Data, and who has which.

`make lint` means the makefile here; `make lint -f other.mk`, `--eval=…` and `LINT=…` mean something that nobody looked
at. So a rule that allows the first ends before the others, as it ends before an option that names a program
(commissions.py). From the manuals of the programs; an option too many costs a question.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argv = tuple[str, ...]

ABBREVIATED_MIN = 4  # characters of a shortened long option that are enough to mean it, dashes included
# Names that mean this wherever they are used.
_ANYWHERE = words_of(
    "--config --config-file --configfile --conf --rcfile --rc-file --settings --settings-file --init-file "
    "--init-script --init-hook --plugin --plugins --plugin-dir --load-plugins --require --preload --import "
    "--loader --import-map --eval --exec --execute --command --script-shell --node-options --rootdir --root-dir "
    "--chdir --working-directory --workdir --working-dir --cwd --project-dir --project-directory --manifest-path "
    "--makefile --justfile --taskfile --noxfile --gemfile --kubeconfig --bootstrap --load-extension "
    "--include-build --env-file --override-ini --userconfig --globalconfig --module-path --inventory --extra-vars "
    "--post-renderer --exec-path --git-dir --work-tree --config-env --rulesdir --python-executable --run_under "
    "--bazelrc --endpoint-url -chdir -plugin-dir -var-file -toolexec -modfile -overlay"
)
_JS_CONFIG = "-c -r --root --rootDir --dir"
_ROWS: dict[str, str] = {
    **dict.fromkeys(("make", "gmake"), "-f -C -I -E --file --directory --include-dir"),
    "ninja": "-f -C",
    "just": "-f -d --set --dotenv-path --dotenv-filename --shell --shell-arg",
    "task": "-t -d --dir -g --global",
    "rake": "-f -r -R -I -E -e -p --rakefile --rakelibdir --libdir --execute-print",
    "cmake": "-P -C --toolchain",
    "ctest": "-S --test-dir",
    "npm": "--prefix -C",
    "pnpm": "-C --dir --prefix",
    "yarn": "--use-yarnrc --modules-folder",
    "bun": "-c -r",
    "git": "-c -C --namespace",
    "cargo": "-C -Z",
    "go": "-C -exec -vettool",
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), "-specs -wrapper -fplugin -fpass-plugin -Xclang"),
    "javac": "-processorpath --processor-path -processor",
    "rustc": "--sysroot",
    **dict.fromkeys(("zig", "swift"), "--toolchain --build-file"),
    **dict.fromkeys(("pytest", "py.test"), "-c -p -o --confcutdir"),
    "tox": "-c --root -x --override --workdir",
    "nox": "-f",
    **dict.fromkeys(("docker", "podman", "nerdctl"), "-H --host --context --url --connection"),
    **dict.fromkeys(("docker build", "podman build", "docker compose", "podman compose"), "-f --file"),
    **dict.fromkeys(("docker-compose", "podman-compose"), "-f --file -H --host"),
    **dict.fromkeys(("kubectl", "oc"), "-s --server --context --cluster --user --token --as"),
    "helm": "--kube-context --registry-config --repository-config --kube-apiserver",
    **dict.fromkeys(("terraform", "tofu"), "-backend-config -state"),
    **dict.fromkeys(
        ("ansible", "ansible-playbook"),
        "-i -M -e -c -m -a --connection --ssh-common-args --ssh-extra-args --private-key --module-name "
        "--args --vault-password-file",
    ),
    **dict.fromkeys(("node", "nodejs"), "-r -e -p -C --experimental-loader"),
    "deno": "-c -A --allow-all --allow-run",
    "mvn": "-f -s -gs -t --file --global-settings --toolchains",
    **dict.fromkeys(
        ("gradle", "gradlew"), "-b -c -p -I -g --build-file --gradle-user-home -D -P --system-prop --project-prop"
    ),
    **dict.fromkeys(
        ("bazel", "bazelisk"), "--output_user_root --host_jvm_args --workspace_status_command --override_repository"
    ),
    "eslint": "-c --resolve-plugins-relative-to --parser -f --format",
    **dict.fromkeys(("jest", "vitest", "mocha", "vite", "webpack", "rollup"), f"{_JS_CONFIG} --globalSetup"),
    **dict.fromkeys(("tsc", "ts-node", "tsx"), "-p --project -r -b"),
    **dict.fromkeys(("rubocop", "rspec"), "-c -r -I -O --options"),
    "golangci-lint": "-c",
    "pre-commit": "-c",
    "phpunit": "-c --include-path --prepend",
    "composer": "-d",
    "bundle": "--path",
    "poetry": "-C -P --directory --project",
    "uv": "--directory --project --with --with-editable",
    **dict.fromkeys(("pip", "pip3"), "-i -f --index-url --extra-index-url --find-links --target --prefix --root"),
    "aws": "--profile",
    "gcloud": "--configuration --account --impersonate-service-account",
    "systemctl": "-H -M --host --machine --root",
    "nginx": "-c -p -g",
    "supervisorctl": "-c -s",
    "pulumi": "-C",
    "nix": "-f --file -I --expr",
    **dict.fromkeys(("psql", "mysql", "mariadb"), "-h --host --defaults-file --defaults-extra-file"),
    "sqlite3": "-init",
    "vim": "-S -u -c",
}
_ASSIGNED = words_of("make gmake just ninja")  # `make LINT=…` puts text into what is run
# Behind so many operands the words are for another program, or mean something else: `docker compose logs -f`.
_LEADING: dict[str, int] = {
    **dict.fromkeys(
        words_of("git node nodejs deno bash sh python python3 ruby perl java docker-compose podman-compose"), 1
    ),
    **dict.fromkeys(("docker compose", "podman compose"), 2),
}
_long = {name: tuple(each for each in line.split() if each[:2] == "--") for name, line in _ROWS.items()}


def loads(argv: Argv) -> list[str]:
    """The words of `argv` by which its program loads, or works in, something of their choice."""
    name = program_name(argv[0]).removesuffix(".exe")
    both = f"{name} {argv[1]}" if len(argv) > 1 else ""
    own = frozenset(f"{_ROWS.get(name, '')} {_ROWS.get(both, '')}".split())
    letters = frozenset([each[1] for each in own if len(each) == 2])
    leading = _LEADING.get(both) or _LEADING.get(name, len(argv))
    found: list[str] = []
    operands = 0
    for word in argv[1:]:
        if word[:1] != "-" or len(word) < 2:
            operands += 1
            if operands == leading:
                break
            if name in _ASSIGNED and "=" in word:
                found.append(word)
            continue
        option = word.partition("=")[0]
        if option in own or option in _ANYWHERE or _shortened(option, name) or _clustered(word, letters):
            found.append(word)
    return found


def _shortened(option: str, name: str) -> bool:
    """`--eva` of `--eval`, as getopt_long(3) and most others take it."""
    if option[:2] != "--" or len(option) < ABBREVIATED_MIN or name not in _ROWS:
        return False
    return any(each.startswith(option) for each in (*_long[name], *_ANYWHERE))


def _clustered(word: str, letters: frozenset[str]) -> bool:
    """`-kf x`, `-fx`: a letter counts up to the first character that is none."""
    if word[1] == "-":
        return False
    for letter in word[1:]:
        if not letter.isalpha():
            return False
        if letter in letters:
            return True
    return False
