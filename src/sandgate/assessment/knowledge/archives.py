"""Packing and unpacking. Unpacking may write anywhere the archive says, so its directory counts as written."""

from __future__ import annotations

from sandgate.assessment.findings import LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry
from sandgate.assessment.knowledge.listed import acting, looking


def _compressor(name: str) -> Entry:
    return Entry(
        name, LOW, "Compresses {}", (f"{name} a.txt => medium", f"{name} -t a => low"), kind="writes", operands="write",
        harmless="-t --test -l --list -c --stdout --help",
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    Entry("tar", LOW, "Packs or unpacks files", ("tar tf a.tar", "tar xzf a.tgz => medium",
          "tar czf a.tgz src => medium",
          "tar xf a.tar -C / => high"), kind="writes"),
    Entry("unzip", LOW, "Unpacks an archive", ("unzip -l a.zip", "unzip a.zip => medium",
          "unzip a.zip -d /etc => high"),
          kind="writes"),
    Entry("zip", MEDIUM, "Packs files", ("zip -r a.zip src",), kind="writes"),
    Entry("zipinfo", LOW, "Lists an archive", ("zipinfo a.zip",), kind="reads"),
    *acting("Packs or unpacks files", "7z, 7za, 7zr, 7zz, p7zip", level=MEDIUM, kind="writes", writes="-o"),
    *looking("Looks into an archive", "7z l, 7z t, 7z h, 7z i, 7za l, 7za t, 7zr l, 7zr t, 7zz l, 7zz t, 7zz h",
            operands="read"),
    *acting("Unpacks an archive", "unrar x, unrar e, rar x, rar e, 7z2 x", level=MEDIUM, kind="writes",
            operands="copy"),
    *acting("Packs or unpacks files", "unrar, rar, cpio, pax, shar, unp, atool, aunpack, apack, als, dtrx, patool, "
            "ouch, arc, zoo, lha, unace, "
            "unarj, dar, star, bsdcpio, cabextract, unshield, innoextract, unmakeself, makeself, asar, unar, "
            "rpm2archive, "
            "bsdunzip, unsit, lrzuntar, lrztar, zpaq, squashfs-tools, unsquashfs, dumpiso, isoinfo, bsdiff, bspatch, "
            "xdelta3",
            level=MEDIUM, kind="writes", writes="-d -D --directory -C -o --output-dir --extract-to -X"),
    *looking("Looks into an archive", "unrar l, unrar lb, unrar lt, unrar v, unrar vb, unrar t, rar l, rar v, rar t, "
            "lsar, zipinfo, rpm2cpio, "
             "zipgrep, zgrep, lzgrep, asar list, isoinfo, zipcmp, ouch list, patool list, dpkg-split", operands="read"),
    Entry("dpkg-deb", MEDIUM, "Packs or unpacks a package", ("dpkg-deb -x a.deb out", "dpkg-deb -x a.deb / => high",
          "dpkg-deb -c a.deb => low"), kind="writes", operands="copy",
          harmless="-c -I -f -W --contents --info --field --show --help --version"),
    Entry("ar", MEDIUM, "Packs or unpacks files", ("ar x a.a", "ar rcs a.a b.o", "ar t a.a => low"), kind="writes",
          harmless="--help --version -t -p"),
    Entry("ar t", LOW, "Lists an archive", ("ar t a.a",), kind="reads"),
    Entry("ar p", LOW, "Prints from an archive", ("ar p a.a b",), kind="reads"),
    Entry("jar", MEDIUM, "Packs or unpacks files", ("jar cf a.jar src", "jar tf a.jar => low"), kind="writes",
            harmless="-t --list --help --version"),
    *(Entry(f"jar {letters}", LOW, "Lists an archive", (f"jar {letters} a.jar",), kind="reads") for letters in ("t",
            "tf", "tvf")),
    *(
        _compressor(name)
        for name in (
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "lzma", "compress",
            "uncompress", "pigz", "unpigz", "brotli", "lzip", "lunzip", "plzip", "lbzip2", "lbunzip2", "pbzip2",
            "pixz", "pxz", "pzstd",
            "zstdmt", "unlzma", "lzop", "lrzip", "lrunzip", "snzip", "bzip3", "zopfli", "advzip", "lz4c",
            "unlz4", "unbrotli",
        )
    ),
)  # fmt: skip
