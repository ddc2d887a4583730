from truebleu.metrics.functions import *  # noqa: F403
