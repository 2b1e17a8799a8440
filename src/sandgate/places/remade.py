"""What builds, package managers and test tools make and make again, by its name and by what lies in or beside it.

A name alone says it only where nothing else is called so; `build` and `dist` may be anything, and count where the
repository ignores them.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Directories that are called so for one reason.
CACHES_OF_TOOLS = words_of(".pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints")
BYTECODE_DIRECTORY = "__pycache__"
CACHES = CACHES_OF_TOOLS | {BYTECODE_DIRECTORY, ".tox", ".nox"}
# Directories with one of these files beside them are made from it.
MADE_FROM = {
    "node_modules": ("package.json",),
    "bower_components": ("bower.json",),
    "target": ("Cargo.toml", "pom.xml"),
    ".gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    ".next": ("package.json",),
    ".nuxt": ("package.json",),
    ".svelte-kit": ("package.json",),
    ".parcel-cache": ("package.json",),
    ".turbo": ("package.json",),
    "_build": ("mix.exs", "dune-project"),
    ".stack-work": ("stack.yaml",),
    ".dart_tool": ("pubspec.yaml",),
}
# Directories that hold one of these files.
MARKS = ("pyvenv.cfg", "CMakeCache.txt")
EGG_ENDING, EGG_MARK = ".egg-info", "PKG-INFO"
# The Cache Directory Tagging Specification (bford.info/cachedir): the file, and how it begins.
CACHE_TAG, CACHE_SIGNATURE = "CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55"
# Files that are called so for one reason.
BYTECODE = (".pyc", ".pyo")
# Files that are made from a source of the same name.
OBJECTS = (".o", ".obj", ".lo", ".d", ".gcda", ".gcno")
SOURCES = (
    ".c",
    ".cc",
    ".cpp",
    ".cxx",
    ".C",
    ".s",
    ".S",
    ".m",
    ".mm",
    ".f",
    ".f90",
    ".f95",
    ".cu",
    ".rs",
    ".zig",
    ".asm",
)


def is_cache(name: str) -> bool:
    """Whether a directory is called as only caches are."""
    return name in CACHES


def made_beside(name: str) -> tuple[str, ...]:
    """Names, one of which lies beside what `name` is made from; empty where that says nothing."""
    if name in MADE_FROM:
        return MADE_FROM[name]
    stem, dot, ending = name.rpartition(".")
    return tuple([stem + source for source in SOURCES]) if stem and dot + ending in OBJECTS else ()
