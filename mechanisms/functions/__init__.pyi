from .mechanism import Mechanism as Mechanism
