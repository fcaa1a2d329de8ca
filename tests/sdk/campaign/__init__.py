"""A differential campaign: small function projects that run under the real SDK beside the linter.

The projects are written from the documents alone, half of them right, half with one mistake. Nobody says
which is which: what a run shows is compared with what the linter reports.
"""
