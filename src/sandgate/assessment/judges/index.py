"""Which module judges a program, so that only this one is imported.

Written by `python tests/support/command/knowledge_indexes.py` from the judges: not to be edited; a test compares.
Each row: a module, and the programs whose judge it has.
"""

from __future__ import annotations

JUDGED: tuple[tuple[str, str], ...] = (
    ("agents", """
aider auggie claude cline codex crush cursor-agent droid gemini gptme interpreter kimi kiro-cli opencode openhands
plandex qchat qwen rovodev
"""),
    ("machine", """
badblocks brew-services cryptsetup date debugfs e2fsck e2label fdisk fsck fsck.ext4 fsck.vfat gdisk hostname
invoke-rc.d mkdosfs mke2fs mkfs mkfs.btrfs mkfs.exfat mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.fat mkfs.ntfs mkfs.vfat
mkfs.xfs mkswap parted rc-service resize2fs sc service sfdisk sgdisk sysctl tune2fs wipefs
"""),
    ("media", """
HandBrakeCLI MP4Box a2x abcm2ps abiword advdef advpng afconvert afplay annie antiword aplay apngasm asciidoc
asciidoctor assimp aubio autotrace avconv aview avifdec avifenc barcode biber bibtex blender blockdiag bmptopnm
cairosvg catdoc catimg catppt chafa chktex circo cjpeg cjxl cmark cmus composite context convert cscope csvformat
ctags cvlc cwebp cwebp_batch d2 dblatex dcmdump dcraw ddjvu detex display ditaa djpeg djvudump djvups djvutxt djxl
docx2txt dot doxygen dvipdfm dvipdfmx dvips dvisvgm dwebp ebook-convert ect eog epubcheck etags evince exifautotran
exiftool exiv2 eyeD3 faac faad fc-scan fdp feh ffmpeg ffmpeg2theora ffplay ffprobe fitsheader flac fluidsynth fop
freecadcmd gallery-dl gdal_translate gdalinfo gdalwarp gif2webp gifsicle gifski gm gnuplot graph-easy groff gtags
h5dump h5ls heif-convert help2man html2ps html2text iconutil icotool id3info id3v2 identify image_optim imagemin
img2pdf img2txt img2webp imv in2csv inkscape jhead jp2a jpeginfo jpegoptim jpegtran kid3-cli lacheck lame latex
latexindent latexmk libreoffice lilypond lualatex lux magick makeindex makeinfo man2html mandoc markdown marp
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
zathura zbarimg zopflipng
"""),
    ("tasks", """
ace adonis aerich alembic ant artisan bee bmake buffalo bun bundle cap cargo cargo-make cmake composer configure
console craft dagger dbmate deno diesel doctrine doit dotnet-ef drizzle-kit earthly ecto fab fastlane flask flyway go
goose gradle gradlew grunt gulp hatch inv invoke jom just knex lein liquibase mage make makers manage.py meson migrate
mikro-orm mingw32-make mix moon mvn ninja nmake nox np npm nx pants pdm phinx piccolo pnpm poetry prisma rails rake
release-it samu sbt scons sea-orm-cli sequelize sequelize-cli skeema spark sqitch sqlx standard-version task thor tox
turbo typeorm waf yarn yoyo
"""),
    ("databases", """
arangosh beeline bq-shell cbq clickhouse clickhouse-client cockroach cockroach-sql cqlsh cypher-shell databend db2
dolt duckdb edgedb fauna gel hive impala-shell influx influxd-backup iredis isql keydb-cli litecli mariadb
mariadb-admin mariadb-dump mclient monetdb mongo mongodump mongoexport mongorestore mongosh mycli mysql mysqladmin
mysqldump mysqlimport mysqlpump neo4j-admin-load neo4j-shell osql pg_basebackup pg_ctl pg_dump pg_dumpall pg_restore
pgcli presto psql questdb redis-cli rqlite snowsql snowsql-cli spark-sql sqlcmd sqlite3 sqlplus surreal trino usql
valkey-cli vsql ysqlsh
"""),
    ("services", """
akamai akeyless algolia aliyun amplify appwrite argo argocd atlas auth0 aws awslocal awx az azcopy b2 bosh boundary bq
buildkite-agent bws caprover cdk cdktf cf cfcli cilium circleci civo clever cloudflare-cli clusterctl confluent conjur
consul convex copilot couchbase-cli credhub crossplane curator_cli databricks datadog-ci deployctl dnscontrol doctl
dokku doppler drone dropbox_uploader.sh drush dvc eb ecs-cli eksctl esxcli etcdctl exo fastly firebase flarectl flux
fly flyctl gam gcloud gdrive ghost gigalixir govc grafana-cli gsutil hammer hasura hcloud helmfile heroku hf
huggingface-cli ibmcloud infisical ionosctl istioctl jenkins-cli jira kafkactl kaggle kcadm keycloak kn knife kops
koyeb lexicon linear linkerd linode-cli mc minio mlflow modal mongocli namecheap nats neonctl netlify newrelic nomad
now oc oci ocm octodns-sync okta onedrive opensearch-cli openshift-install openstack ovhcloud packer pagerduty phase
planetscale platform prefect pscale pulsar-admin pulumi qovery rabbitmqadmin rabbitmqctl racadm railway rancher render
replicate rke rosa rpk s3cmd s5cmd sam scalingo scw sentry-cli serverless shopify skaffold slack sls snow spacectl sst
step stripe supabase surge talosctl tanzu tccli tctl teleport temporal terraform terragrunt tfctl tkn travis tsh turso
twilio upctl upstash upsun velero vercel vultr-cli wandb waypoint werf wp wrangler yc zitadel
"""),
    ("remote", """
ab ansible ansible-playbook artillery autocannon bombardier cadaver clush colima crictl distrobox distrobox-host-exec
docker-machine dsh flatpak-spawn fortio ftp ghz h2load hey httperf incus ip iperf iperf3 k3d k6 kubectl lftp limactl
locust lxc machinectl minikube multipass mussh ncftp nmap oha parallel-ssh pdsh plow pssh resolvectl salt salt-call
salt-ssh sftp siege smbclient tnftp toolbox vagrant vegeta wrk wrk2
"""),
    ("fetching", """
aria2c axel et fetch gdown http https httrack megadl mosh snarf xh xhs youtube-dl yt-dlp
"""),
    ("keys", """
openssl ssh-keygen
"""),
    ("processes", """
kill killall pgrep pidof pkill ps
"""),
    ("files", """
awk base32 base64 brotli bunzip2 bzcat bzip2 dd fallocate gunzip gzip ln lz4 rev rimraf rm sed sort tar tee tr
truncate uncompress unxz unzip unzstd uuencode xxd xz xzcat zcat zip zstd
"""),
    ("searching", """
fd fdfind find
"""),
    ("revealing", """
echo getent jq printenv unshadow yes
"""),
    ("network", """
autossh borg curl curlie dig dog doggo drill grpcurl host kopia lynx mail mailx msmtp mutt neomutt nslookup ping
restic rsync s-nail scp sendmail ssh swaks telnet termbin websocat wget wscat
"""),
    ("sockets", """
amqp-publish jupyter jupyter-lab jupyter-notebook kafka-console-producer kafkacat kcat mosquitto_pub mqttx nc socat
stomp-send
"""),
    ("tools", """
at batch crontab docker docker-compose gh glab hub podman podman-compose sg tea vi vim
"""),
    ("git", """
brz bzr darcs fossil git hg svn
"""),
    ("running", """
! builtin busybox busybox.static catchsegv chpst chronic chroot chrt command coproc coreutils dbus-run-session do doas
dumb-init elif else entr env exec fakeroot firejail flock gosu if ionice ld-linux-aarch64.so.1 ld-linux-armhf.so.3
ld-linux-loongarch-lp64d.so.1 ld-linux-riscv64-lp64d.so.1 ld-linux-x32.so.2 ld-linux-x86-64.so.2 ld-linux.so.2
ld-linux.so.3 ld-musl-aarch64.so.1 ld-musl-armhf.so.1 ld-musl-i386.so.1 ld-musl-riscv64.so.1 ld-musl-x86_64.so.1 ld.so
ld.so.1 ld64.so.1 ld64.so.2 ltrace nice nocorrect noglob nohup nsenter numactl parallel pkexec prlimit proot
proxychains proxychains4 runuser script setarch setsid spawn ssh-agent sshpass stdbuf strace su su-exec sudo
systemd-run taskset then time timeout tini torsocks toybox trap unbuffer unshare until uutils watch while xargs
xvfb-run {
"""),
    ("interpreters", """
. R Rscript ash bash bb bpython busybox-sh caddy clisp clj clojure crystal csh csi d8 darkhttpd dash devd dufs ecl ed
elixir emacs emacsclient erl escript eval expect filebrowser fish ghc gosh goshs groovy guile hhvm http-server iex irb
java jruby julia kotlin ksh littler live-server lua luajit matlab miniserve mksh node ocaml octave perl perl6 php
psysh python qjs racket raku rbash ruby runghc sage sbcl scala serve sh source static-web-server swift swipl tclsh
tcsh truffleruby ts-node tsx updog uwsgi webfsd xonsh zsh
"""),
    ("builtins", """
alias bind cd chdir complete declare export getopts local mapfile popd printf pushd read readarray readonly set
typeset unset
"""),
    ("powershell", """
powershell pwsh
"""),
    ("vaults", """
bao vault
"""),
)  # fmt: skip
