"""Value flow: follows clients, tools, metrics and components through a workspace's code.

An abstract interpreter runs the records of `rlobs_lint.facts.ir`: a value is a small set of possibilities, a
branch forks the state, and paths join again by uniting what may hold. Nothing of the linted code is
executed. What rules want to know is written down on the way, as plain observations.
"""
