"""What submission scripts build and submit: components and datasets, as job files give them.

Measured with dashscope 2.0.2: which arguments the component classes take, and that
`add_function_components` builds components of parallel lists.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from rlobs_lint import sdk
from rlobs_lint.flow.domain.arguments import ArgumentValue
from rlobs_lint.flow.domain.heap import MappingContent, SequenceContent
from rlobs_lint.flow.domain.observations import SdkCall
from rlobs_lint.flow.domain.values import UNKNOWN, Constant, External, Object, Site, Value
from rlobs_lint.model import Range
from rlobs_lint.project.jobs.components import (
    Component,
    DatasetReference,
    FieldValue,
    Submission,
    field_value,
    unknown_value,
)

if TYPE_CHECKING:
    from rlobs_lint.flow.run import Run

#: Methods of the job client that take components: the position of `functions`.
_TAKES_FUNCTIONS = {"run": 3, "submit_job": 2, "register_functions": 0}
_CALL = "AgenticRL."

Contents = Dict[int, Any]


class Submissions:
    """Reads submissions off the observations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._upload = run.machine.workspace
        self._modules = self._upload.modules
        self._built: Dict[int, SdkCall] = {}
        self._calls: List[SdkCall] = []
        for record in self._records():
            if record.result >= 0:
                self._built[record.result] = record
            elif record.name.startswith(_CALL):
                self._calls.append(record)

    def _records(self) -> Iterator[SdkCall]:
        """Yields what scripts build and call; a field that is set later may be anything."""
        for record in self._run.ledger.of(SdkCall):
            changed = self._run.ledger.changed_fields.get(record.result, {})
            if changed:
                kept = tuple(one for one in record.arguments.keywords if one.keyword not in changed)
                added = tuple(ArgumentValue(name, UNKNOWN, record.site) for name in changed)
                record = record._replace(arguments=record.arguments._replace(keywords=(*kept, *added)))
            if record.root.is_script:
                yield record

    @cached_property
    def all(self) -> Tuple[Submission, ...]:
        """What job files and scripts submit or register, by path."""
        from_jobs = (job.submission for job in self._upload.jobs if job.submission is not None)
        return tuple(sorted((*from_jobs, *self.of_scripts()), key=lambda submission: submission.path))

    @cached_property
    def components(self) -> Tuple[Component, ...]:
        """Every component once, though a script may submit it several times."""
        return tuple(dict.fromkeys(one for submission in self.all for one in submission.components))

    @cached_property
    def datasets(self) -> Tuple[DatasetReference, ...]:
        """The datasets that job files and scripts name, by path."""
        from_jobs = (reference for job in self._upload.jobs for reference in job.datasets)
        return tuple(sorted((*from_jobs, *self._datasets_of_scripts())))

    def of_scripts(self) -> Tuple[Submission, ...]:
        """Returns what each script submits together, and last what it builds besides."""
        found: List[Submission] = []
        submitting = {
            record.site.path for record in self._calls if record.name[len(_CALL) :] in sdk.SUBMITTING_METHODS
        }
        taken: Dict[int, None] = {}
        for call in self._calls:
            found.extend(
                Submission(call.site.path, components, call.site.path in submitting)
                for components in self._of_call(call)
                if components
            )
            for records in self._given_components(call):
                taken.update(dict.fromkeys(record.result for record in records))
        rest: Dict[str, List[Component]] = {}
        for record in self._built.values():
            if record.name in sdk.COMPONENT_CLASSES and record.result not in taken:
                rest.setdefault(record.site.path, []).append(self._component(record))
        for path, components_left in rest.items():
            # Nothing shows that they go out together: each is judged by itself.
            found.extend(Submission(path, (component,), path in submitting) for component in components_left)
        return tuple(found)

    def _datasets_of_scripts(self) -> Tuple[DatasetReference, ...]:
        found: Dict[DatasetReference, None] = {}
        for record in self._records():
            if record.name not in sdk.DATASET_CLASSES:
                continue
            argument = record.arguments.get(-1, "file_name")
            if argument is None or len(argument.value) != 1 or not self._uploads(record):
                continue
            atom = argument.value[0]
            if isinstance(atom, Constant) and isinstance(atom.value, str):
                reference = DatasetReference(record.site.path, self._range(argument.site), atom.value)
                found[reference] = None
        return tuple(found)

    def _uploads(self, record: SdkCall) -> bool:
        """Whether the SDK reads the file: not when the data lies elsewhere already."""
        source = record.arguments.value(-1, "data_source_type")
        if not source:
            return True
        names = {atom.name.rpartition(".")[2].lower() for atom in source if isinstance(atom, External)}
        names |= {str(atom.value).lower() for atom in source if isinstance(atom, Constant)}
        return "file_id" in names

    # --- calls ----------------------------------------------------------------------------------

    def _given_components(self, call: SdkCall) -> Iterator[Tuple[SdkCall, ...]]:
        """Yields the components in the `functions` of a call, in order, for each list that it may be."""
        position = _TAKES_FUNCTIONS.get(call.name[len(_CALL) :])
        if position is None:
            return
        contents = self._contents(call)
        for atom in call.arguments.value(position, "functions"):
            yield tuple(self._components_in(atom, contents))

    def _components_in(self, atom: object, contents: Contents) -> Iterator[SdkCall]:
        if not isinstance(atom, Object):
            return
        record = self._built.get(atom.number)
        if record is not None and record.name in sdk.COMPONENT_CLASSES:
            yield record
        content = contents.get(atom.number)
        if isinstance(content, SequenceContent) and not content.rest:
            for element in content.elements:
                # A list whose members depend on the path is not one submission.
                if len(element) == 1:
                    yield from self._components_in(element[0], contents)

    def _of_call(self, call: SdkCall) -> Iterator[Tuple[Component, ...]]:
        """Yields what a call submits together, for each list of components that it may be given."""
        if call.name == f"{_CALL}add_function_components":
            yield tuple(self._added(call))
            return
        for records in self._given_components(call):
            yield tuple(map(self._component, records))

    def _added(self, call: SdkCall) -> Iterator[Component]:
        """Yields the components that `add_function_components(kind, classpaths=[...], names=[...])` makes."""
        contents = self._contents(call)
        place = self._range(call.site)
        kinds = [_kind(atom) for atom in call.arguments.value(0, "functype")]
        kind = kinds[0] if len(kinds) == 1 else None
        classpaths = self._listed(call, 1, "classpaths", contents)
        names = self._listed(call, 4, "names", contents)
        runtimes = self._listed(call, 3, "runtimes", contents)
        folder = self._single(call, 8, "workspace_dir")
        entities = call.arguments.value(2, "entity_ids")
        count = max((len(classpaths or ()), len(names or ())), default=0)
        invented = unknown_value(place) if names is None else None
        for position in range(count):
            name = names[position] if names is not None and position < len(names) else None
            classpath = (
                classpaths[position] if classpaths is not None and position < len(classpaths) else None
            )
            runtime = runtimes[position][1] if runtimes is not None and position < len(runtimes) else ()
            yield Component(
                call.site.path,
                place,
                kind,
                name=self._given(*name) if name is not None else invented,
                zipdir=folder,
                classpath=self._given(*classpath) if classpath is not None and not entities else None,
                environment=self._environment(runtime, contents),
            )

    def _listed(
        self, call: SdkCall, position: int, name: str, contents: Contents
    ) -> Optional[List[Tuple[Site, Value]]]:
        """Returns the values of an argument that is one value or a list of them; `None` if unknown."""
        argument = call.arguments.get(position, name)
        if argument is None:
            return []
        if len(argument.value) != 1:
            return None
        atom = argument.value[0]
        content = contents.get(atom.number) if isinstance(atom, Object) else None
        if isinstance(content, SequenceContent):
            return None if content.rest else [(argument.site, element) for element in content.elements]
        if isinstance(atom, (Constant, Object)):
            return (
                [] if isinstance(atom, Constant) and atom.value is None else [(argument.site, argument.value)]
            )
        return None

    def _single(self, call: SdkCall, position: int, name: str) -> Optional[FieldValue]:
        argument = call.arguments.get(position, name)
        return self._given(argument.site, argument.value) if argument is not None else None

    # --- components -----------------------------------------------------------------------------

    def _component(self, record: SdkCall) -> Component:
        contents = self._contents(record)
        kind: Optional[str] = sdk.COMPONENT_CLASSES[record.name]
        if kind == "any":
            kinds = [_kind(atom) for atom in record.arguments.value(-1, "type")]
            kind = kinds[0] if len(kinds) == 1 else None if kinds or record.arguments.open else "rollout"
        # A function that was registered before uploads nothing.
        code = {} if _is_given(record, "entity_id") else dict(self._fields(record, "fcmodel", contents))
        name = record.arguments.get(-1, "name")
        is_open = record.arguments.open
        place = self._range(record.site)
        return Component(
            record.site.path,
            place,
            kind,
            name=self._given(name.site, name.value)
            if name is not None
            else unknown_value(place)
            if is_open
            else None,
            zipdir=self._field(code, "zipdir", place),
            classpath=self._field(code, "classpath", place),
            requirements_path=self._field(code, "requirements_path", place),
            environment=self._environment(record.arguments.value(-1, "runtime"), contents),
            metric_weights=tuple(self._weights(record, contents)),
        )

    def _field(self, fields: Dict[str, Tuple[Site, Value]], name: str, place: Range) -> Optional[FieldValue]:
        found = fields.get(name)
        if found is not None:
            return self._given(*found)
        return unknown_value(place) if "?" in fields else None

    def _fields(
        self, record: SdkCall, name: str, contents: Contents
    ) -> Iterator[Tuple[str, Tuple[Site, Value]]]:
        """Yields the fields of a model that is given as an object or a dictionary; `?` for unknown ones."""
        argument = record.arguments.get(-1, name)
        if argument is None:
            if record.arguments.open:
                yield "?", (record.site, ())
            return
        yield from self._model_fields(argument.value, argument.site, contents)

    def _model_fields(
        self, value: Value, site: Site, contents: Contents
    ) -> Iterator[Tuple[str, Tuple[Site, Value]]]:
        if len(value) != 1 or not isinstance(value[0], Object):
            yield "?", (site, ())
            return
        inner = self._built.get(value[0].number)
        content = contents.get(value[0].number)
        if inner is not None:
            for argument in inner.arguments.keywords:
                yield str(argument.keyword), (argument.site, argument.value)
            if inner.arguments.open:
                yield "?", (site, ())
        elif isinstance(content, MappingContent):
            for entry in content.entries:
                key = (
                    entry.key[0].value if len(entry.key) == 1 and isinstance(entry.key[0], Constant) else "?"
                )
                yield str(key), (entry.value_site, entry.value)
            if content.open:
                yield "?", (site, ())
        else:
            yield "?", (site, ())

    def _environment(self, runtime: Value, contents: Contents) -> Tuple[Tuple[str, FieldValue], ...]:
        if len(runtime) != 1 or not isinstance(runtime[0], Object):
            return ()
        site = self._run.machine.heap.info(runtime[0].number).site
        inner = self._built.get(runtime[0].number)
        if inner is not None:
            contents = {**contents, **self._contents(inner)}
        fields = dict(self._model_fields(runtime, site, contents))
        found = fields.get("env")
        if found is None:
            return ()
        variables = []
        for atom in found[1]:
            content = contents.get(atom.number) if isinstance(atom, Object) else None
            if isinstance(content, MappingContent):
                for entry in content.entries:
                    key = entry.key[0] if len(entry.key) == 1 else None
                    if isinstance(key, Constant) and isinstance(key.value, str):
                        variables.append((key.value, self._given(entry.value_site, entry.value)))
        return tuple(variables)

    def _weights(self, record: SdkCall, contents: Contents) -> Iterator[Tuple[str, Range]]:
        for atom in record.arguments.value(-1, "reward_metric_weight"):
            content = contents.get(atom.number) if isinstance(atom, Object) else None
            if isinstance(content, MappingContent):
                for entry in content.entries:
                    key = entry.key[0] if len(entry.key) == 1 else None
                    if isinstance(key, Constant) and isinstance(key.value, str):
                        yield key.value, self._range(entry.key_site)

    # --- places and values ----------------------------------------------------------------------

    def _contents(self, record: SdkCall) -> Contents:
        return self._run.ledger.snapshots.get((record.site, record.result), {})

    def _given(self, site: Site, value: Value) -> FieldValue:
        location = self._range(site)
        if len(value) == 1 and isinstance(value[0], Constant):
            return field_value(location, value[0].value)
        return unknown_value(location)

    def _range(self, site: Site) -> Range:
        return self._modules[site.path].range(site.span)


def _is_given(record: SdkCall, name: str) -> bool:
    value = record.arguments.value(-1, name)
    return any(not isinstance(atom, Constant) or atom.value not in (None, "") for atom in value)


def _kind(atom: object) -> Optional[str]:
    """Returns the kind of component that a value of `type` names."""
    if isinstance(atom, External):
        word = atom.name.rpartition(".")[2].lower()
        return word if word in sdk.COMPONENT_KINDS else None
    if isinstance(atom, Constant) and atom.value in sdk.COMPONENT_KINDS:
        return str(atom.value)
    return None
