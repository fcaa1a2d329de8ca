"""Job files: which YAML files are one, and the components and datasets that they describe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, Iterable, NamedTuple, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.files.source import SourceFile
from rlobs_lint.model import Position, Range
from rlobs_lint.project.jobs.components import (
    Component,
    DatasetReference,
    FieldValue,
    Submission,
    is_placeholder,
)

if TYPE_CHECKING:
    from rlobs_lint.project.jobs.yaml_tree import Tree

#: Larger YAML files are no job files (characters); a pure Python parser would take long over them.
MAXIMUM_LENGTH = 4 * 1024 * 1024

_MENTION = re.compile(r"functions[\"']?\s*:")
_KEY_LINE = re.compile(r"(?:^|[\r\n])functions:")
_KEY_LINE_BYTES = re.compile(rb"(?:^|[\r\n])(?:\xef\xbb\xbf)?functions:")

# What only a function component has; lists called `functions` exist in other tools' files too.
_COMPONENT_KEYS = frozenset({"fcmodel", "entity_id", "reward_metric_weight"})


class JobError(NamedTuple):
    """Why a job file does not parse.

    Attributes:
        kind: `syntax`, `depth` (too deeply nested to be read) or `documents` (more than one).
        reason: The parser's words, for `syntax`.
        position: Where it was noticed.
    """

    kind: str
    reason: str
    position: Position


class JobFile(NamedTuple):
    """A YAML file that describes a job.

    Attributes:
        path: Absolute path.
        submission: Its components; `None` where the file does not parse.
        datasets: The datasets to upload.
        error: Why it does not parse, or `None`.
    """

    path: str
    submission: Optional[Submission]
    datasets: Tuple[DatasetReference, ...] = ()
    error: Optional[JobError] = None


def read_jobs(yaml_files: Iterable[SourceFile]) -> Tuple[JobFile, ...]:
    """Returns the job files among the YAML files of a workspace, in their order."""
    jobs = (read_job(source) for source in yaml_files)
    return tuple(job for job in jobs if job is not None)


def read_job(source: SourceFile) -> Optional[JobFile]:
    """Reads a YAML file as a job file; returns `None` where it is something else."""
    if len(source.text) > MAXIMUM_LENGTH or not _MENTION.search(source.text):
        return None
    # Here, so that a workspace without job files never pays for the parser.
    from rlobs_lint.project.jobs.yaml_tree import UnreadableYamlError, read_yaml

    try:
        documents, second = read_yaml(source)
    except UnreadableYamlError as error:
        if not _KEY_LINE.search(source.text):
            return None
        kind = "syntax" if error.reason else "depth"
        return JobFile(source.path, None, (), JobError(kind, error.reason, source.position(error.offset)))
    if not any(map(_is_job, documents)):
        return None
    if second is not None:
        return JobFile(source.path, None, (), JobError("documents", "", source.position(second)))
    return _read(source.path, documents[0])


def is_undecodable_job(data: bytes) -> bool:
    """Tells whether bytes that are no UTF-8 still look like a job file: a line begins with `functions:`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _KEY_LINE.search(data.decode("utf-16", "replace").lstrip("\ufeff")) is not None
    return _KEY_LINE_BYTES.search(data) is not None


def _is_job(document: Tree) -> bool:
    functions = document.get("functions")
    if functions is None or not functions.is_sequence:
        return False
    items = functions.items()
    if not items:  # a job that only distils has no functions, but data
        datasets = document.get("datasets")
        return datasets is not None and datasets.is_sequence
    return any(map(_is_component, items))


def _is_component(item: Tree) -> bool:
    entries = item.entries()
    if not _COMPONENT_KEYS.isdisjoint(entries):
        return True
    return "type" in entries and entries["type"][1].field_value().value in sdk.COMPONENT_KINDS


def _read(path: str, document: Tree) -> JobFile:
    functions = document.get("functions")
    items = functions.items() if functions is not None else []
    components = tuple(_component(path, item) for item in items if item.is_mapping)
    datasets = document.get("datasets")
    references = (_dataset(path, item) for item in (datasets.items() if datasets is not None else []))
    named = tuple(reference for reference in references if reference is not None)
    return JobFile(path, Submission(path, components), named)


def _component(path: str, item: Tree) -> Component:
    model = _given(item, "fcmodel") if not _is_registered(item) else {}
    environment = item.get("runtime", "env")
    weights = item.get("reward_metric_weight")
    fields = _given(item)
    return Component(
        path,
        item.first_key,
        _kind(fields),
        name=fields.get("name"),
        zipdir=model.get("zipdir"),
        classpath=None if _names_file(model) else model.get("classpath"),
        requirements_path=model.get("requirements_path"),
        environment=tuple(_given(environment).items()) if environment is not None else (),
        metric_weights=_keys(weights) if weights is not None else (),
    )


def _given(tree: Tree, *names: str) -> Dict[str, FieldValue]:
    found = tree.get(*names)
    if found is None:
        return {}
    return {name: value.field_value() for name, (_, value) in found.entries().items()}


def _keys(weights: Tree) -> Tuple[Tuple[str, Range], ...]:
    entries = weights.entries().items()
    return tuple((name, key.location) for name, (key, _) in entries if not is_placeholder(name))


def _kind(fields: Dict[str, FieldValue]) -> Optional[str]:
    kind = fields.get("type")
    if kind is None:
        return "rollout"  # measured: what the SDK takes where `type` is missing
    return kind.text if kind.text in sdk.COMPONENT_KINDS else None


def _is_registered(item: Tree) -> bool:
    """Tells whether the function was registered before: then nothing is uploaded for it."""
    entity = item.get("entity_id")
    return entity is not None and _says_something(entity.field_value())


def _names_file(model: Dict[str, FieldValue]) -> bool:
    """Tells whether `filepath` and `classname` are given instead of `classpath`."""
    classpath, filepath = model.get("classpath"), model.get("filepath")
    if classpath is not None and _says_something(classpath):
        return False
    return filepath is not None and _says_something(filepath)


def _says_something(field: FieldValue) -> bool:
    return field.kind != "null" and field.value != ""


def _dataset(path: str, item: Tree) -> Optional[DatasetReference]:
    fields = _given(item)
    source = fields.get("data_source_type")
    name = fields.get("file_name")
    if name is None or not name.text or (source is not None and source.text != "file_id"):
        return None
    return DatasetReference(path, name.location, name.text)
