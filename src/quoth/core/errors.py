"""The error tree: what is wrong, and whether the same call may work later.

QuothError
├── UsageError (also ValueError)    call it differently
│   ├── InvalidInput
│   ├── SettingsError
│   └── NotFound                    also: not in your scopes
├── AccessDenied                    scope not writable, or too little authority
├── Conflict                        somebody refiled first
├── IntegrityError                  bytes and ledger disagree; never caught inside
└── Unavailable                     the same call may work later
    ├── StoreUnavailable
    └── InferenceUnavailable

A refusal, a duplicate, an abstention and a held record are values, not errors.
Messages quote identifiers with ``!r`` and never hold passage text.
"""

from __future__ import annotations


class QuothError(Exception):
    """Everything that Quoth raises on purpose."""


class UsageError(QuothError, ValueError):
    """The call itself is wrong: call it differently."""


class InvalidInput(UsageError):
    """An argument or a file does not have the form it must have."""


class SettingsError(UsageError):
    """A setting is unknown or has a value that it cannot have."""


class NotFound(UsageError):
    """No such record in the scopes of the caller (foreign and absent are one answer)."""


class AccessDenied(QuothError):
    """The caller may not: the scope is not writable for them, or it takes more authority."""


class Conflict(QuothError):
    """Somebody else filed a revision first: read again, then decide."""


class IntegrityError(QuothError):
    """Bytes and ledger (or a checksum) disagree."""


class Unavailable(QuothError):
    """Nothing is wrong with the call: the same one may work later."""


class StoreUnavailable(Unavailable):
    """The store is locked, full, read-only or not to be reached."""


class InferenceUnavailable(Unavailable):
    """The embedder or another model does not answer."""
