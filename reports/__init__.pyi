from .audits.json_form import read_audit as read_audit
from .formats.rendering import render as render
from .gates.comparison import compare as compare
