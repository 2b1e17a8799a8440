"""What a machine keeps for root alone is closed to a confined command of root, and its neighbours are not."""

from __future__ import annotations

import os
import shutil

import pytest

from sandgate.places.secrets import ON_MACHINE
from support.escape.escape_stage import BOTH_BACKENDS, Stage

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can read these, and plant them"),
    pytest.mark.skipif(shutil.which("unshare") is None, reason="they are planted on a machine of its own"),
]

# Typed, so that a place which falls out of the table is missed here.
TYPED = """
/etc/shadow /etc/gshadow /etc/sudoers.d/x /etc/security/opasswd /etc/krb5.keytab /etc/ssl/private/x.pem
/etc/wireguard/wg0.conf /etc/NetworkManager/system-connections/x /etc/wpa_supplicant/x.conf /etc/kubernetes/admin.conf
/etc/mysql/debian.cnf /etc/docker/key.json /etc/exim4/passwd.client /etc/ldap.secret /var/backups/shadow.bak
/var/backups/gshadow.bak /var/cache/debconf/passwords.dat /var/lib/systemd/credential.secret /etc/credstore/x
/etc/cryptsetup-keys.d/x.key /etc/letsencrypt/archive/x/privkey1.pem /etc/letsencrypt/accounts/x/private_key.json
/etc/bind/rndc.key /etc/chrony/chrony.keys /etc/apt/auth.conf /etc/apt/auth.conf.d/x.conf /etc/samba/private/x
/var/lib/samba/private/secrets.tdb /var/lib/iwd/x.psk /var/lib/libvirt/secrets/x.base64
/var/lib/cloud/instance/user-data.txt /var/lib/tailscale/tailscaled.state
"""
NEIGHBOURS = "/etc/letsencrypt/renewal/x.conf /etc/apt/x.list /var/backups/dpkg.status.0 /var/cache/debconf/config.x"
# The machine: /etc and /var as they are, with more in them, for one process and what it starts.
MACHINE = """
set -e
mount -t tmpfs machine "$1"
for tree in etc var; do
    mkdir "$1/$tree" "$1/$tree-work"
    mount -t overlay -o "lowerdir=/$tree,upperdir=$1/$tree,workdir=$1/$tree-work" machine "/$tree"
done
shift
while [ "$1" != -- ]; do
    mkdir -p "$(dirname "$1")"
    echo "planted $1" >>"$1"
    shift
done
shift
exec "$@"
"""
SHOW = 'for place; do grep -s "^planted " "$place"; done; true'


def machine(stage: Stage, *places: str) -> None:
    if stage.uid != 0:
        pytest.skip("an ordinary user is kept out by the files themselves")
    layers = stage.folder / "machine"
    layers.mkdir()
    stage.machine = ("unshare", "-m", "sh", "-c", MACHINE, "sh", str(layers), *places, "--")
    if stage.unconfined(["true"]).exit_code != 0:
        pytest.skip("this host lets nobody lay a file system over /etc")


def shown(said: str) -> list[str]:
    return [line.removeprefix("planted ") for line in said.splitlines()]


@BOTH_BACKENDS
def test_secrets_of_the_machine_are_closed_to_root_and_nothing_beside_them(stage: Stage, backend: str) -> None:
    secrets, neighbours = TYPED.split(), NEIGHBOURS.split()
    machine(stage, *secrets, *neighbours)
    attack = ["sh", "-c", SHOW, "sh", *secrets, *neighbours]
    assert shown(stage.unconfined(attack).stdout) == [*secrets, *neighbours]
    assert shown(stage.confined(attack, backend=backend).stdout) == neighbours


@BOTH_BACKENDS
def test_every_place_of_the_table_is_closed_to_root(stage: Stage, backend: str) -> None:
    places = [
        place + "x" if place[-1] == "/" else place
        for place in sorted(ON_MACHINE)
        if place.startswith(("/etc/", "/var/")) and not place.startswith("/var/run/")
    ]
    machine(stage, *places)
    attack = ["sh", "-c", SHOW, "sh", *places]
    assert shown(stage.unconfined(attack).stdout) == places
    assert shown(stage.confined(attack, backend=backend).stdout) == []


# A repository without packages, on the loopback of whoever runs this, read by apt with nothing of the host
APT = """
import os, subprocess, sys, threading
from http.server import HTTPServer, SimpleHTTPRequestHandler
os.makedirs("repository", exist_ok=True)
open("repository/Packages", "w").close()
class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass
server = HTTPServer(("127.0.0.1", 0), lambda *about: Quiet(*about, directory="repository"))
threading.Thread(target=server.serve_forever, daemon=True).start()
with open("sources.list", "w") as file:
    file.write(f"deb [trusted=yes] http://127.0.0.1:{server.server_port} ./\\n")
for name in ("state/lists/partial", "cache/archives/partial", "empty"):
    os.makedirs(name, exist_ok=True)
here = os.getcwd()
places = {"Etc::SourceList": "sources.list", "Etc::SourceParts": "empty", "State": "state", "Cache": "cache",
          "State::status": "repository/Packages", "Etc::Parts": "empty"}
options = [word for name, place in places.items() for word in ("-o", f"Dir::{name}={here}/{place}")]
ended = subprocess.run(["apt-get", "-o", "APT::Sandbox::User=", *options, "update"], capture_output=True, text=True)
print(ended.returncode, "auth" in ended.stdout + ended.stderr)
print(ended.stdout, ended.stderr, file=sys.stderr)
"""


@BOTH_BACKENDS
@pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt is for Debian and its kin")
def test_apt_works_with_its_passwords_closed(stage: Stage, backend: str) -> None:
    machine(stage, "/etc/apt/auth.conf", "/etc/apt/auth.conf.d/x.conf")
    attack = stage.script(APT)
    outside = stage.unconfined(attack)
    inside = stage.confined(attack, backend=backend, network=backend == "landlock")
    assert (outside.stdout, inside.stdout) == ("0 False\n", "0 False\n"), (outside, inside)
