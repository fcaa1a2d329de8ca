"""What a user of the check command asks for."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from rlobs_lint.files.settings import Overrides

#: The path that stands for standard input.
STANDARD_INPUT = "-"


class Options(NamedTuple):
    """What the user asked for.

    Attributes:
        paths: As written; none for the default.
        overrides: What is said about settings.
        format_name: The format of standard output.
        output_files: Further outputs, as format and path. One in `format_name` takes the place of
            standard output.
        language: `en` or `zh` where it was given.
        jobs: How many processes may scan at once; 0 for one a processor.
        use_cache: Whether facts of earlier runs are used.
        cache_directory: Absolute path; `None` for a folder in each workspace.
        stdin_filename: What the text of standard input is the content of.
        fix: Whether files are fixed.
        diff: Whether the fixes are printed instead.
        unsafe_fixes: Whether unsafe fixes count.
        exit_zero: Whether findings leave the exit status at 0.
        exit_non_zero_on_fix: Whether fixes make it 1.
        statistics: Whether counts are printed instead of findings.
        show_fixes: Whether what was fixed is listed.
        quiet: Whether summaries and warnings are left out.
        colour: Whether standard output may hold colours.
        force_exclude: Whether excludes hold for named files.
        ignore_suppressions: Whether comments hide nothing.
        write_baseline: Absolute path of the baseline to make or renew, or `None`.
    """

    paths: Tuple[str, ...] = ()
    overrides: Overrides = Overrides()
    format_name: str = "text"
    output_files: Tuple[Tuple[str, str], ...] = ()
    language: Optional[str] = None
    jobs: int = 0
    use_cache: bool = True
    cache_directory: Optional[str] = None
    stdin_filename: Optional[str] = None
    fix: bool = False
    diff: bool = False
    unsafe_fixes: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    statistics: bool = False
    show_fixes: bool = False
    quiet: bool = False
    colour: bool = False
    force_exclude: bool = False
    ignore_suppressions: bool = False
    write_baseline: Optional[str] = None
