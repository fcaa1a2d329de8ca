"""The facts of earlier runs: kept, found again, and harmless whatever became of them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Callable

import pytest

from rlobs_lint.facts import cache
from rlobs_lint.facts.cache import FOLDER, FactsCache, dump_facts, load_facts
from rlobs_lint.facts.ir import ModuleFacts
from rlobs_lint.facts.scan_file import scan
from rlobs_lint.files.source import SourceFile, decode_python

CODE = """\
import a


class C(a.B):
    def f(self, x: int = 1) -> str:  # rlobs: ignore
        return f'{x} 字'
"""


def _facts(code: str = CODE) -> ModuleFacts:
    source = decode_python("x.py", code.encode())
    assert isinstance(source, SourceFile)
    return scan(source)


def _stored(folder: Path) -> Path:
    (file,) = folder.rglob("*.facts")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache folder that holds the facts of one file, whose digest is all `a`."""
    store = FactsCache(str(tmp_path / FOLDER), "/w")
    store.put("a" * 64, dump_facts(_facts()))
    store.save()
    return tmp_path / FOLDER


def test_facts_come_back_as_they_were(folder: Path) -> None:
    assert FactsCache(str(folder), "/w").get("a" * 64) == _facts()
    assert load_facts(dump_facts(_facts())) == _facts()


def test_other_bytes_and_other_workspaces_are_unknown(folder: Path) -> None:
    assert FactsCache(str(folder), "/w").get("b" * 64) is None
    assert FactsCache(str(folder), "/v").get("a" * 64) is None


def test_it_is_kept_out_of_git_and_of_the_upload(folder: Path) -> None:
    assert (folder / ".gitignore").read_text() == "*\n"
    # The upload leaves out `tmp` folders and ignore files: nothing else may lie here.
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "tmp"]


def test_only_what_a_run_used_is_kept(folder: Path) -> None:
    store = FactsCache(str(folder), "/w")
    store.put("b" * 64, dump_facts(_facts("x = 1\n")))
    store.save()
    again = FactsCache(str(folder), "/w")
    assert again.get("a" * 64) is None
    assert again.get("b" * 64) == _facts("x = 1\n")


def test_nothing_new_writes_nothing(folder: Path) -> None:
    before = _stored(folder).stat()
    store = FactsCache(str(folder), "/w")
    store.get("a" * 64)
    store.save()
    after = _stored(folder).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_nothing_but_whole_files_is_ever_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _stored(folder).read_bytes()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    store = FactsCache(str(folder), "/w")
    store.put("b" * 64, dump_facts(_facts("x = 1\n")))
    store.save()
    assert _stored(folder).read_bytes() == before
    assert len(list(folder.rglob("*"))) == 3, "no temporary file is left"


DAMAGE = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "other program": lambda data: b"\x80\x04\x95pickle" + data,
    "other version": lambda data: b"0" * 64 + data[64:],
    "a changed letter": lambda data: data.replace(b'"C"', b'"D"'),
    "no numbers": lambda data: data.replace(b"[", b"{"),
    "binary": lambda data: os.urandom(4096),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_cache_is_a_miss(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    file = _stored(folder)
    file.write_bytes(damage(file.read_bytes()))
    assert FactsCache(str(folder), "/w").get("a" * 64) is None


@pytest.mark.parametrize(
    "value",
    ["1", "null", "[]", "[99999]", "[0]", "[2,1]", '{"a":1}', "[" * 5000, '["x"]', "[-1]", "NaN", "[1.5]"],
)
def test_a_line_of_something_else_is_a_miss(folder: Path, value: str) -> None:
    store = FactsCache(str(folder), "/w")
    store.put("c" * 64, value.encode())
    store.save()
    assert FactsCache(str(folder), "/w").get("c" * 64) is None


def test_other_makers_of_facts_make_other_facts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "__version__", "9.9.9")
    cache.own_code.cache_clear()
    try:
        assert FactsCache(str(folder), "/w").get("a" * 64) is None
    finally:
        cache.own_code.cache_clear()


def test_a_pipe_in_its_place_does_not_block(folder: Path) -> None:
    file = _stored(folder)
    file.unlink()
    os.mkfifo(file)
    assert FactsCache(str(folder), "/w").get("a" * 64) is None


def test_a_folder_that_is_a_link_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / FOLDER).symlink_to(tmp_path / "elsewhere")
    store = FactsCache(str(tmp_path / FOLDER), "/w")
    store.put("a" * 64, dump_facts(_facts()))
    store.save()
    cache.clear(str(tmp_path / FOLDER))
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (tmp_path / FOLDER).is_symlink()


@pytest.mark.parametrize("obstacle", [FOLDER, f"{FOLDER}/tmp"])
def test_where_it_cannot_be_written_the_run_goes_on(tmp_path: Path, obstacle: str) -> None:
    (tmp_path / obstacle).parent.mkdir(exist_ok=True)
    (tmp_path / obstacle).write_text("a file")
    store = FactsCache(str(tmp_path / FOLDER), "/w")
    store.put("a" * 64, dump_facts(_facts()))
    store.save()
    assert store.get("b" * 64) is None


def test_clearing_removes_it_and_nothing_else(folder: Path) -> None:
    (folder / "tmp" / "mine.txt").write_text("keep me")
    cache.clear(str(folder))
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["mine.txt"]
    (folder / "tmp" / "mine.txt").unlink()
    cache.clear(str(folder))
    assert not folder.exists()
    cache.clear(str(folder))


def test_it_is_plain_text(folder: Path) -> None:
    header, line = _stored(folder).read_bytes().split(b"\n")
    digest, checksum, facts = line.split(b" ", 2)
    assert len(header) == len(digest) == 64 and len(checksum) == 8
    assert json.loads(facts)


def test_every_source_file_of_the_package_is_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file changes, and also one that is new: what was stored may be wrong."""
    package = Path(cache.__file__).parent.parent
    copy = tmp_path / "rlobs_lint"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(copy / "facts" / "cache.py"))
    cache.own_code.cache_clear()
    seen = {cache.own_code()}
    sources = sorted(copy.rglob("*.py"))
    assert len(sources) > 150
    for source in sources:
        source.write_bytes(source.read_bytes() + b"\n")
        cache.own_code.cache_clear()
        seen.add(cache.own_code())
    (copy / "flow" / "new_module.py").touch()
    cache.own_code.cache_clear()
    seen.add(cache.own_code())
    cache.own_code.cache_clear()
    assert len(seen) == len(sources) + 2
