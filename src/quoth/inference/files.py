"""Model files: found without importing the package that brings them, and checked before use."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from quoth.core.errors import InferenceUnavailable


def in_package(package: str, file: str, *, remedy: str) -> Path:
    """Where an installed package keeps a data file; none of the package's code runs.

    Asking the finder takes 0.2 ms; `importlib.metadata` would cost a fresh process 35 ms of imports.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InferenceUnavailable(f"the package {package!r} is not installed: {remedy}")
    return Path(next(iter(spec.submodule_search_locations))) / file


def checked(path: Path, sha256: str, *, remedy: str) -> bytes:
    """The bytes of a file, once they have the expected sha256; else `InferenceUnavailable`.

    The caller loads these bytes and not the path, so that what was checked is what runs.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InferenceUnavailable(
            f"model file {str(path)!r} cannot be read ({error.strerror}): {remedy}"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise InferenceUnavailable(
            f"model file {str(path)!r} was altered: expected sha256 {sha256}, found {found}: {remedy}"
        )
    return data
