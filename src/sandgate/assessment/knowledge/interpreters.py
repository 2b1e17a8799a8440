"""Languages whose programs are given as text: which option carries the code, and which calls in it matter.

The names are matched on the last parts of a call (`shutil.rmtree`, `fs.rmSync`), for all languages together: a
name that means something in one of them is worth the same word in another.
"""

from __future__ import annotations

from sandgate.assessment.findings import HIGH, LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import words
from sandgate.record import Record

SHELLS = frozenset(words("sh bash zsh dash ksh ash mksh fish csh tcsh rbash busybox-sh pwsh"))
SHELL_VALUES = "-O +O -o +o --rcfile --init-file"


class Language(Record):
    """How code is handed to an interpreter on its command line."""

    name: str  # for people
    code: str  # options that carry code
    values: str  # other options with a value


LANGUAGES: dict[str, Language] = {
    "python": Language("Python", "-c", "-W -X --check-hash-based-pycs -m"),
    "perl": Language("Perl", "-e -E", "-I -M -m"),
    "ruby": Language("Ruby", "-e", "-I -r -C"),
    "node": Language("JavaScript", "-e --eval -p --print -pe", "-r --require --loader --import -C"),
    "deno": Language("JavaScript", "", ""),
    "bun": Language("JavaScript", "-e --eval", "-r"),
    "php": Language("PHP", "-r -B -E", "-d -c -f"),
    "lua": Language("Lua", "-e", "-l"),
    "Rscript": Language("R", "-e", ""),
    "julia": Language("Julia", "-e -E", "-L -p"),
    "tclsh": Language("Tcl", "", ""),
    "guile": Language("Scheme", "-c", ""),
    "groovy": Language("Groovy", "-e", ""),
    "elixir": Language("Elixir", "-e --eval", ""),
    "ts-node": Language("JavaScript", "-e --eval", ""),
    "tsx": Language("JavaScript", "-e --eval", ""),
    "swipl": Language("Prolog", "-g -t", "-s -f"),
    "octave": Language("Octave", "--eval", ""),
    "matlab": Language("Matlab", "-batch -r", ""),
    "R": Language("R", "-e", "-f"),
    "littler": Language("R", "-e", ""),
    "luajit": Language("Lua", "-e", "-l"),
    "raku": Language("Raku", "-e", "-I -M"),
    "perl6": Language("Raku", "-e", "-I -M"),
    "jruby": Language("Ruby", "-e", "-I -r -C"),
    "truffleruby": Language("Ruby", "-e", "-I -r"),
    "irb": Language("Ruby", "-e", "-I -r"),
    "iex": Language("Elixir", "-e --eval", "-S --name --sname"),
    "erl": Language("Erlang", "-eval", "-pa -name -sname"),
    "escript": Language("Erlang", "", ""),
    "ghc": Language("Haskell", "-e", "-o -i"),
    "runghc": Language("Haskell", "-e", ""),
    "scala": Language("Scala", "-e", "-cp -classpath"),
    "kotlin": Language("Kotlin", "-e -expression", "-cp -classpath"),
    "clojure": Language("Clojure", "-e --eval", "-Sdeps -A -M -X -i"),
    "clj": Language("Clojure", "-e --eval", "-Sdeps -A -M -X -i"),
    "bb": Language("Clojure", "-e --eval", "-cp"),
    "emacs": Language("Lisp", "--eval --execute -eval --eval=", "-l --load -f --funcall --script"),
    "emacsclient": Language("Lisp", "-e --eval", "-s -a"),
    "sbcl": Language("Lisp", "--eval", "--load --script"),
    "clisp": Language("Lisp", "-x", ""),
    "ecl": Language("Lisp", "--eval", "--load"),
    "racket": Language("Lisp", "-e", "-l -t"),
    "csi": Language("Lisp", "-e", "-s"),
    "gosh": Language("Lisp", "-e", ""),
    "ocaml": Language("OCaml", "-e", "-I"),
    "swift": Language("Swift", "-e", ""),
    "crystal": Language("Crystal", "", ""),
    "xonsh": Language("Python", "-c", ""),
    "bpython": Language("Python", "-c", ""),
    "sage": Language("Python", "-c", ""),
    "expect": Language("Tcl", "-c", "-f"),
    "uwsgi": Language("Python", "--eval", ""),
    "psysh": Language("PHP", "", ""),
    "hhvm": Language("PHP", "-r", ""),
    "qjs": Language("JavaScript", "-e --eval", ""),
    "d8": Language("JavaScript", "-e", ""),
}

DELETING_TREES = frozenset(
    words("""
    rmtree rm_rf rm_r remove_tree rmSync rimraf remove_dir_all rmdirSync removeSync emptyDirSync deleteRecursively
    deleteDir deltree remove_all rmrf deleteTree
    delete_directory deleteDirectory remove_directory rm_rf! removeDirectoryRecursive delete_tree rmdir_r
    del_dir_r removeItem removeDir os.remove.all deleteRecursive removePathForcibly remove_entry_secure
    """)
)
DELETING = frozenset(
    words("remove removeSync unlink unlinkSync rmdir removedirs delete_file remove_file os.remove rm delete truncate")
)
WRITING = frozenset(
    words("""
    open write_text write_bytes writeFileSync writeFile appendFileSync file_put_contents copyfile copy copytree
    copyFileSync rename renames replace move symlink chmod chown mkdir makedirs fopen touch mv cp writeTextFile
    writeTextFileSync Bun.write spit write_region
    write_file writeLines write_csv saveRDS File.write IO.write file.write
    """)
)
RUNNING = frozenset(
    words("""
    system popen Popen run call check_call check_output getoutput getstatusoutput execSync exec spawn spawnSync
    execFile execFileSync shell_exec passthru proc_open execvp execv execl execlp execve posix_spawn qx backtick
    create_subprocess_shell create_subprocess_exec os.execute spawnl spawnv shell shell_command call_process
    start_process run_program system2 cmd run_process
    shell_exec os.cmd Open3.capture3 Open3.popen2 capture2 capture3 proc Deno.Command Bun.spawn readProcess callCommand
    callProcess execCommand do_shell_script process.run subprocess.run
    """)
)
CONTACTING = frozenset(
    words("""
    urlopen urlretrieve socket create_connection connect fetch HTTPConnection HTTPSConnection createConnection
    fsockopen curl_exec TCPSocket getaddrinfo Net::HTTP LWP::Simple axios requests.get httpx.get https.get http.get
    open-uri IO::Socket SMTP SMTP_SSL FTP FTP_TLS IMAP4 Telnet SSHClient
    httpc.request HTTPoison.get HTTPoison.get! Req.get! Net.HTTP
    """)
)
SENDING = frozenset(
    words("requests.post requests.put httpx.post axios.post http.request https.request sendall sendto post put")
)
HIDING = frozenset(words("eval exec __import__ b64decode fromhex unhexlify atob decodebytes loads compile decompress"))
TAKING_RIGHTS = frozenset(
    words("setuid setgid seteuid setegid setreuid setregid setresuid setresgid setgroups posix_setuid posix_setgid")
)
READING = frozenset(words("readFileSync readFile file_get_contents slurp read_text read_bytes readlines"))
DECODING = frozenset(words("b64decode fromhex unhexlify atob decodebytes decompress decode_base64 unpack"))
# How a text begins that names the home directory in the words of some language.
LOSING_ORM = frozenset(
    words("""
    delete_all destroy_all drop_all drop_table drop_database drop_collection dropDatabase deleteMany delete_many
    truncate_all flushall flushdb flush_all delete_index drop_index delete_bucket delete_object delete_objects
    """)
)
# Talking to a bare socket and running programs in a few words of code: that is a shell for somebody else.
RAW_SOCKETS = frozenset(words("socket.socket TCPSocket TCPSocket.new TCPSocket.open fsockopen inet_aton net.connect "
                              "net.Socket IO::Socket::INET create_connection socket.tcp"))  # fmt: skip
HOME_PIECES = (
    "$ENV{HOME}", "$ENV{'HOME'}", "${process.env.HOME}", "#{Dir.home}", "#{ENV['HOME']}", '#{ENV["HOME"]}',
    "{os.environ['HOME']}", '{os.environ["HOME"]}', "{Path.home()}", "${HOME}", "$HOME", "{home}", "${os.homedir()}",
    "$ENV(HOME)", "$env(HOME)", "$::env(HOME)", "#{System.user_home!}",
)  # fmt: skip
HOME_NAMES = frozenset(words("expanduser home HOME homedir Path.home Dir.home os.homedir NSHomeDirectory user_home "
                             "getHomeDirectory getHomeDir"))  # fmt: skip

# Calls of one-line programs that look and compute. Code that uses nothing else is as harmless as reading.
HARMLESS = frozenset(
    words("""
    print len str int float bool list dict set tuple sorted sum min max range abs repr type dir vars isinstance
    hasattr getattr enumerate zip map filter round any all hex oct bin ord chr format join split strip lower upper
    keys values items get append count index find startswith endswith puts p console.log log print_r echo var_dump
    stringify parse dumps version platform machine python_version cwd getcwd now time exists isfile isdir listdir
    glob read_text read load sys.exit exit require import printf say join max_size cpu_count sqrt Path resolve
    findall match search sub splitlines json.load json.loads time.time date today isoformat process.exit find_spec
    get_version calcsize getsizeof perf_counter
    """)
)

ENTRIES: tuple[Entry, ...] = (
    Entry("python", LOW, "Runs a Python program", ("python setup.py build => medium", "python -m pytest => low",
          "python -c 'print(1)' => low", "python -c 'import shutil; shutil.rmtree(\"/home/u\")' => high")),
    Entry("perl", LOW, "Runs a Perl program", ("perl a.pl => medium", "perl -e 'unlink glob(\"~/*\")' => high")),
    Entry("ruby", LOW, "Runs a Ruby program", ("ruby a.rb => medium",
          "ruby -e 'FileUtils.rm_rf(Dir.home)' => high")),
    Entry("node", LOW, "Runs a JavaScript program", ("node a.js => medium",
          "node -e 'require(\"fs\").rmSync(\"/home/u\", {recursive: true})' => high")),
    Entry("php", LOW, "Runs a PHP program", ("php a.php => medium", "php -r 'system(\"rm -rf ~\");' => high")),
    Entry("bash", LOW, "Runs a shell script", ("bash a.sh => medium", "bash -c 'rm -rf ~' => high",
          "bash -n a.sh => low"), harmless="-n --version --help"),
    Entry("setup.py", MEDIUM, "Builds or installs the project",
          ("setup.py build", "setup.py install", "setup.py sdist upload => high"), kind="writes",
          worse=(Worse("", MEDIUM, "Installs the project for all programs", ("system_modification",),
                       operands="install develop"),
                 Worse("", HIGH, "Publishes this project's package", ("network_access", "compliance"),
                       operands="upload register"))),
    Entry("java", MEDIUM, "Runs a Java program", ("java -jar a.jar",), values="-cp -classpath", clusters=False),
    Entry("dotnet", MEDIUM, "Runs a .NET program", ("dotnet a.dll",)),
    Entry("bun", MEDIUM, "Runs a JavaScript program", ("bun a.ts",)),
    Entry("deno", MEDIUM, "Runs a JavaScript program", ("deno run a.ts",)),
)  # fmt: skip
