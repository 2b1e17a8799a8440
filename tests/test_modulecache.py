"""The module cache changes how fast a run starts and nothing else."""

from __future__ import annotations

import ast
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import CodeType

import pytest

from sandgate.modulecache import _undocumented, is_trusted
from support.suite import sampling

SOURCE = Path(__file__).resolve().parents[1] / "src" / "sandgate"
LISTING = (
    "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
    "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
    "cache = install()\n"
    "import sandgate.errors, sandgate.protocol.commands\n"
    "print(sandgate.errors.command.__file__, sandgate.errors.ConfigError.code, len(cache.used))\n"
    "cache.keep()\n"
)


NEVER_BEGINNING = LISTING.replace(
    "cache = install()\n", "cache = install()\ncache.load_first()\nfirst = len(cache.used)\n"
)
NEVER_BEGINNING = NEVER_BEGINNING.replace("len(cache.used))", "len(cache.used), first)")
LOADING_FIRST = NEVER_BEGINNING.replace("cache.keep()", "cache.begun(); cache.keep()")
TELLING = "print(*(f'{name}:{mtime_ns}:{size}' for name, mtime_ns, size in sorted(m.first_sources())))\n"
DESCRIBING = (
    "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
    "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
    "if sys.argv[2:] != ['plain']: install().load_first()\n"
    "import sandgate.protocol.commands\n"
    "for name in ('sandgate.protocol', 'sandgate.protocol.commands', 'sandgate.errors.command'):\n"
    "    import importlib; m = importlib.import_module(name); s = m.__spec__\n"
    "    print(name, m.__name__, m.__file__, m.__package__, getattr(m, '__path__', ''), s.origin, s.parent, s.name,\n"
    "          s.submodule_search_locations, s.has_location, type(m).__name__)\n"
    "print(sandgate.protocol.commands is sys.modules['sandgate.protocol.commands'])\n"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A small copy of the package that may be changed."""
    place = tmp_path / "sandgate"
    for package in ("protocol", "errors"):
        (place / package).mkdir(parents=True)
    for name in (
        "__init__.py",
        "modulecache.py",
        "errors/__init__.py",
        "errors/command.py",
        "record.py",
        "protocol/__init__.py",
        "protocol/commands.py",
    ):
        (place / name).write_bytes((SOURCE / name).read_bytes())
    return place


def run(copy: Path, code: str = LISTING, **env: str) -> list[str]:
    surroundings = {"PATH": os.environ["PATH"], **env}
    done = subprocess.run(
        [sys.executable, "-c", code, str(copy.parent)], env=surroundings, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def sources(copy: Path) -> list[str]:
    """Of what LISTING imports from the file, as TELLING tells them."""
    files = [copy / "protocol/__init__.py", copy / "protocol/commands.py", *sorted(copy.glob("errors/*.py"))]
    return sorted(f"{each}:{each.stat().st_mtime_ns}:{each.stat().st_size}" for each in [*files, copy / "record.py"])


def cache_files(copy: Path) -> list[Path]:
    return list(copy.rglob("*.modules"))


def code_at(content: bytes) -> int:
    """Where the code begins in a file of modules."""
    return 16 + int.from_bytes(content[:8], "little") + int.from_bytes(content[8:16], "little")


def test_the_second_run_takes_its_modules_from_one_file_and_sees_the_same(copy: Path) -> None:
    first, second = run(copy), run(copy)
    assert first == [str(copy / "errors" / "command.py"), "bad_config", "0"]
    assert second == [str(copy / "errors" / "command.py"), "bad_config", "5"]
    assert len(cache_files(copy)) == 1


def test_commands_that_begin_differently_have_files_of_their_own(copy: Path) -> None:
    """Required: what an agent begins with must not be loaded by every plain command."""
    agent = LISTING.replace("install()", "install('agent')")
    assert [run(copy, code)[2] for code in (LISTING, agent, LISTING, agent)] == ["0", "0", "5", "5"]
    assert len(cache_files(copy)) == 2


def test_keeping_does_not_mind_who_still_imports(copy: Path) -> None:
    """An agent's threads may load modules until the very end."""
    code = LISTING.replace(
        "cache.keep()\n",
        "import threading, types\n"
        "def more():\n"
        "    for number in range(200_000): sys.modules[f'made_up_{number % 5000}'] = types.ModuleType('x')\n"
        "sys.setswitchinterval(1e-6); threading.Thread(target=more, daemon=True).start()\n"
        "for _ in range(20): cache.keep()\n",
    )
    assert run(copy, code)[1] == "bad_config"
    assert len(cache_files(copy)) == 1


def test_a_changed_source_is_believed_not_the_cache(copy: Path) -> None:
    run(copy)
    text = (copy / "errors" / "command.py").read_text()
    (copy / "errors" / "command.py").write_text(text.replace('"bad_config"', '"changed_here"'))
    assert run(copy)[1] == "changed_here"
    assert run(copy)[1:] == ["changed_here", "5"]


def test_a_copy_of_everything_runs_its_own_code(copy: Path, tmp_path: Path) -> None:
    """Required: `cp -a a b` copies the cache too, and it names the modules of a."""
    run(copy)
    other = tmp_path / "other" / "sandgate"
    shutil.copytree(copy, other)
    assert run(other) == [str(other / "errors" / "command.py"), "bad_config", "0"]
    assert run(other) == [str(other / "errors" / "command.py"), "bad_config", "5"]


def test_only_modules_of_the_package_itself_are_kept(copy: Path) -> None:
    """Required: what says it is ours but lies elsewhere is not."""
    code = (
        "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
        "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
        "cache = install()\n"
        "import sandgate; sandgate.__path__.append(sys.argv[2])\n"
        "import sandgate.foreign, sandgate.errors\n"
        "cache.keep()\n"
        "print('sandgate.foreign' in install()._single, 'sandgate.errors' in install()._single)\n"
    )
    elsewhere = copy.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "foreign.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", code, str(copy.parent), str(elsewhere)],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False True\n"


LIBRARY = (
    "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
    "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
    "cache = install(); cache.load_first(); first = 'json.decoder' in cache.used\n"
    "import asyncio, json, sandgate.errors\n"
    "names = ('json', 'json.decoder', 'asyncio', 'asyncio.events')\n"
    "seen = [(m.__name__, m.__file__, m.__package__, m.__spec__.origin, m.__spec__.parent) for m in\n"
    "        (sys.modules[name] for name in names)]\n"
    "print(first, all(name in cache.used for name in names))\n"
    "print(json.loads('[1]'), asyncio.run(asyncio.sleep(0, 7)), seen)\n"
    "import _json\n"
    "print(('_json' in cache._in_c) is hasattr(_json, '__file__'), 'os' in cache._single)\n"
    "cache.begun(); cache.keep()\n"
)


def test_modules_of_pythons_library_are_kept_as_well_and_are_the_same(copy: Path) -> None:
    """They are a third of what an agent begins with."""
    first, second, third = (run(copy, LIBRARY) for _ in range(3))
    assert (first[:2], second[:2], third[:2]) == (["False", "False"], ["False", "True"], ["True", "True"])
    assert first[2:-2] == second[2:-2] == third[2:-2]
    assert third[-2:] == ["True", "False"]  # one in C is kept by its file where it has one; `os` came too early


IN_C = (
    "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
    "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
    "cache = install()\n"
    "import sandgate.errors, _struct\n"
    "print(_struct.calcsize('=I'), type(_struct.__spec__.loader).__name__, '_struct' in cache._extensions)\n"
    "cache.keep()\n"
)


def in_files() -> bool:
    import _struct

    return hasattr(_struct, "__file__")


@pytest.mark.skipif(not in_files(), reason="this Python has its modules in C built in")
def test_a_module_in_c_is_found_by_its_file_without_looking_for_it(copy: Path) -> None:
    first, second = run(copy, IN_C), run(copy, IN_C)
    assert first == ["4", "ExtensionFileLoader", "False"]
    assert second == ["4", "ExtensionFileLoader", "True"]


def test_a_module_that_only_has_the_name_of_one_is_not_kept(copy: Path) -> None:
    """Required: what lies in a directory that somebody else put in front must not outlast that."""
    elsewhere = copy.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "colorsys.py").write_text("foreign = True")
    code = LISTING.replace("import sandgate.errors,", "import colorsys, sandgate.errors,").replace(
        "cache.keep()\n", "cache.keep(); print(hasattr(colorsys, 'foreign'), 'colorsys' in install()._single)\n"
    )
    assert run(copy, code, PYTHONPATH=str(elsewhere))[-2:] == ["True", "False"]
    assert run(copy, code)[-2:] == ["False", "True"]


@pytest.mark.parametrize("content", [b"", b"not marshal", b"\xff" * 64])
def test_a_damaged_file_counts_as_none(copy: Path, content: bytes) -> None:
    run(copy)
    cache_files(copy)[0].write_bytes(content)
    assert run(copy)[1:] == ["bad_config", "0"]
    assert run(copy)[1:] == ["bad_config", "5"]


def test_nothing_is_written_where_python_may_not_cache(copy: Path) -> None:
    run(copy, PYTHONDONTWRITEBYTECODE="1")
    assert cache_files(copy) == []


def test_a_place_that_cannot_be_written_costs_nothing(copy: Path) -> None:
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / f"run.{sys.implementation.cache_tag}.modules").mkdir()
    assert run(copy)[1] == "bad_config"


def test_a_file_that_was_cut_short_costs_only_time(copy: Path) -> None:
    run(copy)
    cache = cache_files(copy)[0]
    cache.write_bytes(cache.read_bytes()[:-200])
    assert run(copy)[1] == "bad_config"


def test_from_the_third_run_on_everything_is_loaded_first(copy: Path) -> None:
    assert [run(copy, LOADING_FIRST)[2:] for _ in range(4)] == [["0", "0"], ["5", "0"], ["5", "5"], ["5", "5"]]


def test_what_a_later_run_does_without_is_no_longer_loaded_first(copy: Path) -> None:
    """Required: one run that began with much must not make all others slow."""
    (copy / "later.py").write_text("")
    much = LOADING_FIRST.replace("import sandgate.errors,", "import sandgate.later, sandgate.errors,")
    for _ in range(3):
        run(copy, much)
    assert run(copy, LOADING_FIRST)[2:] == ["6", "6"]
    assert run(copy, LOADING_FIRST.replace("m.NARROWED_EVERY = 0", "m.NARROWED_EVERY = 1"))[2:] == ["5", "0"]
    assert run(copy, LOADING_FIRST)[2:] == ["5", "5"]
    assert run(copy, much)[2:] == ["6", "5"]


def test_what_a_run_began_with_is_loaded_first_however_little_another_needed(copy: Path) -> None:
    """Required: one run that needed little must not make all others slow."""
    (copy / "later.py").write_text("")
    much = LOADING_FIRST.replace("import sandgate.errors,", "import sandgate.later, sandgate.errors,")
    now_and_then = much.replace("m.NARROWED_EVERY = 0", "m.NARROWED_EVERY = 1")
    run(copy, much)
    for _ in range(3):
        run(copy, LOADING_FIRST)
    assert run(copy, much)[2:] == ["6", "5"]
    assert run(copy, now_and_then)[2:] == ["6", "0"]
    assert run(copy, much)[2:] == ["6", "6"]


def test_a_run_that_never_began_says_nothing_of_what_others_begin_with(copy: Path) -> None:
    """Required: `--help` needs little, and the next sixteen starts would look for all the rest."""
    assert [run(copy, NEVER_BEGINNING)[2:] for _ in range(3)] == [["0", "0"], ["5", "0"], ["5", "0"]]
    for _ in range(2):
        run(copy, LOADING_FIRST)
    little = NEVER_BEGINNING.replace("m.NARROWED_EVERY = 0", "m.NARROWED_EVERY = 1")
    run(copy, little.replace("import sandgate.errors, sandgate.protocol.commands", "import sandgate.errors.command"))
    assert run(copy, LOADING_FIRST)[2:] == ["5", "5"]


def test_what_needs_its_package_before_that_is_complete_keeps_nothing_else_back(copy: Path) -> None:
    """Required: `ctypes` is made so. All was looked for again, and the file written anew, by each run."""
    (copy / "circle").mkdir()
    (copy / "circle" / "__init__.py").write_text("Made = str\nfrom sandgate.circle.inner import word\n")
    (copy / "circle" / "inner.py").write_text("from sandgate.circle import *\nword = Made(7)\n")
    circular = LOADING_FIRST.replace("import sandgate.errors,", "import sandgate.circle, sandgate.errors,")
    circular = circular.replace("first)", "first, sandgate.circle.word)")
    assert [run(copy, circular)[2:] for _ in range(3)] == [["0", "0", "7"], ["7", "0", "7"], ["7", "7", "7"]]
    before = cache_files(copy)[0].stat().st_ino
    assert run(copy, circular)[2:] == ["7", "7", "7"]
    assert cache_files(copy)[0].stat().st_ino == before


def test_what_was_loaded_first_looks_like_any_module(copy: Path) -> None:
    plain = run(copy, DESCRIBING.replace("!= ['plain']", "== ['never']"))
    for _ in range(3):
        run(copy, LOADING_FIRST)
    assert run(copy, DESCRIBING) == plain


def test_one_changed_source_makes_all_be_looked_for_again(copy: Path) -> None:
    for _ in range(3):
        run(copy, LOADING_FIRST)
    text = (copy / "errors" / "command.py").read_text()
    (copy / "errors" / "command.py").write_text(text.replace('"bad_config"', '"changed_here"'))
    assert run(copy, LOADING_FIRST)[1:] == ["changed_here", "4", "0"]
    assert run(copy, LOADING_FIRST)[1:] == ["changed_here", "5", "0"]
    assert run(copy, LOADING_FIRST)[1:] == ["changed_here", "5", "5"]


def test_the_sources_of_what_was_loaded_first_are_told_and_no_others(copy: Path) -> None:
    """Required: what was not looked at, or turned out to be another, is not vouched for."""
    telling = LOADING_FIRST + TELLING
    assert [run(copy, telling)[4:] for _ in range(3)] == [[], [], told := sources(copy)]
    assert len(told) == 5
    assert run(copy, telling.replace("cache.load_first()", "pass"))[4:] == []
    assert run(copy, telling.replace("m.NARROWED_EVERY = 0", "m.NARROWED_EVERY = 1"))[4:] == []
    (copy / "errors" / "command.py").touch()
    assert run(copy, telling)[4:] == []


def test_a_changed_package_does_not_leave_what_is_in_it_to_be_looked_for_ever_after(copy: Path) -> None:
    for _ in range(3):
        run(copy, LOADING_FIRST)
    (copy / "protocol" / "__init__.py").write_text('"""Changed."""\n')
    assert [run(copy, LOADING_FIRST)[2:] for _ in range(3)] == [["4", "0"], ["5", "0"], ["5", "5"]]


def test_more_modules_are_added_to_the_file_and_what_it_has_is_copied_as_it_is(copy: Path) -> None:
    """Required: whoever waits for the end of a run must not wait until all of it was read and written again."""
    (copy / "later.py").write_text("")
    for _ in range(3):
        run(copy, LOADING_FIRST)
    first = cache_files(copy)[0].read_bytes()
    more = LOADING_FIRST.replace("import sandgate.errors,", "import sandgate.later, sandgate.errors,")
    watched = more.replace(
        "cache.keep()\n",
        "import sandgate.modulecache as here\n"
        "class Marshal:\n"
        "    loads = None\n"
        "    dumps = here.marshal.dumps\n"
        "here.marshal = Marshal\n"
        "cache.keep()\n",
    )
    assert run(copy, watched)[2:] == ["5", "5"]
    assert first[code_at(first) :] in cache_files(copy)[0].read_bytes()
    assert run(copy, more)[2:] == ["6", "5"]


def test_what_comes_after_the_beginning_is_not_loaded_first(copy: Path) -> None:
    """Required: what an agent needs for its tools must not hold up its first request."""
    marked = NEVER_BEGINNING.replace("import sandgate.errors, ", "import sandgate.errors; begun(); import ")
    marked = marked.replace("import install", "import begun, install")
    assert [run(copy, marked)[2:] for _ in range(4)] == [["0", "0"], ["5", "0"], ["5", "2"], ["5", "2"]]


def test_what_asks_somebody_is_not_loaded_first(copy: Path) -> None:
    """A session with a question would make every later one load the prompt."""
    (copy / "assessment").mkdir()
    (copy / "assessment" / "__init__.py").write_text("")
    asking = LOADING_FIRST.replace("import sandgate.errors,", "import sandgate.assessment, sandgate.errors,")
    assert [run(copy, asking)[3] for _ in range(3)] == ["0", "0", "0"]
    assert [run(copy, LOADING_FIRST)[3] for _ in range(2)] == ["0", "5"]


def test_a_module_that_fails_is_left_to_the_ordinary_import(copy: Path) -> None:
    for _ in range(3):
        run(copy, LOADING_FIRST)
    broken = (
        "import __future__, sys; sys.path.insert(0, sys.argv[1])\n"
        "from sandgate.modulecache import install; import sandgate.modulecache as m; m.NARROWED_EVERY = 0\n"
        "cache = install()\n"
        "import builtins; sane = builtins.__build_class__; del builtins.__build_class__\n"
        "cache.load_first()\n"
        "builtins.__build_class__ = sane\n"
        "import sandgate.errors; print(sandgate.errors.ConfigError.code)\n"
    )
    assert run(copy, broken) == ["bad_config"]


def test_damage_to_what_is_loaded_first_costs_only_time(copy: Path) -> None:
    for _ in range(3):
        run(copy, LOADING_FIRST)
    cache = cache_files(copy)[0]
    content = cache.read_bytes()
    start = code_at(content)
    cache.write_bytes(content[:start] + b"\xff" * 64 + content[start + 64 :])
    assert run(copy, LOADING_FIRST)[1:] == ["bad_config", "5", "0"]
    assert run(copy, LOADING_FIRST)[1:] == ["bad_config", "5", "5"]


def test_who_needs_no_more_than_most_does_not_read_what_others_took(copy: Path) -> None:
    """Required: a day's other commands made every start slower, as the file had an index of all they had imported."""
    for _ in range(2):
        run(copy, LOADING_FIRST)
    cache = cache_files(copy)[0]
    content = cache.read_bytes()
    start = 16 + int.from_bytes(content[:8], "little")
    cache.write_bytes(content[:start] + b"\xff" * (code_at(content) - start) + content[code_at(content) :])
    assert run(copy, LOADING_FIRST)[1:] == ["bad_config", "5", "5"]
    more = LOADING_FIRST.replace("import sandgate.errors,", "import _struct, sandgate.errors, colorsys,")
    assert run(copy, more)[1:] == ["bad_config", "5", "5"]


@pytest.mark.parametrize("how", ["others may write", "a link"])
def test_a_file_that_somebody_else_can_have_written_counts_as_none(copy: Path, tmp_path: Path, how: str) -> None:
    """Required: what is in it runs; it is written anew."""
    run(copy)
    (cache,) = cache_files(copy)
    if how == "a link":
        cache.rename(tmp_path / "elsewhere")
        cache.symlink_to(tmp_path / "elsewhere")
    else:
        cache.chmod(0o666)
    assert run(copy)[1:] == ["bad_config", "0"]
    assert run(copy)[1:] == ["bad_config", "5"]
    assert stat.S_IMODE(cache.lstat().st_mode) & 0o022 == 0


def test_a_file_is_written_so_that_it_will_be_believed_whatever_the_umask(copy: Path) -> None:
    before = os.umask(0)
    try:
        run(copy)
    finally:
        os.umask(before)
    assert stat.S_IMODE(cache_files(copy)[0].stat().st_mode) == 0o644


OTHER = 4242


@pytest.mark.parametrize(
    ("uid", "gid", "mode", "trusted"),
    [
        (os.geteuid(), OTHER, 0o644, True),
        (0, OTHER, 0o755, True),
        (OTHER, 0, 0o644, False),
        (OTHER + 1, 0, 0o644, True),
        (os.geteuid(), OTHER, 0o664, False),
        (os.geteuid(), 0, 0o775, True),
        (os.geteuid(), 0, 0o646, False),
    ],
)
def test_trust_is_a_matter_of_owner_and_mode(uid: int, gid: int, mode: int, trusted: bool) -> None:
    found = os.stat_result((mode | stat.S_IFREG, 1, 1, 1, uid, gid, 0, 0, 0, 0))
    assert is_trusted(found, owner=OTHER + 1) is trusted


def texts_of(code: CodeType) -> Counter[str]:
    """Every text that it holds, and how often."""
    inside = (each for each in code.co_consts if isinstance(each, CodeType))
    return sum(map(texts_of, inside), Counter(each for each in code.co_consts if isinstance(each, str)))


def documentation_in(source: str) -> Counter[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    said = (ast.get_docstring(node, clean=False) for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
    return Counter(filter(None, said))


def test_what_is_loaded_first_lacks_its_documentation_and_nothing_else() -> None:
    for path in sampling.share(sorted(SOURCE.rglob("*.py"))):
        source = path.read_text()
        code = compile(source, str(path), "exec")
        kept = _undocumented(code)
        assert kept is not None
        assert (kept.co_code, kept.co_names) == (code.co_code, code.co_names)
        assert texts_of(code) - texts_of(kept) == documentation_in(source), path


USES_ITS_OWN_DOCUMENTATION = """
def twice():
    "said"
    return "said"
class Kept:
    "said"
    other = "said"
__doc__ = str(7)
first = lambda: "no documentation"
"""


def test_a_text_that_is_also_used_stays() -> None:
    code = _undocumented(compile(USES_ITS_OWN_DOCUMENTATION, "m", "exec"))
    assert code is not None
    names: dict[str, object] = {}
    exec(code, names)
    twice, kept, first = names["twice"], names["Kept"], names["first"]
    assert callable(twice)
    assert callable(first)
    assert isinstance(kept, type)
    assert (twice(), vars(kept)["other"], first(), names["__doc__"]) == ("said", "said", "no documentation", "7")
