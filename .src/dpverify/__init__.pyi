from dpverify.mechanisms import *
from dpverify.reports import *
from dpverify.verifiers import *

__version__: str
