"""Keys, certificates, signatures, encryption, passwords."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, EXFILTRATION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking

ENTRIES: tuple[Entry, ...] = (
    Entry("gpg", MEDIUM, "Uses keys", ("gpg --verify a.sig => low", "gpg --export-secret-keys => high",
          "gpg --delete-secret-keys me => high", "gpg --list-keys => low", "gpg -c notes.txt", "gpg --export -a me",
                  "gpg --import a.asc"), kind="reads",
          values="-r -u -o --output --recipient --local-user --keyserver --homedir --passphrase --passphrase-file "
          "--keyid-format --status-fd --pinentry-mode --trust-model --keyring --secret-keyring --cipher-algo",
          writes="-o --output",
          harmless="--list-keys --list-public-keys --list-secret-keys --fingerprint --version --help --show-keys "
                  "--verify "
          "--list-packets --list-sigs --list-signatures --check-sigs -k -K --list-config --print-md",
          worse=(Worse("--export-secret-keys --export-secret-subkeys --export-secret-key --export-ssh-key", HIGH,
                       "Gives out private keys", (EXFILTRATION,), "Whoever has them can act in your name",
                               unless="--export"),
                 Worse("--delete-secret-keys --delete-keys --delete-secret-and-public-keys --delete-key "
                         "--delete-secret-key "
                       "--quick-revoke-uid --gen-revoke", HIGH,
                       "Deletes keys", (DELETION,), "What is encrypted for them cannot be read any more"),
                 Worse("--send-keys --keyserver-options --send-key", HIGH, "Publishes keys", (NETWORK,),
                         "What key servers have cannot be deleted"),
                 Worse("--recv-keys --refresh-keys --search-keys --fetch-keys --locate-keys --recv-key "
                         "--receive-keys", MEDIUM,
                       "Fetches keys from a server", (NETWORK,)),
                 Worse("--edit-key --quick-set-expire --change-passphrase --passwd", HIGH,
                         "Changes keys", (SYSTEM, COMPLIANCE)))),
    Entry("gpgconf", MEDIUM, "Controls the key agent", ("gpgconf --kill gpg-agent", "gpgconf --list-dirs => low"),
            harmless="--list-dirs --list-components --version --help"),
    *acting("Uses keys", """
        gpgsm, gpgv, gpg-agent, gpg-connect-agent, gpgtar, gpg-preset-passphrase, signify, minisign, seahorse,
        kleopatra
        """, level=MEDIUM, kind="reads"),
    *acting("Starts a key agent", "keychain, gnome-keyring-daemon", level=MEDIUM, kind="runs"),
    *acting("Reads or changes stored passwords", """
        security, secret-tool, pass, gopass, bw, keyctl, lpass, keepassxc-cli, kpcli, rbw, op, dashlane, passage,
        kwallet-query, kwalletcli, vaultwarden, chamber, aws-vault, envchain, ansible-vault, git-crypt,
        blackbox_cat, cmdkey, infisical, 1password
        """, EXFILTRATION, kind="reads"),
    *acting("Deletes stored passwords", """
        pass rm, gopass rm, bw delete, security delete-generic-password, security delete-internet-password,
        secret-tool clear, keyctl clear, keyctl purge, op item delete, lpass rm, security delete-keychain,
        security delete-certificate
        """, DELETION, EXFILTRATION),
    *looking("Shows names of stored passwords", """
        pass ls, pass list, gopass ls, bw status, op whoami, op account list, op item list, op vault list, op user list,
        security list-keychains, security find-identity, keyctl show, keyctl list, lpass status
        """),
    *acting("Decrypts or encrypts", """
        age, rage, sops, ccrypt, ccdecrypt, mcrypt, aescrypt, scrypt, openssl enc, openssl cms, openssl smime,
        openssl pkeyutl, openssl rsautl, 7zc, encfsctl, cpt, enc
        """, level=MEDIUM, kind="writes", writes="-o -out --output --output-dir",
            operands="read", values="-in -r -R -i -k -pass -K -iv -inkey -recip -signer", clusters=False),
    *acting("Makes a key", """
        age-keygen, rage-keygen, openssl genrsa, openssl genpkey, openssl ecparam, openssl dsaparam, openssl
        gendsa, openssl dhparam, wg genkey, dnssec-keygen, tsig-keygen, cosign generate-key-pair, cfssl genkey,
        step crypto keypair
        """,
            level=MEDIUM, kind="writes", writes="-o -out --output-key-prefix",
                    values="-algorithm -name -aes256 -pkeyopt", clusters=False),
    Entry("openssl speed", LOW, "Measures how fast keys are made", ("openssl speed rsa",
          "openssl speed -multi 8 => high"), kind="runs", clusters=False,
          worse=(Worse("-multi", HIGH, "Uses up all processors", ("resource_exhaustion",)),)),
    Entry("openssl", MEDIUM, "Uses cryptography", ("openssl srp",), writes="-out -keyout -writerand", clusters=False,
          values="-in -inform -outform -key -passin -passout -CA -CAkey -days -subj -config -newkey -digest -sign "
                  "-signature -verify -extfile -set_serial -name -connect"),
    *looking("Shows keys and certificates", """
        openssl version, openssl ciphers, openssl list, openssl help, openssl errstr, openssl asn1parse, openssl
        crl2pkcs7, openssl verify, openssl prime, openssl sha256, openssl sha512, openssl md5,
        openssl sha1, openssl crl, openssl ocsp, openssl nseq, openssl info
        """),
    *(
        Entry(f"openssl {name}", LOW, "Shows or makes keys and certificates", (f"openssl {name}",
                f"openssl {name} -out a.pem => medium"), kind="reads",
              operands="read", writes="-out -keyout -CAcreateserial", clusters=False,
              values="-in -inform -outform -key -passin -passout -CA -CAkey -days -subj -config -newkey "
              "-ext -checkend -nameopt -extfile -inkey -certfile -name")
        for name in ("x509", "req", "rsa", "pkey", "ec", "dsa", "pkcs12", "pkcs8", "pkcs7", "dgst", "rand", "passwd",
                "ca", "crl")
    ),
    Entry("keytool", MEDIUM, "Makes or changes keys", ("keytool -genkeypair", "keytool -list => low",
            "keytool -delete => high"), kind="writes", clusters=False,
          values="-alias -keystore -storepass -file -keyalg -dname -keypass -validity -keysize -storetype "
          "-srckeystore -destkeystore", writes="-keystore -destkeystore",
          harmless="-list -printcert -help -printcertreq -showinfo", worse=(Worse("-delete", HIGH, "Deletes keys",
                  (DELETION,)),)),
    *acting("Makes or changes certificates", """
        certtool, cfssl, step, easyrsa, easy-rsa, certstrap, smallstep, gnutls-certtool, makecert, signtool,
        osslsigncode, codesign, jarsigner, apksigner, zipalign, rpmsign, dpkg-sig, debsign, cosign sign-blob,
        xmlsec1, pk12util, certutil, modutil, p11tool, pkcs11-tool, softhsm2-util, yubico-piv-tool, ykman, tpm2
        """,
            level=MEDIUM, kind="writes"),
    *looking("Shows keys and certificates", """
        cfssl certinfo, cosign verify, cosign tree, ykman info, ykman list, cosign
        version, certigo dump
        """),
    *acting("Changes which certificates this machine trusts or serves",
            "certbot, acme.sh, dehydrated, lego, mkcert, caddy trust, step ca, trustme, letsencrypt", SYSTEM, NETWORK,
            harmless="-CAROOT"),
    *looking("Shows certificates", "certbot certificates, certbot plugins, acme.sh list"),
    *acting("Publishes a signature", "cosign sign, cosign attest, cosign attach", NETWORK, COMPLIANCE, kind="contacts",
            consequence="What has been published cannot be taken back"),
    *acting("Changes passwords in a file", "htpasswd, htdigest, doveadm pw, doveadm", level=MEDIUM, kind="writes"),
    *acting("Tries to break passwords or protections", """
        john, hashcat, hydra, medusa, ncrack, aircrack-ng, fcrackzip, pdfcrack, ophcrack, cewl, crunch, patator,
        sqlmap, msfconsole, msfvenom, metasploit, responder, impacket-secretsdump, secretsdump.py, linpeas.sh,
        linpeas, bloodhound-python, wfuzz, gobuster, dirb, nikto, ettercap, bettercap, arpspoof, airmon-ng,
        reaver, wifite, beef-xss, veil, empire, sliver, chisel
        """,
            COMPLIANCE, "privilege_escalation", "resource_exhaustion", kind="runs"),
    *looking("Computes checksums", """
        b2sum, b3sum, sha224sum, sha384sum, sum, shasum, xxhsum, xxh64sum, xxh128sum, xxh32sum, md5, crc32,
        rhash, hashdeep, md5deep, sha256deep, cfv, sha3sum, sha3-256sum, cksfv, jacksum, digest
        """, operands="read"),
)  # fmt: skip
