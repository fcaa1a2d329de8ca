"""A linter and codemod for the observability of agentic reinforcement learning function projects."""

__version__ = "0.1.0"
