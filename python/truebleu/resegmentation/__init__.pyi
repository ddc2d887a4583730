from truebleu.resegmentation.names import LEVELS as LEVELS
from truebleu.resegmentation.names import METHODS as METHODS
from truebleu.resegmentation.segmentation import Resegmented as Resegmented
from truebleu.resegmentation.segmentation import resegment as resegment
