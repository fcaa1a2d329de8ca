from __future__ import annotations

from typing import Optional

import pytest
import yaml
from hypothesis import given as given_by
from hypothesis import settings
from hypothesis import strategies as some

from rlobs_lint.facts.deep_stack import with_deep_stack
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Position
from rlobs_lint.project.jobs.yaml_tree import Tree, UnreadableYamlError, read_yaml


def source_of(text: str) -> SourceFile:
    return SourceFile("/w/job.yaml", text.encode("utf-8", "replace"), text, "utf-8")


def read(text: str) -> Tree:
    documents, second = read_yaml(source_of(text))
    assert second is None
    return documents[0]


def at(tree: Optional[Tree]) -> Position:
    assert tree is not None
    return tree.location.start


def test_values_stand_where_an_editor_shows_them() -> None:
    tree = read("名: 计算器 😀 x\r\nfunctions:\r\n- {type: 'r', n: \"q\"}\r\n")
    assert at(tree.get("名")) == Position(1, 4)
    assert tree.get("名").location.end == Position(1, 11)  # type: ignore[union-attr]
    item = tree.get("functions").items()[0]  # type: ignore[union-attr]
    assert at(item.get("n")) == Position(3, 18)
    assert item.first_key.start == Position(3, 4)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_follow_every_line_end(newline: str) -> None:
    tree = read(newline.join(["a:", "- b", "- c: d", ""]))
    assert at(tree.get("a").items()[1].get("c")) == Position(3, 6)  # type: ignore[union-attr]


def test_line_separators_inside_text_start_no_row_of_an_editor() -> None:
    assert at(read("a: 'x\u2028y'\nb: c\n").get("b")) == Position(2, 4)


def test_a_block_ends_with_its_last_character() -> None:
    tree = read("a:\n  b: c   # comment\n\n# more\nd: |\n  text\n\ne: f\n")
    assert tree.get("a").location.end == Position(4, 7)  # type: ignore[union-attr]
    assert tree.get("d").location.end == Position(6, 7)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("true", "bool", True),
        ("On", "bool", True),
        ("off", "bool", False),
        ("'false'", "str", "false"),
        ("y", "str", "y"),
        ("1", "int", 1),
        ("0x1", "int", 1),
        ("1.0", "float", 1.0),
        ("~", "null", None),
        ("", "null", None),
        ("!!str 1", "str", "1"),
        ("!!int x", "unknown", None),
        ("!!bool maybe", "unknown", None),
        ("!ENV name", "unknown", None),
        ("2024-01-01", "other", None),
        ("!!binary aGk=", "other", None),
        ("[]", "empty", None),
        ("{}", "empty", None),
        ("[true]", "other", None),
        ("{value: true}", "other", None),
        ("!!set {a}", "other", None),
        ("!Ref [a]", "unknown", None),
        ("{...}", "unknown", None),
        ("[...]", "unknown", None),
        ("...", "unknown", None),
        ("{{ name }}", "unknown", None),
        ("${NAME}", "unknown", None),
        ("1" * 5000, "unknown", None),
    ],
)
def test_scalars_are_typed_as_yaml_types_them(text: str, kind: str, value: object) -> None:
    found = read(f"a: {text}\n").get("a")
    assert found is not None
    assert (found.field_value().kind, found.field_value().value) == (kind, value)


def test_a_later_key_hides_an_earlier_one_and_both_hide_merged_ones() -> None:
    tree = read("base: &b {x: 1, y: 1, z: 1}\na:\n  <<: *b\n  x: 2\n  x: 3\n  1: no string\n")
    entries = tree.get("a").entries()  # type: ignore[union-attr]
    assert {name: value.field_value().value for name, (_, value) in entries.items()} == {
        "x": 3,
        "y": 1,
        "z": 1,
    }


def test_merges_agree_with_the_parser() -> None:
    text = (
        "first: &first {key: 1, more: 1}\n"
        "second: &second {<<: *first, key: 2, next: 2}\n"
        "third: {<<: [*second], other: 3}\n"
        "fourth: {<<: *first, <<: *second}\n"
    )
    tree, loaded = read(text), yaml.safe_load(text)
    for name in ("second", "third", "fourth"):
        entries = tree.get(name).entries()  # type: ignore[union-attr]
        assert {key: value.field_value().value for key, (_, value) in entries.items()} == loaded[name]


def test_an_alias_stands_where_it_is_written() -> None:
    tree = read("- &one {k: v}\n- *one\n- k: *one\n")
    first, second, third = tree.items()
    assert (first.first_key.start, second.first_key.start) == (Position(1, 9), Position(2, 3))
    assert second.get("k").field_value().value == "v"  # type: ignore[union-attr]
    assert at(third.get("k")) == Position(3, 6)


def test_a_first_key_may_be_an_alias() -> None:
    assert read("- &k key: 1\n- *k : 2\n").items()[1].first_key.start == Position(2, 3)


def test_a_mapping_without_keys_stands_at_its_own_place() -> None:
    assert read("- {}\n").items()[0].first_key.start == Position(1, 3)


def test_a_tree_that_holds_itself_can_be_read() -> None:
    tree = read("a: &a\n  <<: *a\n  b: *a\n")
    assert at(tree.get("a", "b", "b", "b")) == Position(3, 6)


def test_missing_paths_give_nothing() -> None:
    assert read("a: [1]\n").get("a", "b", "c") is None


def test_multiplying_aliases_cost_nothing() -> None:
    lines = ["l0: &l0 {k0: x}"]
    lines += [
        f"l{level}: &l{level} {{<<: [{', '.join([f'*l{level - 1}'] * 9)}], k{level}: x}}"
        for level in range(1, 40)
    ]
    entries = read("\n".join(lines)).get("l39").entries()  # type: ignore[union-attr]
    assert len(entries) == 40  # 9 to the power of 39 would never end


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("functions:\n- a: b\n  c: [1\nd: e\n", Position(4, 2)),
        ("functions:\n\t- a\n", Position(2, 1)),
        ("functions:\n- a: \x07\n", Position(2, 6)),
        ("functions:\n- a: b\0\n", Position(2, 7)),
        ("functions:\n- a: *nope\n", Position(2, 6)),
        ("a: 'x\u2028y'\nfunctions: b: c\n", Position(2, 13)),
        ('functions: "\\U99999999"\n', None),
        ("%YAML 9.0\n---\na: b\n", None),
    ],
)
def test_what_is_no_yaml_says_where(text: str, position: Optional[Position]) -> None:
    source = source_of(text)
    with pytest.raises(UnreadableYamlError) as caught:
        read_yaml(source)
    assert caught.value.reason
    assert "\n" not in caught.value.reason
    assert position is None or source.position(caught.value.offset) == position


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_depth_is_refused(opening: str) -> None:
    with pytest.raises(UnreadableYamlError):
        with_deep_stack(lambda: read_yaml(source_of("functions:\n- " + opening * 20_000)))


def test_some_depth_is_read() -> None:
    read("a: " + "[" * 50 + "]" * 50)


def test_a_second_document_is_noticed() -> None:
    documents, second = read_yaml(source_of("a: b\n---\nc: d\n"))
    assert second == 5
    assert [list(document.entries()) for document in documents] == [["a"], ["c"]]


def test_no_document_at_all() -> None:
    assert read_yaml(source_of("# nothing\n")) == ([], None)


yaml_like = some.text(
    some.one_of(some.sampled_from("abk:-?[]{},&*!|>'\"%@#<~. \t\n\r0123"), some.characters()), max_size=80
)


def touch(tree: Tree, depth: int) -> None:
    tree.field_value()
    tree.first_key  # noqa: B018 - looked at for its exceptions
    if depth:
        for item in tree.items():
            touch(item, depth - 1)
        for key, value in tree.entries().values():
            touch(key, 0)
            touch(value, depth - 1)


@settings(max_examples=400, deadline=None)
@given_by(yaml_like)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        documents, _ = read_yaml(source_of(text))
    except UnreadableYamlError as error:
        assert 0 <= error.offset <= len(text)
        return
    for document in documents:
        touch(document, 3)
