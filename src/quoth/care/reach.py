"""Reaching for something by its id: what is not there and what is foreign are one answer, and it is noted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from quoth.core.errors import AccessDenied, Conflict, InvalidInput, NotFound, StoreUnavailable
from quoth.core.ports import ReadView, Store
from quoth.core.types import Access, Record, RecordId

SHORTEST = 6
"""Digits of the shortest beginning that stands for an id."""
SHOWN = 10
"""Candidates of an ambiguous beginning that are listed."""
_BEGINNING = re.compile(rf"[0-9a-f]{{{SHORTEST},32}}")


def record(view: ReadView, id: str) -> Record:
    """The record of an id, or of a beginning of it (six digits or more) that no other readable one has.

    `NotFound` outside the scopes; `InvalidInput`, which lists the candidates, where several begin so.
    """
    if len(id) == 32 or not _BEGINNING.fullmatch(id):
        return view.get(RecordId(id))
    found = view.begins(id)
    return view.get(RecordId(only(id, found) or id))


def head(view: ReadView, record: Record) -> None:
    """Raise `Conflict`, which names the head, unless a record is the end of its chain."""
    last = view.head(record.testimony.id).testimony.id
    if last != record.testimony.id:
        raise Conflict(f"record {record.testimony.id!r} was superseded: {last!r} stands in its place")


def only(beginning: str, ids: Iterable[str]) -> str | None:
    """The one of these ids that begins so, or is so; None where none does, `InvalidInput` where several."""
    if not _BEGINNING.fullmatch(beginning):
        return None
    found = sorted(each for each in ids if each.startswith(beginning))
    if len(found) > 1:
        shown = ", ".join(found[:SHOWN]) + (", ..." if len(found) > SHOWN else "")
        raise InvalidInput(f"several ids begin with {beginning!r}: {shown}")
    return found[0] if found else None


def said(name: str, reason: str) -> str:
    """A reason that has to be given; `InvalidInput` for a blank one."""
    if not reason.strip():
        raise InvalidInput(f"{name} needs a reason: say why (`--because`)")
    return checked("a reason", reason)


def checked(name: str, text: str) -> str:
    """Text that can be kept as it is; `InvalidInput` for NUL and halves of surrogates."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput(f"{name} must not hold NUL characters or lone surrogates")
    return text


@contextmanager
def tried(store: Store, access: Access, verb: str, id: str = "") -> Iterator[None]:
    """Note in the caller's home chain that somebody reached for what they may not, or what is not there.

    A foreign id leaves the same note as one that nobody has. What was typed is noted only where it has the
    form of an id; a home that cannot be written goes without the note, and the error travels either way.
    """
    try:
        yield
    except (NotFound, AccessDenied) as error:
        if access.home in access.writes:
            reason = "not found" if isinstance(error, NotFound) else "not allowed"
            with suppress(StoreUnavailable), store.write(access) as view:
                view.refused(verb, id if _BEGINNING.fullmatch(id) else "", reason)
        raise
