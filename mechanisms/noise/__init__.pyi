from .discrete_laplace import truncated_discrete_laplace as truncated_discrete_laplace
from .discrete_uniform import discrete_uniform as discrete_uniform
from .exponential import exponential_noise as exponential_noise
from .gumbel import gumbel as gumbel
from .laplace import truncated_laplace as truncated_laplace
from .staircase import staircase as staircase
from .uniform import uniform_noise as uniform_noise
