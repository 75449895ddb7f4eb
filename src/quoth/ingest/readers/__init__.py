"""One file a format: bytes on disk become documents."""
