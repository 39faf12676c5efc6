from .claim import Broken as Broken
from .claim import check_calculation as check_calculation
