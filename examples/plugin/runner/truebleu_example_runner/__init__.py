"""The cosine of word vectors: what truebleu must know. The work is in `run_cosine.py`, in a process of its own."""

from pathlib import Path

from truebleu.plugins import LearnedFamily, PinnedModel, Requirement, RunnerSpec

SPEC = RunnerSpec(
    name="cosine",
    script=Path(__file__).with_name("run_cosine.py"),
    families=(LearnedFamily("cosine", "Cosine", "cosine", ("hyp", "ref"), PinnedModel("word-vectors")),),
    requirements=(Requirement("truebleu-example-runner", "0.3"),),
    low=-1.0,
    high=1.0,
)
