from truebleu.agreement.agreement import Agreement as Agreement
from truebleu.agreement.agreement import MetricPair as MetricPair
from truebleu.agreement.agreement import agree as agree
from truebleu.agreement.official import OfficialTable as OfficialTable
from truebleu.agreement.official import RankedSystem as RankedSystem
from truebleu.agreement.official import official_table as official_table
