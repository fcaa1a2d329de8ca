"""Settings: where they are found, how they are checked, what selects a rule."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Tuple

import pytest

from rlobs_lint import sdk
from rlobs_lint.files.settings import DEFAULT_EXCLUDE, Overrides, Settings, SettingsReader, selected_codes
from rlobs_lint.files.settings_file import SettingsError
from rlobs_lint.rulebook import registry
from tests.linting import Project

ALL = frozenset(rule.code for rule in registry.all_rules())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "repo")


def _settings(project: Project, folder: str = ".", overrides: Optional[Overrides] = None) -> Settings:
    return SettingsReader(overrides or Overrides()).settings_of(str((project.root / folder).resolve()))


def _error(project: Project, overrides: Optional[Overrides] = None) -> str:
    with pytest.raises(SettingsError) as caught:
        _settings(project, overrides=overrides)
    for language in ("en", "zh"):
        message = caught.value.message(language)
        assert "\n" not in message and "{" not in message
    return caught.value.message("en")


# --- finding them ---------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(project: Project) -> None:
    assert _settings(project) == Settings(str(project.root))


def test_every_key_is_read(project: Project) -> None:
    project.write(
        {
            "pyproject.toml": """
                [tool.rlobs-lint]
                select = ["RLO9"]
                extend-select = ["syntax-error"]
                ignore = ["RLO902"]
                exclude = ["a"]
                extend-exclude = ["b"]
                max-metrics = 3
                id-names = ["tenant"]
                llm-clients = ["company.Client"]
                lang = "zh"
                baseline = "base.json"
                respect-gitignore = false
                fixable = ["ALL"]
                unfixable = ["RLO903"]
                extend-safe-fixes = ["RLO901"]
                extend-unsafe-fixes = ["RLO902"]
                [tool.rlobs-lint.per-file-ignores]
                "old/*.py" = ["RLO9"]
                [tool.rlobs-lint.pins]
                "OpenTelemetry_API" = "1.42.0"
            """
        }
    )
    assert _settings(project) == Settings(
        directory=str(project.root),
        select=("RLO9",),
        extend_select=("syntax-error",),
        ignore=("RLO902",),
        exclude=("a",),
        extend_exclude=("b",),
        per_file_ignores=(("old/*.py", ("RLO9",)),),
        max_metrics=3,
        id_names=("tenant",),
        llm_clients=("company.Client",),
        pins={"opentelemetry-api": "1.42.0"},
        language="zh",
        baseline=str(project.root / "base.json"),
        respect_gitignore=False,
        fixable=("ALL",),
        unfixable=("RLO903",),
        extend_safe_fixes=("RLO901",),
        extend_unsafe_fixes=("RLO902",),
    )


def test_the_nearest_file_that_has_the_table_wins_alone(project: Project) -> None:
    project.write(
        {
            "pyproject.toml": "[tool.rlobs-lint]\nmax-metrics = 3\nignore = ['RLO901']\n",
            "a/pyproject.toml": "[tool.other]\nx = 1\n",
            "b/rlobs-lint.toml": "max-metrics = 4\n",
            "b/pyproject.toml": "[tool.rlobs-lint]\nmax-metrics = 5\n",
        }
    )
    assert _settings(project, "a").max_metrics == 3
    assert _settings(project, "a").directory == str(project.root)
    assert (_settings(project, "b").max_metrics, _settings(project, "b").ignore) == (4, ())


def test_an_empty_file_of_its_own_counts(project: Project) -> None:
    project.write({"pyproject.toml": "[tool.rlobs-lint]\nmax-metrics = 3\n", "a/rlobs-lint.toml": ""})
    assert _settings(project, "a").max_metrics == Settings("").max_metrics


def test_nothing_above_a_git_folder_is_read(tmp_path: Path) -> None:
    Project(tmp_path).write({"rlobs-lint.toml": "max-metrics = 3\n", "repo/.git/HEAD": ""})
    assert _settings(Project(tmp_path / "repo")).max_metrics == 10


def test_a_broken_project_file_that_is_not_for_us_is_none_of_our_business(project: Project) -> None:
    project.write({"pyproject.toml": "[tool.black\n"})
    assert _settings(project).max_metrics == 10


def test_a_byte_order_mark_is_no_trouble(project: Project) -> None:
    project.write({"rlobs-lint.toml": b"\xef\xbb\xbfmax-metrics = 3\n"})
    assert _settings(project).max_metrics == 3


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max-metric = 3", "unknown key `max-metric`; the nearest known one is `max-metrics`"),
        ("extend_select = []", "unknown key `extend_select`; the nearest known one is `extend-select`"),
        ("select = ['RLO1O1']", "select: unknown rule `RLO1O1`; the nearest known one is `RLO"),
        (
            "ignore = ['syntax-eror']",
            "ignore: unknown rule `syntax-eror`; the nearest known one is `syntax-error`",
        ),
        ("per-file-ignores = {'*.py' = ['X']}", "per-file-ignores.*.py: unknown rule `X`"),
        ("max-metrics = '3'", "`max-metrics` must be a whole number"),
        ("max-metrics = true", "`max-metrics` must be a whole number"),
        ("max-metrics = 0", "`max-metrics` must be a whole number"),
        ("select = 'RLO101'", "`select` must be a list of strings"),
        ("exclude = [1]", "`exclude` must be a list of strings"),
        ("exclude = ['!']", "`exclude` must be a list of gitignore patterns"),
        ("per-file-ignores = ['x']", "`per-file-ignores` must be a table"),
        ("respect-gitignore = 1", "`respect-gitignore` must be true or false"),
        ("lang = 'de'", '`lang` must be "en" or "zh"'),
        ("baseline = 1", "`baseline` must be a string"),
        ("pins = ['a==1']", "`pins` must be a table"),
        ("pins = {a = '1.x.y'}", "`pins` must be a table of package names and exact versions"),
        ("pins = {a = 1}", "`pins` must be a table"),
        ("select = [", "it is not valid TOML"),
    ],
)
def test_an_error_names_file_key_and_remedy(project: Project, text: str, says: str) -> None:
    project.write({"rlobs-lint.toml": text + "\n"})
    message = _error(project)
    assert "rlobs-lint.toml" in message
    assert says in message


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x = '\xe9'\n"])
def test_a_file_that_is_no_text_is_named(project: Project, content: bytes) -> None:
    project.write({"rlobs-lint.toml": content})
    assert "is not utf-8" in _error(project)


def test_control_characters_of_a_key_are_shown_harmlessly(project: Project) -> None:
    project.write({"rlobs-lint.toml": '"\\u001b[31m" = 1\n'})
    assert "\x1b" not in _error(project)


# --- the command line -----------------------------------------------------------------------------


def test_a_given_file_is_the_only_one(project: Project) -> None:
    project.write({"rlobs-lint.toml": "max-metrics = 3\n", "else/strict.toml": "ignore = ['RLO901']\n"})
    settings = _settings(project, overrides=Overrides(file=str(project.root / "else" / "strict.toml")))
    assert (settings.max_metrics, settings.ignore) == (10, ("RLO901",))
    assert settings.directory == str(project.root / "else")


def test_a_given_project_file_needs_the_table(project: Project) -> None:
    project.write({"pyproject.toml": "[project]\nname = 'x'\n"})
    overrides = Overrides(file=str(project.root / "pyproject.toml"))
    assert "it has no table [tool.rlobs-lint]" in _error(project, overrides)


def test_a_single_setting_replaces_and_extensions_add_up(project: Project) -> None:
    project.write({"rlobs-lint.toml": "max-metrics = 3\nextend-exclude = ['a']\nexclude = ['x']\n"})
    values = ("max-metrics = 4", "extend-exclude = ['b']")
    settings = _settings(project, overrides=Overrides(values=values))
    assert (settings.max_metrics, settings.extend_exclude, settings.exclude) == (4, ("a", "b"), ("x",))


def test_a_wrong_single_setting_names_the_option(project: Project) -> None:
    assert _error(project, Overrides(values=("max-metric = 4",))).startswith("--config: unknown key")


def test_isolated_reads_no_file(project: Project) -> None:
    project.write({"rlobs-lint.toml": "nonsense"})
    settings = _settings(project, overrides=Overrides(isolated=True, values=("max-metrics = 4",)))
    assert (settings.max_metrics, settings.exclude) == (4, DEFAULT_EXCLUDE)


@pytest.mark.parametrize("field", ["select", "extend_select", "ignore"])
def test_an_unknown_rule_on_the_command_line_names_the_option(field: str) -> None:
    with pytest.raises(SettingsError) as caught:
        SettingsReader(Overrides(**{field: ("RLO999",)}))
    option = "--" + field.replace("_", "-")
    assert caught.value.message("en").startswith(
        f"{option}: unknown rule `RLO999`; the nearest known one is `RLO"
    )


# --- selection ------------------------------------------------------------------------------------


def _selected(project: Project, toml: str, **given: Tuple[str, ...]) -> frozenset[str]:
    project.write({"rlobs-lint.toml": toml})
    return selected_codes(_settings(project, overrides=Overrides(**given)))


@pytest.mark.parametrize(
    ("toml", "codes"),
    [
        ("", ALL),
        ("select = ['rlo901', 'unreadable-file']", {"RLO901", "RLO902"}),
        ("select = ['RLO90']", {"RLO901", "RLO902", "RLO903"}),
        ("select = []", set()),
        ("select = []\nextend-select = ['RLO901']", {"RLO901"}),
        ("ignore = ['RLO9']", ALL - {"RLO901", "RLO902", "RLO903"}),
        ("select = ['RLO901']\nignore = ['RLO9']", {"RLO901"}),
        ("select = ['RLO9']\nignore = ['RLO901']", {"RLO902", "RLO903"}),
        ("select = ['RLO9']\nignore = ['RLO9']", set()),
        ("ignore = ['ALL']\nextend-select = ['RLO9']", {"RLO901", "RLO902", "RLO903"}),
        ("ignore = ['RLO']\nextend-select = ['syntax-error']", {"RLO901"}),
    ],
)
def test_the_more_specific_selector_decides(project: Project, toml: str, codes: frozenset[str]) -> None:
    assert _selected(project, toml) == codes


def test_select_on_the_command_line_takes_the_place_of_the_settings(project: Project) -> None:
    toml = "select = ['RLO901']\nignore = ['RLO902']\nextend-select = ['RLO903']"
    assert _selected(project, toml, select=("RLO902",)) == {"RLO902"}


def test_further_options_of_the_command_line_add_up_with_the_settings(project: Project) -> None:
    toml = "select = ['RLO9']\nignore = ['RLO902']"
    assert _selected(project, toml, ignore=("RLO903",)) == {"RLO901"}
    assert _selected(project, "select = ['RLO901']", extend_select=("RLO902",)) == {"RLO901", "RLO902"}


def test_per_file_ignores_add_up(project: Project) -> None:
    project.write(
        {
            "rlobs-lint.toml": "[per-file-ignores]\n'functions/*' = ['RLO901']\n'**/bad.py' = ['RLO903']\n",
            "functions/bad.py": "def\n",
            "functions/idle.py": "x = 1  # rlobs: ignore[RLO901, RLO902]\n",
            "functions/deep/bad.py": "def\n",
            "other.py": "def\n",
        }
    )
    # `functions/*` leaves out folders right below, with all in them; there RLO901 is not judged as unused.
    assert sorted(project.lint().places) == [("functions/idle.py", 1, "RLO903"), ("other.py", 1, "RLO901")]


def test_the_settings_reach_the_analyses(project: Project) -> None:
    assert _settings(project).pins == sdk.PINS
