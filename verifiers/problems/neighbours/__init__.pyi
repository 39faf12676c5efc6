from .neighbours import bounded_growth as bounded_growth
from .neighbours import gaps_linf as gaps_linf
