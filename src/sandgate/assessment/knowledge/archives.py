"""Packing and unpacking. Unpacking may write anywhere the archive says, so its directory counts as written."""

from __future__ import annotations

from sandgate.assessment.findings import LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry


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
    Entry("7z", MEDIUM, "Packs or unpacks files", ("7z x a.7z",), kind="writes"),
    Entry("7z l", LOW, "Lists an archive", ("7z l a.7z",), kind="reads"),
    Entry("unrar", MEDIUM, "Unpacks an archive", ("unrar x a.rar",), kind="writes"),
    Entry("cpio", MEDIUM, "Packs or unpacks files", ("cpio -i",), kind="writes"),
    Entry("jar", MEDIUM, "Packs or unpacks files", ("jar cf a.jar src",), kind="writes"),
    *(
        _compressor(name)
        for name in (
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "lzma", "compress",
            "uncompress", "pigz", "brotli",
        )
    ),
)  # fmt: skip
