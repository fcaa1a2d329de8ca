"""YAML text as a tree of values that know their places, read as the SDK reads it: YAML 1.1, safely.

Nothing is constructed: the tree is looked at only where someone asks, so that aliases that multiply
or refer to themselves cost nothing.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import yaml

from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Range, Span
from rlobs_lint.project.jobs.components import FieldValue, field_value, unknown_value

#: Entries of one mapping or sequence that are looked at. No honest file has as many, and aliases
#: could otherwise multiply them.
MAXIMUM_ENTRIES = 1000
#: Nodes within nodes that are read. The SDK's interpreter gives up not far beyond it.
MAXIMUM_DEPTH = 100

_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset(_TAG + name for name in ("null", "bool", "int", "float"))
_OTHER_TAGS = frozenset(_TAG + name for name in ("timestamp", "binary", "set", "omap", "pairs"))
# Longer numbers are of no interest here and slow to convert.
_LONGEST_NUMBER = 100


class UnreadableYamlError(Exception):
    """The text is no YAML, or nested too deeply to be read.

    Attributes:
        reason: Why, in one line and in the parser's words; empty for the depth.
        offset: The character where it was noticed.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class _Loader(yaml.SafeLoader):
    """Composes nodes as usual, but an alias stands where it is written and not where its anchor is."""

    depth = 0

    def compose_node(self, parent: Optional[yaml.Node], index: Any) -> Optional[yaml.Node]:
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise RecursionError
        try:
            return self._compose(parent, index)
        finally:
            self.depth -= 1

    def _compose(self, parent: Optional[yaml.Node], index: Any) -> Optional[yaml.Node]:
        event: Any = self.peek_event() if self.check_event(yaml.AliasEvent) else None  # type: ignore[no-untyped-call]
        node: Optional[yaml.Node] = super().compose_node(parent, index)
        if event is None or node is None:
            return node
        # A copy shares the list of children, which also serves to recognise it.
        alias: Any = copy.copy(node)
        alias.start_mark, alias.end_mark = event.start_mark, event.end_mark
        alias.is_alias = True
        return alias  # type: ignore[no-any-return]


class Tree:
    """A value in a YAML file.

    Attributes:
        location: Where it stands; an alias stands where it is written.
    """

    __slots__ = ("_node", "_source", "location")

    def __init__(self, source: SourceFile, node: yaml.Node) -> None:
        self._source = source
        self._node = node
        start, end = node.start_mark.index, node.end_mark.index
        # The mark behind a block ends at the next token: blanks and comments are not the value's.
        if not isinstance(node, yaml.ScalarNode) or node.style in ("|", ">"):
            end = start + len(source.text[start:end].rstrip())
        self.location: Range = source.range(Span(start, max(start, end)))

    @property
    def is_sequence(self) -> bool:
        """Whether the value is a list."""
        return isinstance(self._node, yaml.SequenceNode)

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self._node, yaml.MappingNode)

    @property
    def first_key(self) -> Range:
        """Where the first key of a mapping stands; without one, where the value itself does."""
        if self.is_mapping and self._node.value and not getattr(self._node, "is_alias", False):
            return Tree(self._source, self._node.value[0][0]).location
        return self.location

    def items(self) -> List[Tree]:
        """Returns the elements of a list; of any other value none."""
        if not self.is_sequence:
            return []
        return [Tree(self._source, node) for node in self._node.value[:MAXIMUM_ENTRIES]]

    def entries(self) -> Dict[str, Tuple[Tree, Tree]]:
        """Returns keys and values of a mapping, by the text of the key; of any other value none.

        A later entry hides an earlier one of the same key, and both hide what `<<` merges in. Keys
        that are no strings are left out.
        """
        found: Dict[str, Tuple[Tree, Tree]] = {}
        for key, value in self._pairs() if self.is_mapping else ():
            if len(found) == MAXIMUM_ENTRIES:
                break
            if isinstance(key, yaml.ScalarNode) and key.tag == _TAG + "str" and key.value not in found:
                found[key.value] = Tree(self._source, key), Tree(self._source, value)
        return found

    def get(self, *names: str) -> Optional[Tree]:
        """Returns the value at a path of keys, or `None` where there is none."""
        found: Optional[Tree] = self
        for name in names:
            entry = found.entries().get(name) if found is not None else None
            found = entry[1] if entry is not None else None
        return found

    def field_value(self) -> FieldValue:
        """Returns the value, typed as YAML types it."""
        tag = self._node.tag
        if isinstance(self._node, yaml.ScalarNode):
            return self._scalar(tag)
        if tag in _OTHER_TAGS:
            return FieldValue(self.location, "other")
        # `{...}` and `{{ name }}` are mappings in YAML, but stand for something else.
        if tag not in (_TAG + "map", _TAG + "seq") or self._is_placeholder():
            return unknown_value(self.location)
        return FieldValue(self.location, "other" if self._node.value else "empty")

    def _scalar(self, tag: str) -> FieldValue:
        text: str = self._node.value
        if tag == _TAG + "str":
            return field_value(self.location, text)
        if tag in _OTHER_TAGS:
            return FieldValue(self.location, "other")
        if tag not in _SCALAR_TAGS or len(text) > _LONGEST_NUMBER:
            return unknown_value(self.location)
        try:
            value = yaml.constructor.SafeConstructor().construct_object(self._node)
        except (ValueError, KeyError, IndexError):  # an explicit tag on a text of another kind
            return unknown_value(self.location)
        return field_value(self.location, value)

    def _is_placeholder(self) -> bool:
        if len(self._node.value) != 1:
            return False
        only = self._node.value[0][0] if self.is_mapping else self._node.value[0]
        return not isinstance(only, yaml.ScalarNode) or only.value == "..."

    def _pairs(self) -> Iterator[Tuple[yaml.Node, yaml.Node]]:
        """Yields the entries of a mapping and of those merged into it, those that hide others first."""
        seen: Set[int] = set()
        waiting: List[yaml.Node] = [self._node]
        while waiting:
            node = waiting.pop()
            if isinstance(node, yaml.ScalarNode) or id(node.value) in seen:
                continue
            seen.add(id(node.value))
            if isinstance(node, yaml.SequenceNode):
                waiting.extend(reversed(node.value))
                continue
            yield from ((key, value) for key, value in reversed(node.value) if key.tag != _TAG + "merge")
            waiting.extend(value for key, value in node.value if key.tag == _TAG + "merge")


def read_yaml(source: SourceFile) -> Tuple[List[Tree], Optional[int]]:
    """Reads the documents of a file.

    Returns:
        The documents, and the offset at which the second one begins: the SDK reads only files that
        hold a single one.

    Raises:
        UnreadableYamlError: The text cannot be read.
    """
    try:
        loader: Any = _Loader(source.text)
    except yaml.reader.ReaderError as error:
        raise UnreadableYamlError(_one_line(error.reason), error.position) from None
    documents: List[Tree] = []
    second: Optional[int] = None
    try:
        loader.get_event()  # the beginning of the stream
        while not loader.check_event(yaml.StreamEndEvent):
            if documents and second is None:
                second = loader.peek_event().start_mark.index
            documents.append(Tree(source, loader.compose_document()))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = mark.index if mark is not None else 0
        raise UnreadableYamlError(_one_line(error.problem or error.context), offset) from None
    except RecursionError:
        raise UnreadableYamlError("", 0) from None
    except (ValueError, OverflowError) as error:  # an escape beyond Unicode
        raise UnreadableYamlError(_one_line(str(error)), loader.index) from None
    return documents, second


def _one_line(text: Optional[str]) -> str:
    return " ".join((text or "").split())
