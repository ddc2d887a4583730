from truebleu.agreement.agreement import Agreement as Agreement
from truebleu.agreement.agreement import MetricPair as MetricPair
from truebleu.agreement.agreement import agree as agree
