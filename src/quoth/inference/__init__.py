"""Turns text into vectors: the embedders, each behind the `Embedder` port."""
