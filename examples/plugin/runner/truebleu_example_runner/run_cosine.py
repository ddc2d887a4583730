"""A runner without any help: it reads and writes the messages of protocol 1 itself. A real one would load a model.

The model is a folder with `vectors.bin`: one word per line, and its numbers, with spaces between them.
"""

import json
import sys
from importlib.metadata import version
from math import sqrt
from pathlib import Path

PACKAGE = "truebleu-example-runner"
vectors = {}


def send(kind, **fields):
    sys.stdout.write(json.dumps({"type": kind, **fields}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def load(message):
    for line in Path(message["path"], "vectors.bin").read_text("utf-8").splitlines():
        word, *numbers = line.split()
        vectors[word] = [float(number) for number in numbers]
    return {"device": "cpu"}


def mean(text):
    found = [vectors[word] for word in text.lower().split() if word in vectors]
    return [sum(column) / len(found) for column in zip(*found)]


def cosine(unit):
    one, other = mean(unit["hyp"]), mean(unit["ref"])
    lengths = sqrt(sum(x * x for x in one)) * sqrt(sum(x * x for x in other))
    value = sum(x * y for x, y in zip(one, other)) / lengths if lengths else 0.0
    return {"score": max(-1.0, min(1.0, value))}


send("hello", protocol=1, runner="cosine", runner_version=1, python=sys.version.split()[0],
     packages={PACKAGE: version(PACKAGE)})  # fmt: skip
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "stop":
        break
    if message["type"] == "load":
        send("ready", meta=load(message), batch=message["batch"])
    else:
        send("result", id=message["id"], results=[cosine(unit) for unit in message["units"]])
