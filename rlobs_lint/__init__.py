"""A linter and codemod for the observability of agentic reinforcement learning function projects."""
