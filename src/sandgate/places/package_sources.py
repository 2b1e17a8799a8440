"""Where programs that fetch packages are told from which registry: entries of a home, and variables.

A program that does not see them fetches from the public registry without a word, where a stranger may have put a
package of the same name. Paths are relative to the home; both are those the programs' own manuals give.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

_NPM = ((".npmrc",), ("NPM_CONFIG_REGISTRY", "npm_config_registry", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig"))
_PIP = ((".config/pip/pip.conf", ".pip/pip.conf"), ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"))
_UV = ((".config/uv/uv.toml",), ("UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"))
_YARN = ((".yarnrc.yml", ".yarnrc", ".npmrc"), ("YARN_NPM_REGISTRY_SERVER",))
_MAVEN, _GRADLE = ((".m2/settings.xml",), ()), ((".gradle/gradle.properties", ".gradle/init.gradle"), ())
_CONDA, _NUGET = ((".condarc",), ()), ((".nuget/NuGet/NuGet.Config",), ())

SOURCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("npm", "npx", "pnpm", "bun", "bunx"), _NPM),
    "yarn": _YARN,
    **dict.fromkeys(("pip", "pip3"), _PIP),
    **dict.fromkeys(("uv", "uvx"), _UV),
    "cargo": ((".cargo/config.toml",), ()),
    "go": ((".config/go/env",), ("GOPROXY",)),
    **dict.fromkeys(("mvn", "mvnw"), _MAVEN),
    **dict.fromkeys(("gradle", "gradlew"), _GRADLE),
    **dict.fromkeys(("conda", "mamba"), _CONDA),
    **dict.fromkeys(("dotnet", "nuget"), _NUGET),
    "bundle": ((".bundle/config",), ()),
}
_PYTHONS = ("python", "python3")
# What fetches whatever it is told, and the words with which the others do.
_ALWAYS = frozenset(("npx", "bunx", "uvx", "mvn", "mvnw", "gradle", "gradlew"))
_FETCHING = words_of(
    "install i ci add update upgrade up sync lock download fetch get mod restore create exec dlx x init wheel tool run "
    "build test"
)
_TESTING = frozenset(("npm", "pnpm", "yarn", "bun"))  # of these the last three run what the project says
_PROJECT_WORDS = frozenset(("run", "build", "test"))


def may_fetch(argv: tuple[str, ...]) -> bool:
    """A quick look: false only where none of these programs is named."""
    text = " ".join(argv)
    return any(name in text for name in SOURCES)


def sources_of(program: str, subcommand: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The entries and the variables that say where this fetches from; none where it fetches nothing."""
    if program in _PYTHONS and subcommand == "pip":
        return _PIP
    project = program in _TESTING and subcommand in _PROJECT_WORDS
    if program not in SOURCES or project or (program not in _ALWAYS and subcommand not in _FETCHING):
        return (), ()
    return SOURCES[program]
