"""A `classpath` names no processor that the function could run.

## What it does

Follows the `classpath` of every function component as the SDK does, in both forms,
`package.module.Class` and `path/to/module.py:Class`, relative to `zipdir`. Flags one that the SDK cannot
read, whose file does not exist, whose module has no such class, or whose class is no processor, is one of
another kind than the component, or cannot be built without arguments. The SDK never looks into a package,
so naming the package that re-exports a class is flagged; a missing `__init__.py` is not.

## Why it matters

Either the registration fails, or it succeeds and the server of the function does not start: no rollout
runs, no reward is computed, and the console shows no trace.

## Example

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  fcmodel:
    classpath: functions.processor.Procesor  # expect: RLO603
```

## Use instead

```yaml
# file: job.yaml
functions:
- type: rollout
  name: qa-rollout
  fcmodel:
    classpath: functions.processor.Processor
```

## Source

On-policy distillation document, quick reference of faults: where the registration of a function fails,
check the classpath first. Measured with dashscope 2.0.2: what each form of a classpath leads to when the
function is registered and when its server loads it.
"""

from __future__ import annotations

from typing import Iterator, Mapping, Optional, Tuple

from rlobs_lint.flow.questions.classes import AbsentClass, ClassSummary
from rlobs_lint.model import Finding, Scalar, Severity, Text
from rlobs_lint.project.jobs.classpaths import ResolvedClasspath, resolve_classpath
from rlobs_lint.project.jobs.components import Component
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """`classpath` 没有指向可以运行的处理器。

## 作用

按照 SDK 的方式解析每个函数组件的 `classpath`，支持 `package.module.Class` 和 `path/to/module.py:Class` 两
种写法，相对于 `zipdir`。以下情况会报告：SDK 无法识别的写法、文件不存在、模块中没有这个类、这个类不是处理
器、与组件类型不符，或不带参数无法实例化。SDK 不会查看包的内容，因此写重新导出该类的包名会报告；缺少
`__init__.py` 不报告。

## 影响

要么函数注册失败，要么注册成功但函数服务无法启动：不会有 Rollout 运行，Reward 无法计算，控制台看不到轨迹。

## 依据

在线策略蒸馏文档「通用故障速查」：函数注册失败，首查 classpath。实测（dashscope 2.0.2）：各种写法在注册以
及服务加载时分别指向什么。
"""

_Problem = Tuple[str, Mapping[str, Scalar]]


class UnresolvedClasspath(Rule):
    """Reports classpaths that lead to no class that the platform can run."""

    code = "RLO603"
    name = "unresolved-classpath"
    severity = Severity.ERROR
    messages = {
        "form": Text(
            "The SDK cannot read this classpath, so the function is not registered; write "
            "`package.module.Class` or `path/to/module.py:Class`",
            "SDK 无法识别这个 classpath，函数注册会失败；请写成 `package.module.Class` 或 "
            "`path/to/module.py:Class`",
        ),
        "outside": Text(
            "This classpath is read as the file `{file}`, which is not below `zipdir`, so the function "
            "cannot run; write the path relative to `zipdir`",
            "这个 classpath 会被当作文件 `{file}`，它不在 `zipdir` 之下，函数无法运行；请写相对于 `zipdir` "
            "的路径",
        ),
        "dotted": Text(
            "`{file}` cannot be imported because the name of a folder or file has a dot: the function is "
            "registered, but its server does not start; rename it",
            "`{file}` 无法导入，因为目录名或文件名中含有点号：函数可以注册，但服务无法启动；请重命名",
        ),
        "nested": Text(
            "`{class_name}` is not the plain name of a class: the function is registered, but its server "
            "does not start; name a class at the top level of `{file}`",
            "`{class_name}` 不是一个类的名称：函数可以注册，但服务无法启动；请写 `{file}` 顶层的类名",
        ),
        "package": Text(
            "`{file}` does not exist, so the function is not registered: the SDK never looks into a package; "
            "name the module that defines `{class_name}`",
            "`{file}` 不存在，函数注册会失败：SDK 不会查看包的内容；请写定义 `{class_name}` 的模块",
        ),
        "missing": Text(
            "`{file}` does not exist, so the function is not registered; correct the path",
            "`{file}` 不存在，函数注册会失败；请改正路径",
        ),
        "absent": Text(
            "`{file}` has no class `{class_name}`: the function is registered, but its server does not "
            "start; correct the name",
            "`{file}` 中没有类 `{class_name}`：函数可以注册，但服务无法启动；请改正名称",
        ),
        "mistyped": Text(
            "`{file}` has no class `{class_name}`: the function is registered, but its server does not "
            "start; is `{nearest}` meant?",
            "`{file}` 中没有类 `{class_name}`：函数可以注册，但服务无法启动；是否应为 `{nearest}`？",
        ),
        "no-processor": Text(
            "`{class_name}` in `{file}` is no processor: the function is registered, but its server does "
            "not start; inherit one of the SDK's processor classes",
            "`{file}` 中的 `{class_name}` 不是处理器：函数可以注册，但服务无法启动；请继承 SDK 的处理器基类",
        ),
        "kind": Text(
            "`{class_name}` in `{file}` is a `{found}` processor, but this component is of type `{kind}`, so "
            "every call fails; name a class of that kind, or correct `type`",
            "`{file}` 中的 `{class_name}` 是 `{found}` 处理器，而组件类型是 `{kind}`，每次调用都会失败；"
            "请写对应类型的类，或改正 `type`",
        ),
        "argument": Text(
            "`{class_name}` in `{file}` cannot be built without the argument `{name}`: the function is "
            "registered, but its server does not start; give the argument a default",
            "`{file}` 中的 `{class_name}` 缺少参数 `{name}` 就无法实例化：函数可以注册，但服务无法启动；"
            "请为该参数设置默认值",
        ),
        "abstract": Text(
            "`{class_name}` in `{file}` is abstract, as it does not define `{name}`: the function is "
            "registered, but its server does not start; define it, or name a subclass",
            "`{file}` 中的 `{class_name}` 没有定义 `{name}`，是抽象类：函数可以注册，但服务无法启动；"
            "请定义它，或写它的子类",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a classpath."""
        for component in workspace.components:
            target = resolve_classpath(workspace, component)
            if component.classpath is None or target is None or target.excluded is not None:
                continue
            problem = _problem(workspace, component, target)
            if problem is not None:
                message, values = problem
                yield self.finding(component.path, component.classpath.location, message, values)


def _problem(workspace: Workspace, component: Component, target: ResolvedClasspath) -> Optional[_Problem]:
    """Returns the key of the sentence about a classpath and its values, or `None`."""
    values: Mapping[str, Scalar] = {"file": target.file, "class_name": target.class_name}
    if target.problem is not None:
        return target.problem, values
    assert target.module is not None, "a target without a problem has a module"
    summary = workspace.flow.classes.find(target.module, target.class_name)
    if summary is None:
        return None
    if isinstance(summary, AbsentClass):
        if summary.nearest is None:
            return "absent", values
        return "mistyped", {**values, "nearest": summary.nearest}
    return _class_problem(component, summary, values)


def _class_problem(
    component: Component, summary: ClassSummary, values: Mapping[str, Scalar]
) -> Optional[_Problem]:
    if summary.kinds is not None and not summary.kinds:
        return "no-processor", values
    own = (summary.kinds or frozenset()) - {"any"}
    if component.kind is not None and own and component.kind not in own:
        return "kind", {**values, "found": min(own), "kind": component.kind}
    if summary.missing_argument is not None:
        return "argument", {**values, "name": summary.missing_argument}
    if summary.missing_method is not None:
        return "abstract", {**values, "name": summary.missing_method}
    return None
