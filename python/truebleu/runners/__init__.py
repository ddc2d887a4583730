"""Programs that score texts with learned metrics, each in an interpreter and an environment of its own.

| module | what it does |
|---|---|
| `protocol` | the messages between truebleu and a runner, and their checks |
| `process` | one runner: started, talked to, ended with everything it started |
| `cache` | scores that have been computed, on disk |
| `scorer` | units to results, through the cache |
| `families` | which metrics there are: script, texts, model, tested packages |
| `environments` | where the other interpreters are, and which of them a runner gets |
| `scripts/` | what runs in the other interpreter |

No package of a learned metric is ever imported here: a runner gets units (source, hypothesis, reference) and gives
scores, and knows nothing of systems, files or tests.
"""
