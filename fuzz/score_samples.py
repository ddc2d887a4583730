"""One small made-up file of each format, as tests and the fuzz take it."""

import json

ESA_SPANS = (
    '"[{""start_i"": 2, ""end_i"": 5, ""severity"": ""major""}, {""start_i"": ""missing"", ""end_i"": ""missing""}]"'
)


def lines(*rows: object) -> str:
    """Put texts and JSON values into lines."""
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def pearmut(user: str, item_i: object, annotation: object, *items: str) -> dict[str, object]:
    """Write what Pearmut keeps of a document."""
    item = [{"item_id": name, "src": "s", "tgt": {"A": "x", "B": "y"}} for name in items]
    return {"annotation": annotation, "item": item, "user_id": user, "item_i": item_i, "actions": []}


def rated(**scores: object) -> dict[str, object]:
    """Write the scores of systems as Pearmut does."""
    return {name: {"score": score, "error_spans": [], "textfield": None} for name, score in scores.items()}


MQM_HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"


def mqm(
    system: str, segment: int, rater: str, category: str, severity: str, doc: str = "d", source: str = 'a "b'
) -> str:
    """Write a row of a table of errors."""
    return "\t".join((system, doc, "1", str(segment), rater, source, "t", category, severity, "{}"))


# Name of the format: name of a file, and its text.
SAMPLES = {
    "mtme": ("COMET-refA.seg.score", "a\t0.5\na\tNone\nb\t0.25\nb\t-0.0\n"),
    "mtme-domain": ("COMET-refA.domain.score", "news\ta\t0.5\nchat\ta\t1\nnews\tb\t0.25\nchat\tb\t2\n"),
    "mtme-rating": (
        "en-de.mqm.rater1.seg.rating",
        lines('a\t{"errors": [{"start": 0, "end": 1, "category": "style", "severity": "minor", "score": 1.0, '
              '"is_source_error": false}]}', "a\tNone", 'b\t{"errors": []}', 'b\t{"errors": [{"score": 5}]}'),
    ),
    "plain": ("a.txt", "0.5\n1\n-2e-1\n"),
    "comet": (
        "scores.json",
        json.dumps({"out/a.txt": [{"src": "s", "mt": "t", "COMET": 0.5}, {"src": "s", "mt": "t", "COMET": 0.25}],
                    "out/b.txt": [{"src": "s", "mt": "t", "COMET": 0.75},
                                  {"src": "s", "mt": "t", "COMET": 1, "errors": [{"text": "t", "severity": "minor"}]}]},
                   indent=4),
    ),
    "metricx": ("a.jsonl", lines({"id": "7", "hypothesis": "t", "prediction": 2.25}, {"id": "8", "prediction": 7.5})),
    "wmt25": (
        "a.jsonl",
        lines({"language_pair": "en-is_IS", "domain": "literary", "document_id": "d1",
               "metric_scores": {"CometKiwi-XL": [0.5, 0.75], "MetricX-24": [-9.5, None]}}),
    ),
    "wmt25-people": (
        "people.jsonl",
        lines({"doc_id": "en-is_IS_#_news_#_d1_#_0",
               "scores": {"a": {"human1": 70, "annotator1": "u", "human2": 81, "annotator2": "v", "errors1": []},
                          "b": {"human1": 60, "annotator1": "u", "human2": 50, "annotator2": "u"}}}),
    ),
    "appraise": (
        "esa.csv",
        lines(f"u1,wmt24.a,2,TGT,eng,ces,36,d1#a,False,{ESA_SPANS},1711317247.4,1711317254.8",
              "u1,wmt24.a,1,TGT,eng,ces,87,d1#a,False,[],1711317247.6,1711317248.6",
              "u1,wmt24.a,98,BAD,eng,ces,12,d9#a#bad7,False,[],1711317247.4,1711317254.8"),
    ),
    "mqm": (
        "ratings.tsv",
        lines(MQM_HEADER, mqm("a", 1, "r1", "Fluency/Punctuation", "minor"), mqm("a", 1, "r1", "Style", "Minor"),
              mqm("a", 2, "r1", "No-error", "no-error"), mqm("b", 1, "r1", "Non-translation!", "Major"),
              mqm("b", 2, "r1", "Found", "HOTW-test")),
    ),
    "mqm-average": ("avg_seg_scores.tsv", "system mqm_avg_score seg_id\na\t1.5 1\na\tNone 2\nb\t0.0 1\nb\t7 2\n"),
    "pearmut": (
        "campaign.jsonl",
        lines(pearmut("u1", 0, [rated(A=70, B=100), None], "d1_###_0", "d1_###_1"),
              pearmut("u2", 0, [rated(A=60, B=None), rated(A=1, B=2)], "d1_###_0", "d1_###_1")),
    ),
    "table": ("scores.csv", "system,segment,metric,score,rater\na,1,ESA,70,u1\na,2,ESA,,u1\nb,1,ESA,100,u1\n"),
}  # fmt: skip
