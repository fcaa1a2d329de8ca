"""The observations, judged: what rules ask for."""
