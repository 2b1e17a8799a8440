"""Commands about the network, containers, clusters and clouds that only look, and only on this machine.

The notation is that of `safe_programs`. What asks another machine is not here: a name server, a cluster or a cloud
learns from a question, and their clients run helpers that a settings file names. A container engine is asked over its
own socket; it and the other clients read settings that may name programs, so they are safe only where the sandbox
confines them. Options that print secrets (`--raw`, `--show-secrets`, private keys) are left out on purpose.
"""

from __future__ import annotations

from sandgate.commandline.tables import one_table
from sandgate.commandline.words import words_of

_CONTAINER_LISTS = (
    "-aqnls -f= -n= --all --filter= --format= --last= --latest --no-trunc --quiet --size --noheading --sort="
)
_OBJECT_LISTS = "-aq -f= --filter= --format= --no-trunc --quiet --digests --all --noheading --tree"
_LOGS = "-ft -n= --follow --since= --until= --tail= --timestamps --details --no-color --no-log-prefix --names --color"


# docker and podman understand the same words.
_ENGINE = {
    "ps": _CONTAINER_LISTS + " 0",
    "images": _OBJECT_LISTS + " 1",
    "history": "-Hq --format= --human --no-trunc --quiet 1",
    "logs": _LOGS + " *",
    "inspect": "-sl -f= -t= --format= --size --type= --latest *",
    "version": "-f= --format= 0",
    "info": "-f= --format= 0",
    "stats": "-a --all --format= --no-stream --no-trunc *",
    "top": "*",
    "port": "2",
    "diff": "--format= 1",
    "container": "sub stop *",
    "image": "sub stop *",
    "volume": "sub stop *",
    "network": "sub stop *",
    "system": "sub stop *",
    "context": "sub stop *",
    "compose": "-f= -p= --file= --project-name= --profile= --env-file= --project-directory= --ansi= --help sub "
    "alone stop *",
    "system df": "-v -f= --format= --verbose 0",
    "system info": "-f= --format= 0",
    "context ls": "-q --format= --quiet 0",
    "context show": "0",
    "container ls": _CONTAINER_LISTS + " 0",
    "container list": _CONTAINER_LISTS + " 0",
    "container ps": _CONTAINER_LISTS + " 0",
    "container inspect": "-s -f= --format= --size *",
    "container logs": _LOGS + " *",
    "container top": "*",
    "container port": "2",
    "container stats": "-a --all --format= --no-stream --no-trunc *",
    "container diff": "1",
    "image ls": _OBJECT_LISTS + " 1",
    "image list": _OBJECT_LISTS + " 1",
    "image inspect": "-f= --format= *",
    "image history": "-Hq --format= --human --no-trunc --quiet 1",
    "volume ls": _OBJECT_LISTS + " 0",
    "volume list": _OBJECT_LISTS + " 0",
    "node": "sub stop *",
    "node ls": "-q -f= --filter= --format= --quiet 0",
    "node ps": "-q -f= --filter= --format= --no-trunc --no-resolve --quiet *",
    "service": "sub stop *",
    "service ls": "-q -f= --filter= --format= --quiet 0",
    "service ps": "-q -f= --filter= --format= --no-trunc --no-resolve --quiet *",
    "stack": "sub stop *",
    "plugin": "sub stop *",
    "plugin ls": "-q --format= --filter= --no-trunc --quiet 0",
    "stack ls": "--format= 0",
    "stack ps": "-q -f= --filter= --format= --no-trunc --no-resolve --quiet 1",
    "stack services": "-q -f= --filter= --format= --quiet 1",
    "volume inspect": "-f= --format= *",
    "network ls": _OBJECT_LISTS + " 0",
    "network list": _OBJECT_LISTS + " 0",
    "network inspect": "-v -f= --format= --verbose *",
    "compose ps": "-aq --all --format= --filter= --status= --services --quiet --no-trunc --orphans[=] *",
    "compose logs": _LOGS + " *",
    "compose images": "-q --format= --quiet *",
    "compose top": "*",
    "compose ls": "-aq --all --format= --filter= --quiet 0",
    "compose port": "--index= --protocol= 2",
    "events": "-f= --filter= --format= --since= --until= 0",
    "buildx": "sub stop *",
    "buildx ls": "--format= --no-trunc 0",
    "buildx version": "0",
    "buildx du": "--verbose 0",
    "compose version": "-f= --format= --short 0",
    "compose config": "-q --quiet --services --volumes --images --profiles --format= --no-interpolate *",
}


def _engine(name: str) -> dict[str, str]:
    return {f"{name} {words}": line for words, line in _ENGINE.items()}


_HELP = words_of(
    "search commit save rename update attach swarm secret manifest "
    "run exec build pull push start stop restart rm rmi tag cp create kill load login"
)

# Those that tell their version as a sub-command, without asking anybody else.
_SAY_VERSION = words_of(
    "rclone restic gitleaks minisign "
    "ngrok cloudflared kustomize helmfile skaffold eksctl k3d k9s stern packer pulumi flyctl fly trivy cosign "
    "crane oras buildah grype syft caddy traefik protoc buf doppler infisical step doctl hcloud "
    "scw cdk terragrunt conftest kubeconform kube-linter limactl colima multipass podman-compose boundary"
)

_EACH_COMMAND: dict[str, str] = {
    "kubectl version": "-o= --client --output= --short 0 needs:--client",
    "kubectl config": "sub stop *",
    "kubectl config view": "-o= --minify --output= --kubeconfig= --flatten 0 check:no_flatten",
    "kubectl config current-context": "--kubeconfig= 0",
    "kubectl config get-contexts": "-o= --output= --no-headers 1",
    "kubectl config get-clusters": "0",
    "kubectl config get-users": "0",
    "kubectl completion": "1",
    "kubeadm version": "-o= --output= 0",
    "helm version": "--short --client --template= 0",
    "helm env": "1",
    "helm repo": "sub stop *",
    "helm repo list": "-o= --output= 0",
    "helm plugin": "sub stop *",
    "helm plugin list": "0",
    "helm dependency": "sub stop *",
    "helm dependency list": "--max-col-width= 1 check:local_charts",
    "kubectl plugin": "sub stop *",
    "kubectl plugin list": "--name-only 0",
    "helm lint": "-f= --values= --set= --strict --quiet --with-subcharts * check:local_charts",
    "helm template": "-f= --values= --set= --set-string= --namespace= -n= --show-only= -s= --debug --include-crds "
    "--no-hooks --skip-tests --kube-version= --name-template= --release-name * check:local_charts",
    "helm show": "sub stop *",
    "helm show chart": "1 check:local_charts",
    "helm show values": "1 check:local_charts",
    "terraform version": "words -json -no-color 0",
    "terraform fmt": "words -check -diff -recursive -list=true -list=false -write=false -check=true -no-color "
    "--check --diff "
    "--recursive * needs:-check,--check,-write=false,-check=true",
    "terraform workspace": "sub stop *",
    "terraform workspace show": "0",
    "aws configure": "--profile= sub stop *",
    "aws configure list": "--profile= 0",
    "aws configure list-profiles": "0",
    "aws configure get": "--profile= 1 exact check:plain_setting",
    "gcloud config": "sub stop *",
    "gcloud config list": "--format= --all --configuration= 1",
    "gcloud config get-value": "1",
    "gcloud config get": "1",
    "gcloud config configurations": "sub stop *",
    "gcloud config configurations list": "--format= 0",
    "gcloud info": "--format= 0",
    "gcloud version": "--format= 0",
    "gcloud auth": "sub stop *",
    "gcloud auth list": "--format= --filter= 0",
    "az version": "-o= --output= 0",
    "vault version": "0",
    "consul version": "0",
    "nomad version": "0",
    "gh version": "0",
    "gh config": "sub stop *",
    "gh config get": "1 exact check:plain_setting",
    "minikube version": "--short 0",
    "kind version": "0",
    "kind get": "sub stop *",
    "kind get clusters": "0",
    "openssl version": "words -a -v -b -o -f -p -d -e -m -r -c 0",
    "openssl x509": "words -in= -inform= -noout -text -dates -startdate -enddate -subject -issuer -serial -fingerprint "
    "-sha1 -sha256 -sha512 -md5 -hash -subject_hash -issuer_hash -pubkey -modulus -email -ext= -nameopt= -certopt= "
    "-checkend= -purpose -alias -ocsp_uri -ocspid -checkhost= -checkip= 0",
    "openssl req": "words -in= -inform= -noout -text -subject -verify -pubkey -modulus -nameopt= 0",
    "openssl crl": "words -in= -inform= -noout -text -issuer -lastupdate -nextupdate -hash -fingerprint 0",
    "openssl verify": "words -CAfile= -CApath= -untrusted= -verbose -show_chain -purpose= -partial_chain -trusted= *",
    "openssl dgst": "words -sha1 -sha224 -sha256 -sha384 -sha512 -md5 -hex -r -c -binary *",
    "openssl rsa": "words -in= -inform= -noout -check -modulus -pubin 0 needs:-noout",
    "openssl pkey": "words -in= -inform= -noout -check -pubin -text_pub 0 needs:-noout",
    "openssl ec": "words -in= -inform= -noout -check -pubin 0 needs:-noout",
    "openssl asn1parse": "words -in= -inform= -i -dump -dlimit= -offset= -length= -noout 0",
    "openssl ciphers": "words -v -V -s -stdname -tls1 -tls1_1 -tls1_2 -tls1_3 1",
    "openssl list": "words -commands -digest-commands -cipher-commands -cipher-algorithms -digest-algorithms "
    "-providers "
    "-verbose 0",
    "openssl rand": "words -hex -base64 1",
    "openssl base64": "words -in= -e -d -A 0",
    "openssl prime": "words -hex 1",
    "nft list": "* exact check:plain_words",
    "ufw status": "1 exact check:plain_words",
    "ufw version": "0",
    "nmcli device": "sub stop alone *",
    "nmcli device status": "0",
    "nmcli device show": "1",
    "nmcli dev": "sub stop alone *",
    "nmcli dev status": "0",
    "nmcli dev show": "1",
    "nmcli connection": "sub stop alone *",
    "nmcli connection show": "--active *",
    "nmcli con": "sub stop alone *",
    "nmcli con show": "--active *",
    "nmcli general": "sub stop alone *",
    "nmcli general status": "0",
    "resolvectl status": "*",
    "resolvectl statistics": "0",
    "resolvectl dns": "1",
    "resolvectl domain": "1",
    "networkctl list": "*",
    "networkctl status": "-al --all --full --no-pager *",
    "tailscale status": "--json --peers --active --self 0",
    "tailscale version": "--json 0",
    "tailscale ip": "-146 1",
    "wg show": "1",
    "rfkill list": "*",
    "ipset list": "-n -t 1",
    "bridge link": "sub stop alone *",
    "bridge link show": "*",
    "bridge fdb": "sub stop alone *",
    "bridge fdb show": "*",
    "bridge vlan": "sub stop alone *",
    "bridge vlan show": "*",
    "promtool check": "sub stop *",
    "promtool check config": "--syntax-only *",
    "promtool check rules": "*",
}

COMMANDS: dict[str, str] = one_table(
    _EACH_COMMAND,
    {f"{name} version": "0" for name in _SAY_VERSION},
    {f"{engine} {word}": "--help 0 needs:--help" for engine in ("docker", "podman") for word in _HELP},
    _engine("docker"),
    _engine("podman"),
    {
        f"docker-compose {word}": line
        for word, line in (
            ("ps", "-aq --all --services --quiet --filter= --format= *"),
            ("logs", _LOGS + " *"),
            ("config", "-q --quiet --services --volumes --images *"),
            ("images", "-q --quiet *"),
            ("top", "*"),
            ("version", "--short 0"),
        )
    },
    {
        f"kubectl {word}": "-h --help 0 needs:-h,--help"
        for word in words_of("get describe logs apply create delete exec scale rollout patch port-forward run explain")
    },
    {
        f"terraform {word}": "words -help --help 0 needs:-help,--help"
        for word in words_of("plan apply init destroy state import")
    },
    {
        f"gh {word}": "--help 0 needs:--help"
        for word in words_of("pr issue repo run workflow release api auth gist secret label browse search")
    },
    {f"openssl {name}": "words -hex -r -c -binary *" for name in ("sha1", "sha256", "sha512", "md5")},
)

# Not here: those that start plugins or a project's own copy of themselves even to tell their version.
_ASK_VERSION = words_of(
    "gsutil bq glab hub kubectl-version op bw pass gopass rage mkcert certbot "
    "sshuttle "
    "aws-vault chamber ncat swaks msmtp scp-version "
    "sftp-version "
    "http https xh aria2c lftp mosh autossh sshfs sshpass iperf3 hey wrk k6 ab siege "
    "dig-version "
    "salt puppet sam "
    "mtr traceroute tracepath tilt argocd flux "
    "istioctl linkerd velero kubeseal "
    "kubectx docker-credential-desktop skopeo crictl ctr nerdctl containerd runc "
    "lima "
    "tfsec checkov infracost actionlint "
    "heroku vercel netlify firebase supabase "
    "wrangler railway linode-cli oci ibmcloud databricks mongosh redis-server nats-server rabbitmqctl "
    "etcd etcdctl envoy squid named dnsmasq openvpn "
    "ttyd croc wormhole ffsend tmate upterm gotty frpc sshuttle openvpn certbot "
    "websocat grpcurl evans hurl wget2 curlie mitmproxy ssh-audit sslscan"
)

_EACH: dict[str, str] = {
    "curl": "-hV --version --help 0 needs:-V,-h,--version,--help",
    "wget": "-hV --version --help 0 needs:-V,-h,--version,--help",
    "nc": "-h 0 needs:-h",
    "ping": "-V 0 needs:-V",
    "ssh": "-V -Q= 0 needs:-V,-Q",
    "nmap": "-V --version 0 needs:-V,--version",
    "socat": "-V -h 0 needs:-V,-h",
    "nslookup": "words -version 0 needs:-version",
    "dig": "-v 0 needs:-v",
    "host": "-V 0 needs:-V",
    "nginx": "-vV --version 0 needs:-v,-V,--version",
    "haproxy": "-v 0 needs:-v",
    "docker": "-v --version --help stop * sub alone confined",
    "podman": "-v --version --help stop * sub alone confined",
    "docker-compose": "-v -f= -p= --file= --project-name= --profile= --env-file= --version stop * sub alone confined",
    "kubectl": "-h --help stop * sub alone confined",
    "helm": "--help --version stop * sub alone confined",
    "terraform": "words -version --version -help --help stop * sub alone confined",
    "tofu": "words -version --version -help --help stop * sub alone confined",
    "aws": "--version --profile= --region= --output= stop * sub alone confined",
    "gcloud": "--version --project= --format= stop * sub alone confined",
    "az": "--version stop * sub alone confined",
    "vault": "--version stop * sub alone",
    "consul": "--version stop * sub alone",
    "nomad": "--version stop * sub alone",
    "gh": "--version --help stop * sub alone confined",
    "minikube": "--version stop * sub alone",
    "kind": "--version stop * sub alone confined",
    "ip": "words -4 -6 -0 -s -stats -d -details -o -oneline -br -brief -c -color -j -json -p -pretty -N -Numeric -h "
    "-human -iec -a -all -f= -family= -V -Version --brief --json --color "
    "* exact check:ip",
    "ifconfig": "-asv 1 exact check:plain_words",
    "arp": "-aenv -i= 0",
    "route": "-neCv46 0",
    "hostname": "-IsfdiA --all-ip-addresses --short --fqdn --long --domain --ip-address --all-fqdns 0",
    "lsof": "-bClnNPRtUV -a -c= -d= -i[=] -p= -s[=] -u= * check:lsof",
    "netstat": "-aceglinNoprstuvwW46 --all --listening --numeric --tcp --udp --unix --route --interfaces --program "
    "--programs --continuous --statistics 0",
    "ethtool": "-iSkgacTPl 1 exact check:plain_words",
    "iptables": "-LSnvx -t= --list --list-rules --numeric --verbose --exact --line-numbers --table= 2 "
    "needs:-L,-S,--list,--list-rules exact check:plain_words",
    "ip6tables": "@iptables",
    "nft": "-anjs -nn --handle --numeric --json --stateless stop * sub",
    "tc": "-sdprjn -stats -details * exact check:tc",
    "ufw": "--version stop * sub alone",
    "firewall-cmd": "--list-all --state --get-zones --get-active-zones --get-default-zone --get-services --list-ports "
    "--list-services --list-all-zones --zone= --permanent --version 0",
    "nmcli": "-tp -f= -g= -m= -c= -e= --terse --pretty --fields= --get-values= --mode= --colors= --version stop * "
    "sub alone",
    "resolvectl": "--no-pager --version stop * sub alone",
    "tailscale": "--version stop * sub alone",
    "wg": "--version stop * sub alone",
    "ipset": "stop * sub",
    "bridge": "-sdcjp stop * sub",
    "kubeadm": "stop * sub",
    "promtool": "--version stop * sub alone",
    "iwconfig": "1",
    "mailq": "--version 0",
    "mutt": "-v -vv 0 needs:-v",
    "postqueue": "-pj 0 needs:-p,-j",
    "tcpdump": "-AevxXSqtnND -r= -c= -s= --version --list-interfaces -# * confined "
    "needs:-r,-D,--version,--list-interfaces",
    "tshark": "-nVxq -r= -c= -Y= -T= -e= -d= --version * confined needs:-r,--version",
    "capinfos": "*",
    "hadolint": "-V -f= -c= -t= --format= --config= --ignore= --no-color --no-fail --failure-threshold= --version *",
    "yamllint": "-s -f= -d= -c= --strict --format= --config-data= --config-file= --no-warnings --version *",
    "kubeval": "--version 0",
    "cfn-lint": "--version 0",
    "named-checkconf": "-pz 1 confined",  # loads the plugins that the file names
    "named-checkzone": "2 confined",  # looks up the hosts that the file names
    "ipcalc": "-bnc *",
    "exportfs": "-v 0 needs:-v",
}

PROGRAMS: dict[str, str] = one_table(
    dict.fromkeys(
        (name for name in _ASK_VERSION if not name.endswith("-version")),
        "--version --help 0 confined needs:--version,--help",  # many ask a server whether there is a newer one
    ),
    dict.fromkeys(_SAY_VERSION, "--version --help stop * sub alone confined needs:--version,--help"),
    _EACH,
)
