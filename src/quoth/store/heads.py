"""The head file: how long every chain is, said outside the database.

It may lag behind the database, never lead. What it says of entries that the database has no more stays,
until a person resolves that: it is the only witness. A file that was lost is begun anew, and says from
which entry on it can be one.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from quoth.core.types import Scope

Key: TypeAlias = tuple[str, Scope]
"""Origin and scope of a chain."""

NAME = "head"
_STALE = 60.0
"""Seconds after which a draft belongs to nobody any more."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the head file says."""

    heads: Mapping[Key, tuple[int, str]] = field(default_factory=dict)
    """Number and hash (hex) of the last entry that was seen."""
    since: Mapping[Key, int] = field(default_factory=dict)
    """Chains that were there before this file: their entries up to here had no witness."""
    readable: bool = True


class HeadFile:
    """The file of one store; without a folder it is kept in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._memory: Kept | None = None

    def read(self) -> Kept | None:
        """What it says; None without one."""
        if self._folder is None:
            return self._memory
        if not (self._folder / NAME).exists():
            return None
        try:
            content = json.loads((self._folder / NAME).read_text(encoding="utf-8"))
            return Kept(
                {(str(a), Scope(b)): (int(c), str(d)) for a, b, c, d in content["heads"]},
                {(str(a), Scope(b)): int(c) for a, b, c in content.get("since", ())},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return Kept(readable=False)

    def begin(self) -> None:
        """Make an empty one for a store without entries, so that later its absence says something."""
        if self._folder is None:
            self._memory = self._memory or Kept()
        elif not (self._folder / NAME).exists():
            draft, file = self._draft(Kept()), self._folder / NAME
            try:
                file.hardlink_to(draft)
            except FileExistsError:
                pass  # another process was faster, and may have written already
            except OSError:  # a file system without links
                if not file.exists():
                    draft.rename(file)
            draft.unlink(missing_ok=True)

    def write(self, kept: Kept) -> None:
        """Replace what it says; `OSError` where that cannot be."""
        if self._folder is None:
            self._memory = kept
            return
        draft = self._draft(kept)
        try:
            draft.rename(self._folder / NAME)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def _draft(self, kept: Kept) -> Path:
        assert self._folder is not None
        content: dict[str, Any] = {
            "version": 1,
            "heads": [[*key, *value] for key, value in sorted(kept.heads.items())],
        }
        if kept.since:
            content["since"] = [[*key, seq] for key, seq in sorted(kept.since.items())]
        draft = self._folder / f"{NAME}.{secrets.token_hex(8)}"
        try:
            with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(json.dumps(content, ensure_ascii=False).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        return draft

    def sweep(self) -> int:
        """Remove drafts that a killed process left; how many."""
        if self._folder is None:
            return 0
        drafts = [
            each
            for each in self._folder.glob(f"{NAME}.{'[0-9a-f]' * 16}")
            if each.stat().st_mtime < time.time() - _STALE
        ]
        for each in drafts:
            each.unlink(missing_ok=True)
        return len(drafts)


def grown(known: Kept | None, db: apsw.Connection, origin: str, resolved: Collection[Key] = ()) -> Kept:
    """What the file is to say now: heads of this install's chains that the ledger bears out.

    `resolved` are chains of which a person has just said that what the file knew is gone.
    """
    now = {
        (row[0], Scope(row[1])): (row[2], row[3].hex())
        for row in db.execute(
            """SELECT h.origin, sc.name, h.seq, h.hash FROM head h JOIN scope sc ON sc.no = h.scope
            WHERE typeof(h.seq) = 'integer' AND typeof(h.hash) = 'blob' AND typeof(h.origin) = 'text'
            AND typeof(sc.name) = 'text'"""
        )
    }
    before = known.heads if known else {}
    heads = {
        key: head for key, head in now.items() if (key[0] == origin or key in before) and _has(db, key, head)
    }
    for key, head in before.items():
        if key in resolved and key in heads:
            continue
        if key not in heads or head[0] > heads[key][0] or not _has(db, key, head):
            heads[key] = head
    if known is None or not known.readable:
        since = {key: head[0] for key, head in heads.items()}
    else:
        since = dict(known.since)
    return Kept(heads, {key: seq for key, seq in since.items() if key not in resolved})


def _has(db: apsw.Connection, key: Key, head: tuple[int, str]) -> bool:
    """Whether the ledger has this entry."""
    row = db.execute(
        """SELECT hash FROM ledger WHERE origin = ? AND seq = ?
        AND scope = (SELECT no FROM scope WHERE name = ?)""",
        (key[0], head[0], key[1]),
    ).fetchone()
    return row is not None and isinstance(row[0], bytes) and row[0].hex() == head[1]
