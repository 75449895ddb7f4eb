"""A person says how far a record is believed."""

from __future__ import annotations

from dataclasses import replace

from quoth.care import reach
from quoth.care.forget import Refiled
from quoth.core import rules
from quoth.core.errors import AccessDenied, InvalidInput
from quoth.core.ports import Clock, Store
from quoth.core.types import Access, Authority, Status, Trust


def trust(store: Store, access: Access, clock: Clock, id: str, level: Trust, because: str) -> Refiled:
    """File a record anew with another trust: `AccessDenied` below a person.

    Words from the web are doubtful, and in no answer, until somebody has made sure of them.
    """
    reason = reach.said("trust", because)
    if level not in list(Trust):
        raise InvalidInput(f"trust is one of {', '.join(Trust)}, not {level!r}")
    with reach.tried(store, access, "trust", id), store.write(access) as view:
        record = reach.record(view, id)
        rules.may_write(access, record.testimony.scope)
        if access.actor.authority < Authority.PERSON:
            raise AccessDenied(f"{access.actor.id!r} is no person: only a person says what is believed")
        filing, now = record.filing, clock.now()
        if filing.status not in (Status.CURRENT, Status.SUPERSEDED):
            raise InvalidInput(f"record {filing.record_id!r} is {filing.status.value}: nobody is shown it")
        if filing.trust is Trust(level):
            raise InvalidInput(f"record {filing.record_id!r} is {filing.trust.value} already")
        again = rules.refiled(filing, access.actor, now, filing.status, reason)
        again = replace(again, trust=Trust(level))
        view.refile(again)
        return Refiled(again.record_id, rules.standing(again.status, again.valid, now), again)
