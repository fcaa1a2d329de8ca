"""A line of a dataset is not one JSON object.

## What it does

Reads the JSON Lines files that `datasets:` of a job file, a submission script or the command line
names, and flags every line that is not exactly one JSON object: broken JSON, an array or a bare value,
several objects on a line, `NaN` or `Infinity`, a byte order mark, a blank line between records. Blank
lines at the end are fine. After twenty lines, one more finding counts the rest.

## Why it matters

The platform parses the file line by line after the upload. One bad line fails the job, and the log only
says that the data could not be parsed.

## Example

```json
# file: data/train.jsonl
{"messages": [{"role": "user", "content": "3*7=?"}]}
# expect: RLO801
{"messages": [{"role": "user", "content": "1+1=?"}],}  # expect: RLO801
```

The second line is meant to be blank, the third has a comma too many.

## Use instead

```json
# file: data/train.jsonl
{"messages": [{"role": "user", "content": "3*7=?"}]}
{"messages": [{"role": "user", "content": "1+1=?"}]}
```

## Source

On-policy distillation document, troubleshooting, error patterns during training: where parsing of the
JSONL fails, check the JSON of each line. Reinforcement learning document, standard procedure, step 3.
"""

from __future__ import annotations

from typing import Iterator

from rlobs_lint.model import Finding, Severity, Text
from rlobs_lint.project.datasets.files import bad_lines
from rlobs_lint.rulebook.rule import Rule
from rlobs_lint.rulebook.workspace import Workspace

CHINESE = """数据集中有一行不是一个 JSON 对象。

## 作用

读取任务文件的 `datasets:`、提交脚本或命令行给出的 JSON Lines 文件，逐行检查是否恰好是一个 JSON 对象：
JSON 写错、是数组或单个值、一行多个对象、含 `NaN` 或 `Infinity`、带 BOM、记录之间有空行，都会报告；
文件末尾的空行不算。超过二十行后，用一条结果说明其余行数。

## 影响

平台在上传之后逐行解析数据。一行出错，任务就会失败，而日志只提示 JSONL 解析失败。

## 依据

在线策略蒸馏文档「训练期常见报错模式」：数据格式错，做行级 JSON 校验；强化学习文档「标准排查流程」Step 3。
"""


class InvalidDatasetLine(Rule):
    """Reports lines of datasets that are not one JSON object."""

    code = "RLO801"
    name = "invalid-dataset-line"
    severity = Severity.ERROR
    messages = {
        "not-json": Text(
            "This line is not valid JSON (column {column}: {reason}), so the platform fails to parse the "
            "dataset and the job fails; write one JSON object a line",
            "这一行不是合法的 JSON（第 {column} 列：{reason}），平台解析数据集会失败，任务随之失败；请每行"
            "写一个 JSON 对象",
        ),
        "several": Text(
            "There is more on this line than one JSON object (column {column}), so the platform fails to "
            "parse the dataset; write one JSON object a line",
            "这一行不止一个 JSON 对象（第 {column} 列），平台解析数据集会失败；请每行写一个 JSON 对象",
        ),
        "not-object": Text(
            "This line is valid JSON but of type {kind}, so the platform cannot read a sample from it; "
            "write one JSON object a line",
            "这一行是 {kind} 类型的 JSON，平台无法从中读出样本；请每行写一个 JSON 对象",
        ),
        "not-finite": Text(
            "`{token}` on this line is not JSON, so the platform may fail to parse the dataset; write "
            "`null` or a number",
            "这一行的 `{token}` 不是 JSON，平台解析数据集可能失败；请改为 `null` 或数字",
        ),
        "byte-order-mark": Text(
            "The file begins with a byte order mark, so its first line is not JSON and the platform fails "
            "to parse the dataset; save the file as UTF-8 without BOM",
            "文件以 BOM 开头，第一行因此不是合法的 JSON，平台解析数据集会失败；请保存为不带 BOM 的 UTF-8",
        ),
        "blank": Text(
            "This line between two records is blank, so the platform fails to parse the dataset; remove it",
            "两条记录之间的这一行是空行，平台解析数据集会失败；请删除它",
        ),
        "too-long": Text(
            "This line is longer than {limit} MiB, so it was not checked and no model can be trained on it; "
            "check whether line breaks are missing",
            "这一行超过 {limit} MiB，未作检查，也无法用于训练；请检查是否缺少换行",
        ),
        "too-deep": Text(
            "The JSON of this line is nested too deeply to be read, so the platform fails to parse the "
            "dataset; write it flatter",
            "这一行的 JSON 嵌套过深，无法读取，平台解析数据集会失败；请减少嵌套",
        ),
        "rest": Text(
            "From here on, {count} more lines of this dataset are not one JSON object each",
            "从这里起，此数据集还有 {count} 行不是一个 JSON 对象",
        ),
    }

    def check(self, workspace: Workspace) -> Iterator[Finding]:
        """Yields one finding a bad line."""
        for path, problem, count in bad_lines(workspace.datasets, "lines"):
            if count > 1:
                yield self.finding(path, problem.location, "rest", {"count": count})
            else:
                yield self.finding(path, problem.location, problem.reason, dict(problem.parameters))
