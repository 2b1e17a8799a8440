"""Settings of cargo in every shape that TOML has for them, each with a secret, and what of them is none."""

from __future__ import annotations

import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]
    Case = tuple[str, tuple[Path, ...]]  # the text, and what in it is a secret

SECRET = "s3cret"
LOGIN = f"me:{SECRET}@"  # of an address, which stays without it
_CORP = ("registries", "corp")
_TOKEN = (*_CORP, "token")
_DEFAULT = ("registry", "token")

SHAPES: dict[str, Case] = {
    "array": ('[registry]\ntoken = "s3cret"\n[build]\nrustflags = ["-C", "opt-level=3"]\njobs = 4\n', (_DEFAULT,)),
    "array over lines": (
        '[registry]\ntoken = "s3cret"\n[build]\nrustflags = [\n  "-C", # why, "not"\n  "a]b#c",\n]\n',
        (_DEFAULT,),
    ),
    "array of secrets": ('[env]\nA = "a"\n[registry]\ntokens = ["s3cret", "other"]\n', (("registry", "tokens"),)),
    "array with an option": (
        '[registries.corp]\nindex = "https://h/i"\ncredential-provider = ["cmd", "--token", "s3cret"]\n',
        ((*_CORP, "credential-provider"),),
    ),
    "array with an option in one": (
        '[registries.corp]\nindex = "https://h/i"\ncredential-provider = ["cmd", "--token=s3cret"]\n',
        ((*_CORP, "credential-provider"),),
    ),
    "table": ('[registries.corp]\nindex = "https://h/i"\ntoken = "s3cret"\n[net]\nretry = 3\n', (_TOKEN,)),
    "table with space": ('[ registries . corp ]\nindex = "https://h/i"\n token   =   "s3cret"\n', (_TOKEN,)),
    "table that is the secret": (
        '[env.MY_TOKEN]\nvalue = "s3cret"\nforce = true\n[net]\nretry = 1\n', (("env", "MY_TOKEN"),)
    ),
    "table that is called so": (
        '[registries.token-house]\nindex = "https://h/i"\ntoken = "s3cret"\n',
        (("registries", "token-house", "token"),),
    ),
    "dotted key": ('registries.corp.index = "https://h/i"\nregistries.corp.token = "s3cret"\n', (_TOKEN,)),
    "dotted key with space": ('registries . corp . token = "s3cret"\nnet . retry = 3\n', (_CORP,)),
    "dotted key in the midst": ('[env]\nMY_TOKEN.value = "s3cret"\nRUST_LOG = "debug"\n', (("env", "MY_TOKEN"),)),
    "dotted quoted key": (
        'registries."corp".index = "https://h/i"\nregistries."corp"."token" = "s3cret"\n', (_TOKEN,)
    ),
    "quoted key with a dot": (
        '[registries]\n"my.corp".index = "https://h/i"\n\'my.corp\'.token = "s3cret"\n',
        (("registries", "my.corp", "token"),),
    ),
    "quoted keys": (
        '[registry]\n"token" = "s3cret"\n\'secret-key\' = "s3cret"\n"default" = "corp"\n',
        (_DEFAULT, ("registry", "secret-key")),
    ),
    "quoted key with signs": ('[env]\n"A=#[" = "a"\nMY_TOKEN = "s3cret"\n', (("env", "MY_TOKEN"),)),
    "quoted table": ('[registries."corp"]\ntoken = "s3cret"\nindex = "https://h/i"\n', (_TOKEN,)),
    "inline table": ('[registries]\ncorp = { index = "https://h/i", token = "s3cret" }\n', (_TOKEN,)),
    "inline table, secret first": ('[registries]\ncorp = { token = "s3cret", index = "https://h/i" }\n', (_TOKEN,)),
    "inline table of nothing else": ('[registries]\ncorp = { token = "s3cret" }\n[net]\nretry = 2\n', (_TOKEN,)),
    "inline table with signs": (
        '[registries]\ncorp = { index = "https://h/a,b", token = "s3cret,}#\\"" } # mine\n', (_TOKEN,)
    ),
    "inline table, literal": (
        "[registries]\ncorp = { index = 'https://h/i', token = 's3cret,x' }\n", (_TOKEN,)
    ),
    "inline table, quoted keys": ('[registries]\ncorp = { index = "https://h/i", "token" = "s3cret" }\n', (_TOKEN,)),
    "inline table, dotted keys": ('registries = { corp.index = "https://h/i", corp.token = "s3cret" }\n', (_TOKEN,)),
    "inline tables in each other": (
        'registries = { corp = { index = "https://h/i", token = "s3cret" } }\n', (_TOKEN,)
    ),
    "inline table with an array": (
        '[registries]\ncorp = { credential-provider = ["a", "b"], token = "s3cret" }\n', (_TOKEN,)
    ),
    "inline table that is the secret": (
        '[env]\nMY_TOKEN = { value = "s3cret", force = true }\nRUST_LOG = { value = "debug" }\n',
        (("env", "MY_TOKEN"),),
    ),
    "comment behind": ('[registry]\ntoken = "s3cret" # for work\ndefault = "corp" # mine\n', (_DEFAULT,)),
    "comments with secrets": (
        '# token = "s3cret"\n[registry] # token = "s3cret"\ndefault = "corp" # token = "s3cret"\n', ()
    ),
    "literal string": ("[registry]\ntoken = 's3cret\"'\ndefault = 'corp'\n", (_DEFAULT,)),
    "long string on one line": ('[registry]\ntoken = """s3cret"""\ndefault = "corp"\n', (_DEFAULT,)),
    "long string beside": (
        '[env]\nNOTE = """\nline "one"\n[registry]\n"""\nMORE = \'\'\'\na\n\'\'\'\n[registry]\ntoken = "s3cret"\n',
        (_DEFAULT,),
    ),
    "lines of another system": ('[registry]\r\ntoken = "s3cret"\r\ndefault = "corp"\r\n', (_DEFAULT,)),
    "no end of the last line": ('[net]\nretry = 1\n[registry]\ntoken = "s3cret"', (_DEFAULT,)),
    "login": ('[source.corp]\nregistry = "sparse+https://me:s3cret@h/i"\n[http]\nproxy = "http://me:s3cret@p"\n', ()),
    "alias": ('[alias]\ntoken = ["run", "--", "x"]\n[registry]\ntoken = "s3cret"\n', (_DEFAULT,)),
}  # fmt: skip

# Of these nothing is shown: what they say is not looked through.
CLOSED: dict[str, str] = {
    "long string": '[registry]\ntoken = """\ns3cret"""\ndefault = "corp"\n',
    "long string that quotes one": '[env]\nNOTE = """\ntoken = "s3cret"\n"""\n',
    "secrets over lines": '[registry]\ntokens = [\n  "s3cret",\n]\n',
    "key with an escape": '[registry]\n"t\\u006fken" = "s3cret"\ndefault = "corp"\n',
}


def remainder(shape: str) -> dict[str, Any]:
    """What a program has to find there: all but the secrets."""
    text, secrets = SHAPES[shape]
    found: dict[str, Any] = tomllib.loads(text.replace(LOGIN, ""))
    for *above, last in secrets:
        place: Any = found
        for name in above:
            place = place[name]
        del place[last]
    return said(found)


def _without_empty(found: Any) -> Any:
    """Tables of nothing say nothing."""
    if not isinstance(found, dict):
        return found
    inner = {name: _without_empty(each) for name, each in found.items()}
    return {name: each for name, each in inner.items() if each != {}}


def said(found: dict[str, Any]) -> dict[str, Any]:
    """What a program found, to be compared."""
    told: dict[str, Any] = _without_empty(found)
    return told
