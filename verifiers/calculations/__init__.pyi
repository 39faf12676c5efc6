from .claim import Calculation as Calculation
from .claim import check_calculation as check_calculation
