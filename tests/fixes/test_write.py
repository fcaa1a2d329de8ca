from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path
from typing import List, Optional

import pytest

import rlobs_lint.fixes.write as writing
from rlobs_lint.files.source import SourceFile, decode_utf8
from rlobs_lint.fixes.fix import ChangedFile
from rlobs_lint.fixes.write import unified_diff, write


def _changed(path: Path, data: bytes, before: Optional[bytes] = None) -> ChangedFile:
    """Makes a change of a file from what it holds, or held, to the given bytes."""
    source = decode_utf8(str(path), path.read_bytes() if before is None else before)
    assert isinstance(source, SourceFile)
    return ChangedFile(str(path), source, data)


def _left_over(folder: Path) -> List[str]:
    return [path.name for path in folder.rglob("*") if path.name.startswith(".rlobs-")]


def test_a_file_is_replaced_with_its_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    path.chmod(0o751)
    written = write([_changed(path, b"x = 2\r\n")], str(tmp_path))
    assert (written.paths, written.unwritten, written.interrupted) == ((str(path),), (), None)
    assert path.read_bytes() == b"x = 2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert not _left_over(tmp_path)


def test_the_old_file_stays_whole_for_those_who_have_it_open(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    with path.open("rb") as reader:
        write([_changed(path, b"y" * 100_000)], str(tmp_path))
        assert reader.read() == b"x = 1\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_bytes(b"mine\n")
    other.write_bytes(b"x = 1\n")
    written = write([_changed(path, b"x = 2\n", b"x = 1\n"), _changed(other, b"x = 2\n")], str(tmp_path))
    assert [(one.path, one.reason.en) for one in written.unwritten] == [
        (str(path), "it has changed since it was read")
    ]
    assert (path.read_bytes(), other.read_bytes()) == (b"mine\n", b"x = 2\n")
    assert not _left_over(tmp_path)


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    written = write([_changed(tmp_path / "a.py", b"x = 2\n", b"x = 1\n")], str(tmp_path))
    assert [one.path for one in written.unwritten] == [str(tmp_path / "a.py")]
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    path.chmod(0o444)
    # The superuser, who may run the tests, can write it.
    monkeypatch.setattr(os, "access", lambda *_: False)
    written = write([_changed(path, b"x = 2\n")], str(tmp_path))
    assert [one.reason.en for one in written.unwritten] == ["it is read-only"]
    assert path.read_bytes() == b"x = 1\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"x = 1\n")
    folder.chmod(0o555)
    try:
        written = write([_changed(folder / "a.py", b"x = 2\n")], str(tmp_path))
    finally:
        folder.chmod(0o755)
    assert [one.path for one in written.unwritten] == [str(folder / "a.py")]
    assert (folder / "a.py").read_bytes() == b"x = 1\n"


def test_an_error_of_the_system_is_reported_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    written = write([_changed(path, b"x = 2\n")], str(tmp_path))
    assert [one.parameters for one in written.unwritten] == [(("reason", "No space left on device"),)]
    assert path.read_bytes() == b"x = 1\n"
    assert not _left_over(tmp_path)


def test_a_link_inside_the_workspace_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "common.py", tmp_path / "functions.py"
    target.write_bytes(b"x = 1\n")
    link.symlink_to(target)
    write([_changed(link, b"x = 2\n")], str(tmp_path))
    assert target.read_bytes() == b"x = 2\n" and link.is_symlink()


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_out_of_the_workspace_is_not_followed(linked: str, tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    outside.mkdir()
    workspace.mkdir()
    (outside / "a.py").write_bytes(b"x = 1\n")
    if linked == "file":
        path = workspace / "a.py"
        path.symlink_to(outside / "a.py")
    else:
        (workspace / "functions").symlink_to(outside)
        path = workspace / "functions" / "a.py"
    written = write([_changed(path, b"x = 2\n")], str(workspace))
    assert [one.reason.en for one in written.unwritten] == ["it is a link that leads out of the workspace"]
    assert (outside / "a.py").read_bytes() == b"x = 1\n"


def test_the_workspace_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    written = write([_changed(tmp_path / "link" / "a.py", b"x = 2\n")], str(tmp_path / "link"))
    assert not written.unwritten
    assert (tmp_path / "real" / "a.py").read_bytes() == b"x = 2\n"


@pytest.mark.parametrize("can_link", [True, False])
def test_a_new_file_is_made_with_the_usual_mode(
    can_link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    if not can_link:
        monkeypatch.setattr(os, "link", refuse)
    path, usual = tmp_path / "requirements.txt", tmp_path / "usual"
    usual.touch()
    written = write([ChangedFile(str(path), None, b"a==1\n")], str(tmp_path))
    assert written.paths == (str(path),)
    assert path.read_bytes() == b"a==1\n"
    assert path.stat().st_mode == usual.stat().st_mode
    assert not _left_over(tmp_path)


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_bytes(b"mine\n")
    written = write([ChangedFile(str(path), None, b"a==1\n")], str(tmp_path))
    assert [one.reason.en for one in written.unwritten] == ["it has been made by something else meanwhile"]
    assert path.read_bytes() == b"mine\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_for_the_file_at_work(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / f"{name}.py" for name in "abc"]
    for file in files:
        file.write_bytes(b"x = 1\n")
    before = signal.getsignal(number)
    keep = writing._keep_owner_and_mode

    def interrupt(path: Path, status: os.stat_result) -> None:
        os.kill(os.getpid(), number)
        keep(path, status)

    monkeypatch.setattr(writing, "_keep_owner_and_mode", interrupt)
    written = write([_changed(file, b"x = 2\n") for file in files], str(tmp_path))
    assert (written.paths, written.interrupted) == ((str(files[0]),), number)
    assert [file.read_bytes() for file in files] == [b"x = 2\n", b"x = 1\n", b"x = 1\n"]
    assert signal.getsignal(number) is before
    assert not _left_over(tmp_path)


# --- differences ----------------------------------------------------------------------------------

TEXTS = [
    (b"a\nb\nc\n", b"a\nB\nc\n"),
    (b"a\nb", b"a\nb\nc"),
    (b"a\nb\n", b"a\nb\nc"),
    (b"a\r\nb\r\nc\r\n", b"a\r\nx\r\nb\r\nc\r\n"),
    (b"a\r\nb", b"a\r\nb\r\nc"),
    ("# 中文\nx = 1\n".encode("gbk"), "# 中文\nx = 2\n".encode("gbk")),
    (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
    (b"a\x0c\nb\x1cc\n", b"a\x0c\nb\x1cd\n"),
    (b"a\nb\n" * 30, b"a\nb\n" * 14 + b"c\n" + b"a\nb\n" * 16),
    (b"", b"a\n"),
]  # fmt: skip


def _raw(path: str, before: bytes, after: bytes) -> ChangedFile:
    source = SourceFile(path, before, before.decode("latin-1"), "latin-1")
    return ChangedFile(path, source, after)


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
@pytest.mark.parametrize("name", ["a.py", "functions/b c.py", "目录/d.py"])
@pytest.mark.parametrize(("before", "after"), TEXTS)
def test_patch_makes_the_change(before: bytes, after: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    difference = unified_diff(_raw(str(path), before, after), name)
    run = subprocess.run(
        ["patch", "-p0", "--batch"], cwd=tmp_path, input=difference, capture_output=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert path.read_bytes() == after


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
def test_patch_makes_a_new_file(tmp_path: Path) -> None:
    difference = unified_diff(ChangedFile(str(tmp_path / "new"), None, b"a\nb"), "new")
    subprocess.run(["patch", "-p0"], cwd=tmp_path, input=difference, capture_output=True, check=True)
    assert (tmp_path / "new").read_bytes() == b"a\nb"


def test_a_difference_says_where_a_file_ends_without_a_line_end() -> None:
    assert unified_diff(_raw("/a", b"a", b"a\nb"), "a.py") == (
        b"--- a.py\n+++ a.py\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n"
        b"+a\n+b\n\\ No newline at end of file\n"
    )


def test_a_path_with_a_line_end_cannot_forge_a_header() -> None:
    difference = unified_diff(_raw("/a", b"a\n", b"b\n"), "a\n+++ b\x1b.py")
    assert difference.startswith(b'--- "a\\012+++ b\\033.py"\n+++ "a\\012')


def test_files_that_belong_together_are_written_both_or_not_at_all(tmp_path: Path) -> None:
    names = ("a.py", "b.py", "c.py", "d.py")
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.write_bytes(b"x = 1\n")
    changes = [_changed(path, b"x = 2\n") for path in paths]
    # The last one has changed; it goes with the second, and that with the first.
    changes[3] = _changed(paths[3], b"x = 2\n", b"y = 1\n")
    a, b, _, d = map(str, paths)
    written = write(changes, str(tmp_path), [frozenset({a, b}), frozenset({b, d})])
    assert written.paths == (str(paths[2]),)
    assert {one.path: one.reason.en for one in written.unwritten} == {
        d: "it has changed since it was read",
        a: "a file that is changed along with it cannot be written",
        b: "a file that is changed along with it cannot be written",
    }
    assert [path.read_bytes() for path in paths] == [b"x = 1\n", b"x = 1\n", b"x = 2\n", b"x = 1\n"]


def test_an_interrupt_waits_for_files_that_belong_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    for path in paths:
        path.write_bytes(b"x = 1\n")
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    together = [frozenset({str(paths[0]), str(paths[2])})]
    written = write([_changed(path, b"x = 2\n") for path in paths], str(tmp_path), together)
    assert written.interrupted == signal.SIGINT
    assert written.paths == (str(paths[0]), str(paths[2]))
