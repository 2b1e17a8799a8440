"""Which families know something about a program, so that only these are imported.

Written by `python tests/support/command/knowledge_indexes.py` from the tables: not to be edited; a test compares.
Each row: a family, and the programs it has entries for; where two know the same name, the later row is believed.
"""

from __future__ import annotations

PROGRAMS: tuple[tuple[str, str], ...] = (
    ("agents", """
acli aider auggie claude cline codex copilot crush cursor-agent droid gemini goose gptme interpreter kimi kiro-cli
opencode openhands plandex q qchat qwen rovodev
"""),
    ("crypto", """
1password 7zc acme.sh aescrypt age age-keygen aircrack-ng airmon-ng ansible-vault apksigner arpspoof aws-vault b2sum
b3sum beef-xss bettercap blackbox_cat bloodhound-python bw caddy ccdecrypt ccrypt certbot certigo certstrap certtool
certutil cewl cfssl cfv chamber chisel cksfv cmdkey codesign cosign cpt crc32 crunch dashlane debsign dehydrated
digest dirb dnssec-keygen doveadm dpkg-sig easy-rsa easyrsa empire enc encfsctl envchain ettercap fcrackzip git-crypt
gnome-keyring-daemon gnutls-certtool gobuster gopass gpg gpg-agent gpg-connect-agent gpg-preset-passphrase gpgconf
gpgsm gpgtar gpgv hashcat hashdeep htdigest htpasswd hydra impacket-secretsdump infisical jacksum jarsigner john
keepassxc-cli keychain keyctl keytool kleopatra kpcli kwallet-query kwalletcli lego letsencrypt linpeas linpeas.sh
lpass makecert mcrypt md5 md5deep medusa metasploit minisign mkcert modutil msfconsole msfvenom ncrack nikto op
openssl ophcrack osslsigncode p11tool pass passage patator pdfcrack pk12util pkcs11-tool rage rage-keygen rbw reaver
responder rhash rpmsign scrypt seahorse secret-tool secretsdump.py security sha224sum sha256deep sha3-256sum sha384sum
sha3sum shasum signify signtool sliver smallstep softhsm2-util sops sqlmap step sum tpm2 trustme tsig-keygen
vaultwarden veil wfuzz wg wifite xmlsec1 xxh128sum xxh32sum xxh64sum xxhsum ykman yubico-piv-tool zipalign
"""),
    ("disks", """
amanda arcconf archivemount asr automount backintime badblocks bcachefs bconsole beegfs-ctl blkdiscard blkid blockdev
borg borgmatic btrfs btrfsck btrfstune bup cdrecord cfdisk cgdisk clevis cryptmount cryptsetup dar davfs2 dban
ddrescue debugfs dfc dirvish diskutil dmsetup dosfsck dua duf dumpe2fs duplicati-cli duplicity dust dvd+rw-format
e2fsck e2label e4defrag edquota eject encfs etckeeper exportfs f2fs_io fatlabel fdisk filefrag findfs findmnt fixparts
fls fsck fsck.ext4 fsck.vfat fsck.xfs fsck_apfs fsfreeze fstrim fusermount fusermount3 gdisk gdu genisoimage gluster
gocryptfs goofys gparted growisofs growpart guestmount guestunmount hdiutil hdparm hpssacli kopia kpartx lfs losetup
lsblk lsscsi lvchange lvconvert lvcreate lvdisplay lvextend lvm lvmdiskscan lvreduce lvremove lvrename lvresize lvs
lvscan mdadm megacli mkcramfs mkdosfs mke2fs mkexfatfs mkfs mkfs.bfs mkfs.btrfs mkfs.cramfs mkfs.erofs mkfs.exfat
mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.f2fs mkfs.fat mkfs.jfs mkfs.minix mkfs.msdos mkfs.ntfs mkfs.vfat mkfs.xfs mkisofs
mkntfs mksquashfs mkswap mmls mount mount.cifs mount.nfs mount.ntfs-3g mountpoint multipath ncdu newfs newfs_apfs
nfsstat ntfs-3g ntfsclone ntfsfix ntfsresize nvme nvmecontrol nwipe parted partprobe partx photorec pmount pumount
pvchange pvcreate pvdisplay pvmove pvremove pvresize pvs pvscan pydf qemu-img quota quotacheck quotaoff quotaon rclone
rdiff-backup reiserfsck repquota resize2fs restic rsnapshot s3fs scrub sdparm setquota sfdisk sg_format sg_raw
sg_sanitize sgdisk showmount smartctl snapper squashfuse ssacli sshfs storcli stratis swaplabel swapoff swapon
systemd-mount systemd-umount tarsnap testdisk timeshift tmutil tune2fs tw_cli udevadm udisksctl umount vdo veracrypt
vgcfgrestore vgchange vgcreate vgdisplay vgexport vgextend vgimport vgmerge vgreduce vgremove vgrename vgs vgscan
vgsplit virt-make-fs volname wipefs wodim xfs_admin xfs_fsr xfs_growfs xfs_info xfs_quota xfs_repair xorriso xorrisofs
zdb zerofree zfs zfs-stats zpool zramctl zuluCrypt-cli
"""),
    ("text", """
GetFileInfo SetFile add-trailing-newline addr2line agrep amber ambr ansi2txt ansifilter ascii aspell ast-grep atom
attrib base58 basenc batcat bc binwalk bleachbit bloaty brename broot bvi bzdiff bzgrep bzless bzmore c++filt cacls
cdiff cgrep chardetect checksec choose chsdiff ci cleanmgr co code codemod codespell col colcrt colordiff colrm
combinediff comby confd consul-template convmv cpdup cpp cpx csvclean csvcut csvgrep csvjoin csvjson csvkit csvlook
csvq csvsort csvsplit csvsql csvstack csvstat csvtool cue cw czkawka_cli daff dasel datamash dd_rescue deborphan
delete-trash delta detab detox dhall dhall-to-json diction diff-so-fancy diff3 diffstat difft difftastic diskus ditto
dos2unix dsq duff dumpbin dutree dwarfdump dwdiff dyff ed elfutils elinks emacs emacsclient enca envtpl esh eu-readelf
exa eza f2 fastmod fdupes filefrag filterdiff findup fixeol fpart fpsync frawk fromdos fslint fslint-gui fswatch fx
fzf gcp gedit ghex gio glow goawk gobjdump gojq gomplate greadelf grepdiff gron gsar gvfs-trash gzcat hardlink hck hd
helix hexedit hexyl highlight histogram html2markdown htmlq hunspell hx hxdump hxnormalize hxselect icacls icdiff
iconv imv inotifywait install-info interdiff ispell j2 jaq jc jd jdupes jed jinja2 jless joe jql jshon json-diff
json2yaml json_pp json_reformat jsonlint jsonnet jsonsort jtbl kak kate l la languagetool lf ll llvm-nm llvm-objdump
llvm-readelf lndir localepurge locate look lsattr lsd lsdiff lsix lz4cat lzcat lzgrep lzless m4 mac2unix magika
mbsplit mcedit mcopy mdcat mdless mdls merge mg micro mimetype ministat mkdirp mkfile mktouch mlocate mlr mmv
moreutils most mousepad msplit mtools mustache namefix namei nano ncal ne ninja2 nkf nm nnn numaverage octosql otool
pahole pathchk pcre2grep pcregrep pdfsplit peco percol perltidy pg pico plocate pr prename proselint pt ptx pup pv
pygmentize q qmv qstats qsv rabin2 ranger rapper rcopy rcs rdfind recode recycle remarshal rename rename.ul replace
rga rich ripgrep rmlint rmtrash robocopy roqet rpl ruplacer rz-bin sary sd sdiff setfattr sgrep sift simhash sk
source-highlight sparkline spell sponge ssdeep st stow strings style subl sweeper symlinks tabulate takeown termgraph
textlint textql tidy tilde tmpreaper tmpwatch tmsu todos toml2json tomlq trash-empty trash-list trash-put
trash-restore trash-rm trashy trdsql tre-agrep tree trid ts tsort tsv-filter tsv-select tsv-summarize ttyplot tuc
typos uchardet uconv ug ugrep ul unexpand unfilter ungron unison units unix2dos unix2mac uudecode vale vidir vifm
vimcat vimdiff vimtutor visidata w3m watchman wcc wdiff xattr xcopy xdg-mime xml xmlstarlet xmlwf xpath xq xsv xzdiff
xzgrep xzless yaml2json yamllint ydiff ytt zcmp zdiff zegrep zfgrep zipgrep zmore zstdcat zstdgrep zstdless
"""),
    ("daemons", """
a2dismod a2dissite a2enmod a2ensite anacron apache2ctl apachectl at atq atrm aulast aureport ausearch ausyscall batch
busctl caddy ccze chkconfig coredumpctl cron crond crontab cupsaccept cupsctl cupsdisable cupsenable cupsreject
dinitctl dmesg fcron fcrontab foreman forever goaccess goreman haproxy hivemind homectl honcho hostnamectl httpd
incrontab initctl insserv invoke-rc.d journalctl last lastb lastlog launchctl lighttpd lnav localectl logcheck logger
loginctl logrotate lpadmin lslogins mailq monit multitail networkctl nginx nodemon nssm ntpd openrc overmind
pg_ctlcluster pg_lsclusters pm2 portablectl postfix postqueue postsuper process-compose rabbitmqctl rc-service
rc-status rc-update rsyslogd run-parts runit runlevel s6-rc s6-svc s6-svscanctl s6-svstat savelog sc service
start-stop-daemon supervisorctl supervisord sv sv-enable svcadm svcs syslog-ng-ctl systemctl systemd-analyze
systemd-cat systemd-cgls systemd-cgtop systemd-creds systemd-cryptenroll systemd-delta systemd-detect-virt
systemd-escape systemd-firstboot systemd-hwdb systemd-id128 systemd-machine-id-setup systemd-nspawn systemd-path
systemd-repart systemd-sysext systemd-sysusers systemd-tmpfiles telinit timedatectl timestomp update-rc.d userdbctl
utmpdump wevtutil
"""),
    ("services", """
akamai akeyless algolia aliyun amplify appwrite argo argocd atlas auth0 aws awslocal awx az azcopy b2 bao bosh
boundary bq buildkite-agent bws caprover cdk cdktf cf cfcli cilium circleci civo clever cloudflare-cli clusterctl
confluent conjur consul convex copilot couchbase-cli credhub crossplane curator_cli databricks datadog-ci deployctl
dnscontrol doctl dokku doppler drone dropbox_uploader.sh drush dvc eb ecs-cli eksctl esxcli etcdctl exo fastly
firebase flarectl flux fly flyctl gam gcloud gdrive gh ghost gigalixir glab govc grafana-cli gsutil hammer hasura
hcloud helmfile heroku hf hub huggingface-cli ibmcloud infisical ionosctl istioctl jenkins-cli jira kafkactl kaggle
kcadm keycloak kn knife kops koyeb lexicon linear linkerd linode-cli mc minio mlflow modal mongocli namecheap nats
neonctl netlify newrelic nomad now oc oci ocm octodns-sync okta onedrive opensearch-cli openshift-install openstack
ovhcloud packer pagerduty phase planetscale platform prefect pscale pulsar-admin pulumi qovery rabbitmqadmin
rabbitmqctl racadm railway rancher render replicate rke rosa rpk s3cmd s5cmd sam scalingo scw sentry-cli serverless
shopify skaffold slack sls snow spacectl sst step stripe supabase surge talosctl tanzu tccli tctl tea teleport
temporal terraform terragrunt tfctl tkn travis tsh turso twilio upctl upstash upsun vault velero vercel vultr-cli
wandb waypoint werf wp wrangler yc zitadel
"""),
    ("reading", """
: [ ack ag apropos arch base32 base64 basename bat bc break bzcat cal cat cksum clear cloc cmp column comm continue
cut df diff dir dirname du egrep exa exit expand expr eza factor false fc-list fgrep file fmt fold free fuser getconf
getent getopts grep groups head help hexdump hostid htop id ifconfig info ip jobs join jq last ldd less locale logname
ls lsblk lscpu lsmod lsof lspci lsusb man md5sum more netstat nl nm nproc numfmt objdump od paste pgrep pidof printenv
ps pwd readelf readlink realpath return rev rg seq set sha1sum sha256sum sha512sum shift shopt shuf size sleep sort ss
stat strings sw_vers tac tail test time times tokei top tput tr tree true tty type ulimit umask uname uniq uptime
users uuencode vmstat w wait wc whatis whereis which who whoami xmllint xxd xzcat yes yq zcat zgrep zless
"""),
    ("files", """
awk chattr chgrp chmod chown cp csplit dd dos2unix echo ed emacs fallocate fd find install ln locate mkdir mkfifo
mktemp mv nano patch printf rename rimraf rm rmdir rsync sed setfacl shred split sponge srm sync tee touch trash
truncate unlink vi vim wipe
"""),
    ("git", """
bzr cvs fossil git hg jj p4 sl svn
"""),
    ("forges", """
berg bkt gh glab hub lab tea
"""),
    ("distributions", """
add-apt-repository alien alternatives apk apt apt-add-repository apt-cache apt-config apt-file apt-get apt-key
apt-mark apt-rdepends aptitude bootc brew checkupdates choco darwin-rebuild debootstrap deborphan debsums dnf dnf5
do-release-upgrade dpkg dpkg-architecture dpkg-deb dpkg-divert dpkg-query dpkg-reconfigure dpkg-statoverride eix
emerge eopkg equery equo flatpak freebsd-update fwupdmgr gdebi installer installpkg lintian microdnf nala needrestart
nix nix-env nixos-rebuild opkg ostree paclist pacman pacsearch pactree pamac paru pikaur pkg pkg_add pkg_delete
pkgfile pkgutil popcon-largest-unused port portsnap qlist removepkg repoquery rpm rpm-ostree rpmkeys rpmlint rpmquery
scoop slackpkg snap softwareupdate subscription-manager swupd swupd-update tasksel tazpkg tdnf transactional-update
trizen unattended-upgrade update-alternatives upgradepkg urpmi winget xbps-install xbps-query xbps-reconfigure
xbps-remove yay yum zypper
"""),
    ("building", """
2to3 R ab abuild aclocal actionlint actool add-trailing-comma addlicense agda alejandra alex ameba ansible-lint ant
antlr4 antora ar arduino-cli artillery as asciidoctor asciidoctor-pdf ast-grep astro astyle attw autocannon autoconf
autoflake autoheader automake autopep8 autoreconf ava avocado babel backstop bandit bashate bats bats-core bazel bear
beautysh behat behave benchstat biber bibtex bibtool bindgen biome bison bitbake bjam black blender blue boot brakeman
briefcase brittany browser-sync browserify brunch buck buck2 buf buildifier buildozer buildr buildroot bump-my-version
bump2version bumpversion bun bundle bundler-audit bundlesize busted c++ c8 cabal cake capnp cargo cargo-make catch2
cbindgen cc ccache ccmake changeset check-manifest checkbashisms checkov checkpatch.pl checkstyle chromatic clang
clang++ clang-format clang-tidy clj-kondo cljfmt cloc cmake cmake-format coccinelle codecept codeceptjs codemod
codespell comby commitlint composer concurrently configure conftest conventional-changelog convert cookiecutter copier
coqc coqchk cppcheck cpplint cpplint.py craco create-react-app credo cross crystal csc cscope csharpier cspell
css-beautify csslint csso ctags ctest cucumber cucumber-js cucumber-ruby cx_Freeze cypress cython danger daphne dart
dartfmt debhelper debuild degit del-cli deno depcheck depcruise dependency-cruiser deptry detect-secrets detekt dh
dialyzer diff-cover distcc django-admin dlv dmd docformatter dockerfilelint dockle docsify doctest docusaurus dodgy
dokka dos2unix dot dotnet doxygen dpkg-buildpackage dprint dub dune dx earthly eastwood editorconfig-checker electron
electron-builder eleventy elixirc elm elm-format elm-review elm-test elvis em++ ember emcc emconfigure emmake erb_lint
erlc erlfmt errcheck errorprone esbuild esdoc eslint eslint_d etags ex_doc ex_unit expo f77 fake fantomas fasm fastapi
fasterer fastlane fastmod fawltydeps ffmpeg flake8 flask flatc flatpak-builder flawfinder flex flutter fourmolu fpm
fsc futurize fvm g++ gas gatling gatsby gcc gci gcov gcovr gdc genhtml gersemi gettext gfortran ghdl ginkgo git-cliff
git-crypt gitbook gitignore gitleaks gitlint gleam gn gnat gnatmake gnuplot go gocyclo godoc godot gofmt gofumpt
goimports golangci-lint golines golint gomobile google-java-format gosec gotest gotestsum govulncheck gperf gprbuild
gradle gradlew graphql-codegen graphql-inspector green groff groovyc grunt gsc gtags gtest guild guix gulp gunicorn
gyp haddock hadolint haml-lint hatch hclfmt help2man hexo hey hindent hipcc hlint hpack html-beautify htmlbeautifier
htmlhint htmlvalidate http-server hub hugo hygen hypercorn hypothesis ibtool icecc idf.py idris2 imagemin imake
include-what-you-use indent ineffassign infection infer interrogate intltool invoke ionic isabelle isort ispc istanbul
iverilog ivy iwyu_tool jar jasmine javac javadoc javah jbuilder jekyll jest jlink jmeter jpackage js-beautify
jscodeshift jscs jsdoc jshint json-server jsonlint jsonnetfmt julia-test junit jupyter jupytext just k6 karma kdoc
kibit kicad-cli kivy knip kotest kotlinc ktfmt ktlint kube-linter kube-score kubeconform kubeval lage lake latexindent
latexmk lcov ld ldc2 lean lein leptosfmt lerna lessc lex lib2to3 libtool libtoolize license-eye licensee lighthouse
lint-imports lintr live-server locust lrelease lua-format luac luacheck lualatex lupdate lychee m4 mac2unix madge make
makeinfo makepkg markdown-link-check markdownlint markdownlint-cli2 marp maturin mccabe mcs mdbook mdformat meson
microbundle mill minitest mix mkdocs mmdc moc mocha mock mockgen mono msbuild msgfmt msgmerge mutmut mvn mypy nant
nasm native-image nbconvert nbstripout ncc neutralino newman nexe next nfpm ng nightwatch nim nimble nimpretty ninja
nix nixfmt nixpkgs-fmt nodemon nose2 nosetests nox npm npm-run-all nuitka nuxi nuxt nvcc nx nyc objcopy ocamlbuild
ocamlc ocamlformat ocamlopt oclint odin opa openapi-generator openscad ormolu oxlint pa11y packer paket pandoc pants
papermill paratest parcel pdflatex pdm pdoc pdoc3 perlcritic perltidy pest pex pg_format pgformatter phan php-cs-fixer
phpcbf phpcs phpmd phpstan phpunit pint pio pip-audit pkg pkg-config plantuml platformio playwright please plop pmd
pnpm po4a poetry postcss pre-commit premake5 prettier prettierd proselint prospector protoc protoc-gen-go protolint
protolock prove psalm ptw publint purs purs-tidy py.test pyanalyze pybabel pycln pycodestyle pydoc-markdown pydocstyle
pyflakes pyfmt pyinstaller pylint pyre pyright pytest pytest-watch pytype pyupgrade qmake qmake6 quartus_sh quasar
qunit raco radon ragel rails rails_best_practices ranlib rbprettier rcc rdmd rdoc re2c react-scripts readme_renderer
rebar3 rector redo redocly reek rego regula remark remix reno reorder-python-imports repo reuse reveal-md revive robot
rollup rome ronn rpmbuild rspack rspec rubocop ruby-lint ruff rufo run-p run-s ruplacer rush rustc rustdoc rustfmt
safety samu sass sbt scala-cli scalac scalafix scalafmt scalastyle scan-build scc scons sd sdoc selene semgrep
semistandard serve setuptools-rust sg shards shellcheck shellharden shellspec shfmt shiv shunit2 siege sip size-limit
slidev slim-lint smatch snapcraft snowpack solid-start spago sparse spatch spectral sphinx-apidoc sphinx-autobuild
sphinx-build splint spotbugs spotless sql-formatter sqlc sqlfluff sqlfmt squawk ssort stack standard standard-version
standardrb staticcheck storybook streamlit stringer strip stylelint styler stylish-haskell stylua stylus svelte-kit
svgo swag swagger-cli swagger-codegen swc swift swift-format swiftc swiftformat swiftlint swig tailwindcss tap tape
taplo task tauri tbump tectonic templ terraform terraform-docs terrascan terser testcafe testflo testng testthat
texi2any textlint tflint tfsec thrift tidy tinygo tokei toml-lint toml-sort towncrier tox trial trivy troff trufflehog
trunk ts-node-dev ts-prune ts-standard tsc tsc-watch tsd tslint tsup ttsc tup turbo turbopack twine typedoc typos
typst uglifyjs uic uncrustify unify unimported unittest unity unix2dos usort uv uvicorn uvu v vale valgrind vbc vegeta
verilator vermin vite vitepress vitest vivado vnu vue-cli-service vuepress vulture waf wait-on waitress-serve
wasm-bindgen wasm-opt wasm-pack wasm2wat wasmer wasmtime wat2wasm wdio web-test-runner webpack weeder west windres
wire wmr write-good wrk xbuild xcodebuild xcrun xctest xelatex xenon xgettext xmake xmlformat xo yacc yamlfix yamlfmt
yamllint yapf yard yarn yasm yo yosys zig zola zprint
"""),
    ("packages", """
R anaconda ansible-galaxy apm appcenter aqua arduino-cli artifactory asdf atom auto beachball bower brew browsers buf
bumblebee bun bundle bunx cabal cargo carthage carton changeset choco choosenim chromatic chruby cloudsmith cnpm code
code-insiders code-push codium composer conan conda conda-build copr-cli corepack coursier cpan cpan-upload cpanm
crane cs cursor cypress dart debrelease deno dep devbox devenv devpi direnv docker dotnet dput dub dune-release dvc
eas easy_install easybuild eb elan elm esy expo fastlane flatpak flit flox flutter fnm fvm gem gh gh-pages ghcup
ghp-import git git-lfs gleam glide go goenv goreleaser gradle graph guix gvm hatch helm helmfile hf home-manager
huggingface-cli hunter husky jabba jenv jf jfrog jspm jsr julia-pkg juliaup kaggle kerl lake lefthook lein lerna
lint-staged luarocks mamba marketplace mas maturin micromamba mike mint mise mix mkdocs mkvirtualenv mojo-upload mvn n
nci ni nimble nix nix-build nix-channel nix-collect-garbage nix-instantiate nix-shell nix-store nodenv np npm npx
nuget nun nup nvm nx opam oras osc ovsx packer pak paket pdm pear pecl perlbrew phive phpbrew pio pip pip-compile
pip-sync pip3 pipdeptree pipenv pipx pixi playwright plenv pnpm pod podman poetry pre-commit proto pub pulp puppeteer
pyenv python-build python-semantic-release quilt raco rake rbenv rebar3 release-it renv rmvirtualenv rover rpmdevtools
rtx ruby-build ruff rush rustup rvm rye sbt sdk sdkman semantic-release shards skopeo snapcraft spack spago stack subl
swift swiftly tenv terraform tfenv tnpm tox tuist twine uv uvx vagrant vcpkg vim-plug virtualenv virtualenvwrapper
volta vsce wandb web-ext webdriver-manager west xcodes xcrun yarn zig zvm
"""),
    ("network", """
aria2c curl dig ftp gpg http https lftp nc nslookup openssl ping rclone scp sftp socat ssh ssh-add ssh-copy-id
ssh-keygen traceroute wg wget whois
"""),
    ("system", """
abduco bg brctl byobu dbus-send defaults disown dtach ebtables ethtool fg firewall-cmd gdb gdbus history ip6tables
ip6tables-save ipset iptables iptables-restore iptables-save kill killall lldb mknod mosh-server nft nmcli osascript
pfctl pkill resolvectl route screen systemd-run tc tmux ufw xkill zellij
"""),
    ("archives", """
7z 7z2 7za 7zr 7zz advzip als apack ar arc asar atool aunpack brotli bsdcpio bsdiff bsdunzip bspatch bunzip2 bzip2
bzip3 cabextract compress cpio dar dpkg-deb dpkg-split dtrx dumpiso gunzip gzip innoextract isoinfo jar lbunzip2
lbzip2 lha lrunzip lrzip lrztar lrzuntar lsar lunzip lz4 lz4c lzgrep lzip lzma lzop makeself ouch p7zip patool pax
pbzip2 pigz pixz plzip pxz pzstd rar rpm2archive rpm2cpio shar snzip squashfs-tools star tar unace unar unarj unbrotli
uncompress unlz4 unlzma unmakeself unp unpigz unrar unshield unsit unsquashfs unxz unzip unzstd xdelta3 xz zgrep zip
zipcmp zipgrep zipinfo zoo zopfli zpaq zstd zstdmt
"""),
    ("containers", """
VBoxManage actionlint ansible-lint argocd aws az bao bolt buildah cap cdk cdktf cfn-lint checkov chef-client chef-solo
circleci-lint colima conftest consul crane crictl ctr datree devcontainer devpod devspace dive docker docker-compose
docker-machine dockle driftctl fab fleetctl garden gcloud gh govc grype gsutil hadolint helm helm-docs-lint helmfile
heroku incus infracost istioctl k3d k3s-uninstall.sh k9s kamal kapp kics kind knife kompose kops kube-bench
kube-linter kube-score kubeadm kubeconform kubectl kubectl-neat kubectx kubens kubent kubeseal kubetail kubeval
kustomize lima limactl lxc microk8s mina minikube multipass nomad okteto oras packer pct pluto pm2 podman polaris
popeye popeye-lint prowler pulumi puppet pyinfra qemu-system-x86_64 qm regctl scout serverless skaffold skopeo sls
snyk spectral stern syft tanka terraform terraform-docs terragrunt terrascan tflint tfsec tilt tk tkn trivy vagrant
vault vboxmanage velero virsh waypoint werf yamllint ytt
"""),
    ("databases", """
ace adonis alembic arangosh artisan atlas beeline bq-shell cbq clickhouse clickhouse-client clusterdb cockroach
cockroach-sql console consul cqlsh craft createdb createlang createuser curator_cli cypher-shell databend db2 dbmate
diesel doctrine dolt dotnet dotnet-ef drizzle-kit dropdb dropuser drush duckdb edgedb etcdctl fauna flask flyway gel
gh-ost goose hadoop hdfs hive impala-shell influx influxd influxd-backup initdb iredis isql kafka-console-consumer
kafka-console-producer kafka-delete-records kafka-topics kcat keydb-cli knex liquibase litecli manage.py mariadb
mariadb-dump mclient memcached memcflush migrate mikro-orm monetdb mongo mongod mongodump mongoexport mongofiles
mongoimport mongorestore mongosh mongostat mongotop mycli mysql mysql_config mysqladmin mysqld mysqldump mysqlpump
mysqlshow nats neo4j-shell neonctl nodetool osql pg_amcheck pg_basebackup pg_config pg_controldata pg_createcluster
pg_ctl pg_dropcluster pg_dump pg_dumpall pg_isready pg_lsclusters pg_resetwal pg_restore pg_rewind pg_upgrade pgbench
pgcli phinx piccolo postgres presto prisma pscale psql pt-online-schema-change questdb rabbitmqadmin rabbitmqctl rails
rake redis-benchmark redis-cli redis-server reindexdb rqlite rs.drop sea-orm-cli sequelize sequelize-cli skeema
snowsql snowsql-cli spark spark-sql sqitch sqlcmd sqlite3 sqlplus sqlx supabase surreal trino turso typeorm usql
vacuumdb valkey-cli vsql wp ysqlsh
"""),
    ("interpreters", """
bash bun deno dotnet java node perl php python ruby setup.py
"""),
    ("remote", """
GetUserSPNs.py ab acme.sh aerc age age-keygen aircrack-ng aireplay-ng airmon-ng airodump-ng akeyless amass
amqp-consume amqp-get amqp-publish amtool ansible ansible-config ansible-console ansible-doc ansible-galaxy
ansible-inventory ansible-playbook ansible-pull ansible-vault apache2ctl apachectl apprise apt-key aria2c arp arp-scan
arping arpspoof arptables artillery attic autocannon autossh avahi-browse avahi-resolve aws aws-vault axel badvpn
barman berglas bettercap blackbox_cat bloodhound-python bmon bombardier bore borg bpaste brctl bridge bruno bup bw
cadaver caddy capinfos ccrypt certbot certutil cewl cfssl chamber chisel chronyc cloudflared clush cme code commix
conjur conntrack crackmapexec credstash croc crun crunch csf cssh csshx ctop cu curlftpfs curlie dalfox dashlane
davfs2 dehydrated delv detect-secrets devtunnel dhclient dhcpcd dirb dirbuster dirsearch distrobox-host-exec dns2tcp
dnscat dnscat2 dnschef dnsenum dnsmasq dnsrecon dnsspoof dnstop dnstracer docker-credential-desktop
docker-credential-secretservice dog doggo dotenvx dpaste driftnet drill dsh dsniff dumpcap duplicacy duplicity
ebtables elinks enpass enum4linux envoy et ethtool ettercap evans evil-winrm exim exim4 expose expressvpn fabric
fail2ban-client fcrackzip feroxbuster fetch ffsend ffuf fierce finger firewall-cmd firewall-offline-cmd flatpak-spawn
fortio fpaste fping frpc frps gammu gammu-smsd-inject gatling gcloud gcore gdown geoiplookup getent gh gh-dash ghz
gist git git-credential-store git-crypt git-remote-https gitleaks gnome-keyring-daemon gobuster goldeneye gopass gost
gotty grpcurl gs-netcat gsocket h2load haproxy hashcat hashid haste hastebin heroku hey himalaya hoaxshell host
hostapd hostnamectl hping hping3 http-prompt httpd httperf httpie httrack hurl hydra icmpsh ifdown ifenslave iftop
ifup impacket-secretsdump infisical inlets inletsctl insomnia iodine ip ip6tables ip6tables-restore ip6tables-save
ipcalc iperf iperf3 ipfs ipfw ipinfo ipsec ipset iptables iptables-legacy iptables-nft iptables-save iptraf-ng iw
iwconfig iwctl jmeter john k6 kafka-acls kafka-acls.sh kafka-configs kafka-configs.sh kafka-console-consumer
kafka-console-consumer.sh kafka-console-producer kafka-console-producer.sh kafka-consumer-groups
kafka-consumer-groups.sh kafka-delete-records kafka-delete-records.sh kafka-leader-election kafka-leader-election.sh
kafka-reassign-partitions kafka-reassign-partitions.sh kafka-storage kafka-storage.sh kafka-streams-application-reset
kafka-streams-application-reset.sh kafka-topics kafka-topics.sh kafkacat kcat kdig keepalived keepassxc-cli keeper
kerbrute keyring keytool kinit kismet klist knotc kopia kpcli ktutil kubeadm kwallet-query laZagne lazagne lazydocker
ldapsearch lego ligolo links linpeas.sh localtunnel localxpose loclx locust lodgeit loophole lpass lt lxc-attach
lxc-execute lynx macchanger machinectl magic-wormhole mail mailq mailsend mailsend-go mailx masscan mdk3 mdk4 medusa
mega-put megacopy megadl megaput merlin mimipenguin minicom mitmdump mitmproxy mitmweb mkcert mosh mosquitto_pub
mosquitto_sub mpack mqttx msfconsole msfdb msfvenom msmtp mtr mullvad mussh mutt named named-checkconf named-checkzone
nats nbtscan ncftp ncftpget ncftpput ncrack nebula neomutt netbird netdiscover netexec nethogs netperf netplan netstat
networkctl newman nft nginx ngrep ngrok nikto nmap nmblookup nmcli nmtui nopaste nordpass nordvpn nping npm nstat
nsupdate ntfy ntlmrelayx.py ntpq nuclei nxc oathtool oha onesixtyone onionshare onionshare-cli op openconnect openvpn
openvpn3 ophcrack ovs-ofctl ovs-vsctl pacman-key pagekite pagekite.py parallel-rsync parallel-scp parallel-ssh
paste.sh pastebinit patator pdcp pdfcrack pdns_control pdnsutil pdsh pfctl pgbackrest phase picocom ping6 pinggy
playit plow portal postconf postdrop postman postqueue postsuper pppd promtool protonvpn protonvpn-cli prsync pscp
psexec.py pslurp pssh ptunnel pulsar-client pupy pushover pwgen pwncat-cs qmail-inject qrcp rabbitmqctl rage
rainbowcrack rathole rclone rdesktop rdiff-backup redsocks remmina resolvectl responder restic revsocks rfkill rlogin
rndc route rpcinfo rpk rsh rsnapshot runc rustscan rustypaste s-nail salt salt-call salt-ssh scapy secretsdump.py
sendEmail sendemail sendmail sendxmpp serveo setoolkit shorewall showmount siege signal-cli sipcalc slackcat sliver
slowhttptest slowloris smbclient smbexec.py smbget snarf snmp-check snmpget snmpset snmpwalk sntp sops speedtest
speedtest-cli sqlmap squid ss ssh-agent ssh-audit ssh-keyscan sshd sshfs sshpass-run sshuttle sshx sslscan sslstrip
sslyze ssmtp step step-cli stomp-send strongswan stunnel subfinder sublist3r summon supabase swaks swanctl swift
syncthing systemd-nspawn systemd-resolve t50 tailscale tarsnap tc tcpdump tcpflow tcpreplay tcptraceroute telebit
teleconsole telegram-send teller telnet termbin termshark testssl testssl.sh tftp thc-ssl-dos theHarvester tio tmate
tmole toot tor tracepath traceroute6 traefik transfer.sh transfersh trufflehog trust tshark tsung ttyd tun2socks
tunnelmole twurl udp2raw ufw unbound-control unicornscan update-ca-certificates update-ca-trust upterm vconfig vegeta
velero vncserver vncviewer vnstat vpnc vtysh w3m wafw00f wal-g wall warp-cli websocat weevely wfuzz wg-quick wget2
wgetpaste whatweb wireshark wmiexec.py woof wormhole wpa_supplicant wpscan write wrk wrk2 wscat wstunnel x11vnc
xfreerdp xh xhs xsstrike yersinia ykman youtube-dl yt-dlp zerotier-cli zkCli.sh zmap zmqcat zrok ztcp
"""),
    ("media", """
HandBrakeCLI MP4Box a2x abcm2ps abiword advdef advpng afconvert afplay annie antiword aplay apngasm asciidoc
asciidoctor assimp aubio autotrace avconv aview avifdec avifenc barcode biber bibtex blender blockdiag bmptopnm
cairosvg catdoc catimg catppt chafa chktex circo cjpeg cjxl cmark cmus composite context convert cscope csvformat
ctags cvlc cwebp cwebp_batch d2 dblatex dcmdump dcraw ddjvu detex display ditaa djpeg djvudump djvups djvutxt djxl
docx2txt dot doxygen dvipdfm dvipdfmx dvips dvisvgm dwebp ebook-convert ect eog epubcheck etags evince exifautotran
exiftool exiv2 eyeD3 faac faad fc-scan fdp feh ffmpeg ffmpeg2theora ffplay ffprobe fitsheader flac fluidsynth fop
freecadcmd gallery-dl gdal_translate gdalinfo gdalwarp gif2webp gifsicle gifski gm gnumeric gnuplot graph-easy groff
gtags h5dump h5ls heif-convert help2man html2ps html2text iconutil icotool id3info id3v2 identify image_optim imagemin
img2pdf img2txt img2webp imv in2csv inkscape jhead jp2a jpeginfo jpegoptim jpegtran kid3-cli lacheck lame latex
latexindent latexmk libreoffice lilypond lualatex lux magick makeindex makeinfo man2html mandoc markdown marp mdbook
mediainfo mencoder meshlabserver metaflac mid3v2 midicsv mkvextract mkvinfo mkvpropedit mmdc mocp mogrify montage
mp3gain mp3info mp3val mp4box mp4dump mp4info mpc mpg123 mplayer mpv mscgen multimarkdown mutool ncdump neato
normalize-audio nroff ocrmypdf odt2txt oggdec oggenc ogginfo ogr2ogr ogrinfo okular omxplayer openscad optipng opusdec
opusenc opustags otfinfo oxipng pandoc paplay paps pdf2ps pdfbook pdfcrop pdfdetach pdffonts pdfgrep pdfimages pdfinfo
pdfjam pdflatex pdfnup pdfseparate pdfsig pdftex pdftk pdftocairo pdftohtml pdftoppm pdftops pdftotext pdfunite
plantuml play png2icns pngcheck pngcrush pngout pngquant pngtopnm pnmtopng potrace ppmtogif primitive prince ps2ascii
ps2pdf qlmanage qpdf qrencode realesrgan-ncnn-vulkan rembg reveal-md rst2html rst2html5 rst2pdf rsvg-convert
rubberband saxon scour seqdiag sfdp sips slidev soffice sox soxi spotdl ssconvert streamlink svgcleaner svgexport svgo
svtplay-dl sxiv tectonic tesseract tex texcount texi2any texi2pdf text2pdf textutil tiff2pdf tiffcp timg timidity
trimage troff twopi txt2man typst unoconv unpaper unrtf untex vega-lite vips vipsheader viu vl2png vlc vorbiscomment
waifu2x weasyprint webpinfo wkhtmltoimage wkhtmltopdf wrestool x264 x265 xelatex xls2csv xmlto xpdf xsltproc you-get
youtube-dl yt-dlp zathura zbarimg zopflipng
"""),
    ("machine", """
JLinkExe PhoenixMiner PlistBuddy SRBMiner-MULTI a2ps aa-complain aa-disable aa-enforce aa-remove-unknown aa-status
aa-teardown aa-unconfined acpi adb adcli addgroup adduser adjtimex alsactl alsamixer alternatives amixer amtool
apcaccess apcupsd apg apparmor_parser apparmor_status archlinux-java arduino-cli arecord asciiquarium atop auditctl
auditpol augenrules augtool authconfig authselect auto-cpufreq avml avrdude banner bcdedit bfgminer biosdecode
bitsadmin bless bmon bonnie++ bootctl bossac bpftool bpftrace bpytop brightnessctl btm btop busybox bzminer c_rehash
caffeine cal caller cancel capsh catalog-update cbmem ccminer cert-sync certmgr cgclassify cgconfigparser cgcreate
cgdelete cgexec cgminer cgset chage chcon chfn chgpasswd chkrootkit chpasswd chronyc chronyd chsh cipher clamscan
claymore clinfo clip.exe cmatrix compgen cowsay cpuburn cpufreq-info cpufreq-set cpuid cpuminer cpuminer-multi
cpupower criu csrutil dadd date dateutils.dconv dc dconf ddiff debconf-get-selections debconf-set-selections
debconf-show defaults delgroup deluser depmod devmem devmem2 dfu-util dialog dirs diskpart dism dkms dmidecode
dpkg-reconfigure dracut dscl dstat dumpkeys earlyoom edac-util efibootmgr enable enscript envsubst eselect espeak
espflash esptool esptool.py ethminer eu-stack evtest ewbf explorer.exe extlinux extlinux-update fail2ban-client
faillock fastboot fastfetch fc fc-cache fc-match fc-query figlet finger fio fips-mode-setup fixfiles flameshot
flashrom fortune freshclam fsutil fswebcam ftrace fw_printenv fw_setenv fwupdmgr fwupdtool gcore gdate gdbserver
getcap getenforce getfacl getfattr getopt getpcaps getsebool gio git-credential-store glances glib-compile-schemas
glxinfo gminer gnome-open gnome-screensaver-command gnome-screenshot gotop gpasswd gpiodetect gpioget gpioinfo gpioset
grim groupadd groupdel groupmod grpck grpconv grpunconv grub-editenv grub-install grub-mkconfig grub-reboot
grub-set-default grub2-editenv grub2-install grub2-mkconfig grub2-set-default grubby gsettings gstack
gtk-update-icon-cache halt hash heimdall help hid-tools hostid hostinfo hostname hp-scan hp-setup hping3 htop hwclock
hwinfo hwloc-ls hyprctl i2cdetect i2cdump i2cset i3-msg icacls idf.py iftop imagesnap import infocmp init insmod
installer installkernel intel_gpu_top inxi ioreg iostat iotop iozone ipa ipcrm ipcs ipmi-chassis ipmitool
jetson_clocks jo kadmin kawpowminer kazam kbuildsycoca5 kde-open kdialog kernel-install kernelstub kexec kextload
kextstat kextunload keysniffer killall5 kinit klist kmod kmutil kpatch kreadconfig5 ksysguard kwriteconfig5 launchd
ldapadd ldapconf ldapdelete ldapmodify ldappasswd ldapsearch ldconfig light lilo livepatch load_policy loadkeys locale
locale-gen localedef loginctl logkeys logout lolMiner lolcat lolminer look lp lpadmin lpinfo lpmove lpoptions lpq lpr
lprm lpstat lsattr lsb_release lscpu lsdvd lsfd lshal lshw lsinitramfs lsinitrd lsipc lsirq lslocks lslogins lsmem
lsmod lsns lsof lspci lstcl lstopo lsusb lynis maim makewhatis mandb matchpathcon mcelog mcookie mdfind mdls memdump
memtester memusage mesg mft mimikatz minerd mkinitcpio mkinitramfs mkinitrd mkpasswd mktexlsr modinfo modprobe mokutil
mprime mpstat mshta msiexec mspdebug mstflint namei nanominer nbminer ncal neofetch nethogs netplan netsh networksetup
newgidmap newgrp newuidmap newusers nheqminer nicehash nixos-rebuild nload nmon notify-send nrfjprog nrfutil ntpdate
ntpdig ntpq ntpstat numastat nvflash nvidia-debugdump nvidia-smi nvpmodel nvram nvtop obs onezerominer opasswd
opcontrol open openocd pacmd pactl pam-auth-update pam_tally2 pamixer parec parecord passwd pathchk pbcopy pbpaste
pdbedit perf pgrep picotool pidof pidstat pinky pinout pio pivot_root pkgutil plutil plymouth-set-default-theme
pm-hibernate pm-suspend pmap pmset pnputil polkit-agent-helper-1 postconf powerd powermetrics poweroff
powerprofilesctl primes probe-rs procs profiles ps ps_mem pstack pstree pw pw-record pwck pwconv pwdx pwgen pwunconv
pyocd qalc raspi-config rdate rdmsr realm reboot rec refind-install reg regsvr32 renice reset resize restorecon rfkill
rig rigel rkhunter rmmod rocm-smi rocminfo rpi-eeprom-config rpi-eeprom-update rpi-update rtcwake rundll32 ryzenadj
s2disk s2ram sadf samba-tool sar say sbctl sbsign scanimage schedtool schtasks screencapture screenfetch scrot scutil
seinfo select-editor semanage semodule sensors sesearch sestatus setcap setenforce setfont setpci setpriv setsebool
setserial setterm setupcon setxkbmap sfc sg showkey shutdown simplescreenrecorder skill sl slabtop slay smartmontools
smbpasswd smem snice sntp spark spctl spd-say spectacle srbminer sss_cache st-flash st-info st-trace stap start
stm32flash stress stress-ng stty suspend sw_vers swaymsg switch_root sysadminctl sysbench sysctl sysdig syslinux sysrc
system-config-printer system_profiler systemctl-suspend systemd-boot systemd-inhibit systemd-oomd systemd-timesyncd
systemsetup systemtap systool t-rex takeown tccutil teamredminer teensy_loader_cli tegrastats telinit
terminal-notifier texhash thermald times tiptop tload tlp tlp-stat toe toilet top tpm2_clear tput trace-cmd tripwire
trust tuned-adm turbostat tzdata-update tzselect u-boot-update uhubctl undervolt units update-alternatives
update-bootloader update-ca-certificates update-ca-trust update-crypto-policies update-desktop-database update-grub
update-grub2 update-initramfs update-java-alternatives update-locale update-mime update-mime-database update-rc
updatedb upower upsc upscmd upsdrvctl uptime usb-devices usbguard usbreset useradd userdel usermod uuidgen vainfo
vcgencmd vdpauinfo vigr vipw virt-what visudo vm_stat vmstat vnstat volatility vpddecode vssadmin vulkaninfo wall
wbinfo weak-modules west wevtutil wf-recorder whereami whiptail wildrig wl-copy wl-paste wlr-randr wmctrl wmic wpctl
write wrmsr wslview wtype wusa x86_energy_perf_policy x86info xbacklight xclip xcode-select xcrun xdg-email xdg-mime
xdg-open xdg-screensaver xdg-settings xdg-user-dir xdotool xdpyinfo xev xfconf-query xinput xkcdpass xlsclients
xmodmap xmr-stak xmr-stak-rx xmrig xmrig-proxy xprop xrandr xrdb xscreensaver-command xsel xset xspy xwd xwininfo
y-cruncher ydotool zdump zenity zipl zzz
"""),
    ("pipelines", """
aim airflow bentoml clearml-data clearml-task cog dagster dbt dvc feast flyte great_expectations guildai hf
huggingface-cli kedro label-studio luigi meltano metaflow mlflow nextflow ploomber prefect pyflyte sacred snakemake
sqlmesh superset wandb zenml
"""),
)  # fmt: skip
