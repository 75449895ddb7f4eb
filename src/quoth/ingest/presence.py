"""Whether a file is gone, or only out of sight: unmounted, unreadable, hidden."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from quoth.core.types import Document
from quoth.ingest.revise import DELETED, NO_FILE

MOUNT = "\x01mount"
"""Metadata key: ``device:mount point`` of the file system that a file was read from.

It begins with a control character, as no key does that a reader takes from a file.
"""


@dataclass(slots=True)
class Disks:
    """Where the file systems of this machine are mounted, asked once a folder."""

    _points: dict[Path, str] = field(default_factory=dict)
    _marks: dict[Path, str] = field(default_factory=dict)

    def marked(self, document: Document, folder: Path) -> Document:
        """The document with the mark of the file system that its folder is on."""
        mark = self._mark(folder)
        return replace(document, metadata={**document.metadata, MOUNT: mark}) if mark else document

    def missing(self, document: Document) -> str:
        """The mount point that a document was read below, where nothing is mounted now; else empty."""
        _, _, point = document.metadata.get(MOUNT, "").partition(":")
        below = point and document.uri.startswith(f"{point}/")
        return point if below and not Path(point).is_mount() else ""

    def same(self, folder: Path, document: Document) -> bool:
        """Whether a folder is on the file system that a document was read from."""
        return document.metadata.get(MOUNT) == (self._mark(folder) or "?")

    def _mark(self, folder: Path) -> str:
        if folder not in self._marks:
            try:
                self._marks[folder] = f"{folder.stat().st_dev}:{self._point(folder)}"
            except OSError:
                self._marks[folder] = ""
        return self._marks[folder]

    def _point(self, folder: Path) -> str:
        """The mount point of a folder; empty for the file system of the root."""
        if folder not in self._points:
            if folder == folder.parent:
                self._points[folder] = ""
            elif folder.is_mount():
                self._points[folder] = folder.as_posix()
            else:
                self._points[folder] = self._point(folder.parent)
        return self._points[folder]


def absence(uri: str) -> str | None:
    """Why there is no file of that name: the note of the filings that say so; None where there is one.

    A link, a folder or a pipe is no file; nor is what is found through a link that took a folder's place.
    """
    path = Path(uri)
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return DELETED
    here = stat.S_ISREG(mode) and os.path.realpath(path.parent) == str(path.parent)
    return None if here else NO_FILE


def absent(uri: str) -> bool:
    """Whether there is surely no file of that name."""
    try:
        return absence(uri) is not None
    except OSError:
        return False


def left_out(uri: str, left: Collection[str]) -> bool:
    """Whether a file or one of its folders is among those that were left out."""
    return uri in left or any(each.as_posix() in left for each in Path(uri).parents)
