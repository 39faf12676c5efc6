from .score_domains import BoundedGrowth as BoundedGrowth
from .score_domains import OrMore as OrMore
from .score_domains import ScoreGaps as ScoreGaps
