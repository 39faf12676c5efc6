from .profile import PrivacyProfile as PrivacyProfile
from .witness import Witness as Witness
