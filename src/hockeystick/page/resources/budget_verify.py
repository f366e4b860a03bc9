"""`/api/budgets/{name}/verify`: is every entry of the ledger as it was written?"""

from __future__ import annotations

from hockeystick.errors import LedgerError
from hockeystick.page.resource import Json, Resource
from hockeystick.page.schema import FLAG, INTEGER, TEXT, or_null, record
from hockeystick.page.where import LEDGER


def verify(asked: Json) -> Json:
    """What `hockeystick ledger verify` says; the chain is that of the whole ledger."""
    books = LEDGER.books()
    books.relation(asked["name"])
    try:
        checked = books.verify()
    except LedgerError as error:
        return {"ok": False, "entries": None, "head": None, "sentence": f"Broken: {error}"}
    sentence = (
        f"{checked.entries} entries of {checked.budgets} budgets are as they were written. "
        f"The last hash, to be kept elsewhere: {checked.head}"
    )
    return {"ok": True, "entries": checked.entries, "head": checked.head, "sentence": sentence}


RESOURCE = Resource(
    "budgets/{name}/verify",
    "Every entry of the ledger, checked again.",
    verify,
    record(ok=FLAG, entries=or_null(INTEGER), head=or_null(TEXT), sentence=TEXT),
    kept=False,
)
