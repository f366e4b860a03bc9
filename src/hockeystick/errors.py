"""The errors that hockeystick raises, each for one kind of trouble."""


class HockeystickError(Exception):
    """Base of every error raised on purpose by this library."""


class ParameterError(HockeystickError, ValueError):
    """An argument is outside its domain; the message names it, the domain and the value."""


class RelationError(HockeystickError, ValueError):
    """The neighbouring relation is not one that the mechanism has a valid bound for."""


class NumericalError(HockeystickError, ArithmeticError):
    """The requested accuracy cannot be reached by the route that was asked for."""


class SavingError(HockeystickError):
    """A file is in use, or what it says was spent would be lost; it is as it was."""


class BudgetExceeded(HockeystickError):
    """Spending would go over a declared budget; nothing was spent."""


class LedgerError(HockeystickError):
    """A ledger is not there, cannot be written, or is not as it was written."""


class CannotCertify(NumericalError):
    """What was asked for cannot be proven; the message says what is missing."""
