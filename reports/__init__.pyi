from .comparison import compare as compare
from .json_form import read_audit as read_audit
from .rendering import render as render
