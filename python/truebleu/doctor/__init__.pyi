from truebleu.doctor.diagnosis import diagnose as diagnose
from truebleu.doctor.finding import Diagnosis as Diagnosis
from truebleu.doctor.finding import Finding as Finding
from truebleu.doctor.finding import Price as Price
