"""Language models as judges: what they are asked, how a server is called, and how its answers are read.

| module | what it does |
|---|---|
| `answers` | an answer to a score and errors, strictly |
| `prompts` | the files of instructions, and the messages for a unit |
| `endpoint` | the address of a server, the key for it, and whether texts may go there |
| `pace` | how many calls at a time and per minute, when to try again, and when to stop |
| `client` | one call, until there is an answer |
| `noise` | how much a judge contradicts itself, from several passes |
| `scorer` | units to results, through the cache |

A judge is asked over HTTP from this process; otherwise it is a runner like any other (`runners/scorer.py`).
"""
