"""The value flow, judged by itself."""

import pytest

pytest.register_assert_rewrite("tests.flow.judging")
