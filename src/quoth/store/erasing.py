"""Destroys the words of records in every row: their own, their documents', and what was said about them."""

from __future__ import annotations

from typing import Any

from quoth.core import ledger, rules
from quoth.core.acts import Act
from quoth.core.text import normal_form
from quoth.core.types import (
    Answer,
    Fact,
    Filing,
    Held,
    Lift,
    Record,
    RecordId,
    Rejection,
    Status,
    Target,
)
from quoth.store import purge
from quoth.store.blocking import Blocking


class Erasing(Blocking):
    """The part of a write view that destroys words; `store.purge` cleans what lies outside the rows."""

    def erase(self, record_id: RecordId, reason: str) -> tuple[RecordId, ...]:
        """See the port."""
        first = self.get(record_id)
        text, scope = first.testimony.text, first.testimony.scope
        number = self._scope(scope)
        if first.filing.status is Status.ERASED:
            return (record_id,)
        records = {self._record_no(each.testimony.id): each for each in (first, *self.same(scope, text))}
        purge.owe(self._db)
        self._forget_events(number, {each.testimony.id for each in records.values()}, text)
        self._forget_documents(number, records)
        about = rules.words_fingerprint(self._key(number), text)
        told = normal_form(text) in normal_form(reason)
        self._reject(
            Rejection(
                id="",
                scope=scope,
                target=Target.ERASED,
                fingerprints={"words": about},
                reason="" if told else reason,
                actor=self._access.actor,
                at=self._now,
                record_id=record_id,
            ),
            about,
        )
        for no, record in records.items():
            self._forget_record(no, record)
        self._speakers_no.clear()
        self._conversations.clear()
        self._document = None
        return tuple(each.testimony.id for each in records.values())

    def _forget_record(self, no: int, record: Record) -> None:
        """Empty the rows of one record, file it as erased and note that in its chain."""
        passages = "(SELECT no FROM passage WHERE record = ?)"
        for statement in (
            "UPDATE record SET text = '', salt = NULL WHERE no = ?",
            "UPDATE filing SET note = '', category = '', stakes = NULL WHERE record = ?",
            f"""UPDATE vector SET scale = 0, components = zeroblob(length(components)), pieces = x'',
                bits = x'' WHERE passage IN {passages}""",
            f"DELETE FROM event WHERE passage IN {passages}",
            "UPDATE passage SET start = 0, stop = 0, flags = 0, terms = x'' WHERE record = ?",
            "DELETE FROM alike WHERE record = ?",
            "DELETE FROM hidden WHERE record = ?",
        ):
            self._db.execute(statement, (no,))
        words, last = record.testimony, record.filing
        filing = Filing(
            record_id=words.id,
            revision=last.revision + 1,
            status=Status.ERASED,
            filed_at=self._now,
            actor=self._access.actor,
            trust=last.trust,
            grain=last.grain,
            importance=last.importance,
            pinned=last.pinned,
            valid=last.valid,
            supersedes=last.supersedes,
        )
        payload = ledger.payload_digest(self._refile(no, filing))
        self._append(words.scope, "refile", words.id, self._now, payload)
        self._append(words.scope, "erase", words.id, self._now, ledger.payload_digest(words.id, words.digest))

    # -- events -------------------------------------------------------------------------------

    def _forget_events(self, scope: int, ids: set[RecordId], text: str) -> None:
        """Take the bodies of events that are about these records, then of what was said about those."""
        about = rules.words_fingerprint(self._key(scope), text)
        gone: set[str] = set()
        everything = list(self._acts(("assert", "reject", "hold", "lift", "answer"), scopes=str(scope)))
        for act in everything:
            rejected = isinstance(act, Rejection) and act.fingerprints.get("words") == about
            if rejected or not ids.isdisjoint(_about(act)):
                gone.add(act.id)
        gone |= {
            act.id
            for act in everything
            if (isinstance(act, Lift) and act.rejection in gone)
            or (isinstance(act, Answer) and act.held in gone)
        }
        for each in (act for act in everything if act.id in gone):
            raw = (bytes.fromhex(each.id),)
            digest: Any = self._db.execute("SELECT digest FROM act WHERE id = ?", raw).fetchone()
            self._db.execute("UPDATE act SET body = NULL, salt = x'' WHERE id = ?", raw)
            # Without an entry of its own, whoever took a body away to lift a rejection would look the same.
            payload = ledger.payload_digest(each.id, digest[0].hex())
            self._append(each.scope, "erase", each.id, self._now, payload)


def _about(act: Act) -> set[str]:
    """Ids of the records that an event is about."""
    match act:
        case Fact():
            return set(act.evidence)
        case Held():
            named = {each for each in (act.record_id, act.against) if each}
            return named | (_about(act.fact) if act.fact else set())
        case Rejection():
            return {act.record_id} if act.record_id else set()
    return set()
