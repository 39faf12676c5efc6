from .lemma import Goal as Goal
from .lemma import Instance as Instance
from .lemma import Mutant as Mutant
from .lemma import Values as Values
