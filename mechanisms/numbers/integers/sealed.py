"""Values that hold nothing: what code is handed in the place of data that it must not look at."""


class Sealed:
    """A value in the place of one that is not known, of which code may not ask what it is, or of what type."""

    __slots__ = ()


class AnyParameter(Sealed):
    """A number in the place of a parameter of which all values are meant: what checks parameters lets it pass."""

    __slots__ = ()
