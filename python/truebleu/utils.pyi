from truebleu.sacrebleu.utils import *  # noqa: F403
