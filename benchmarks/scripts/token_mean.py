"""Compute the token mean that `quoth.inference.minilm` ships, from LoCoMo's development conversations.

    python benchmarks/scripts/token_mean.py LOCOMO_DEV_JSON [OUT]

The mean, per dimension, of the unit vectors of the content wordpieces of every third turn. A passage's
token bits say on which side of it each number lies. Writes 384 numbers and no text, and prints the
sha256 that belongs into `minilm.MEAN_SHA256`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from quoth.inference import minilm

DATA = Path(minilm.__file__).parent / "data"


def turns(path: Path) -> list[str]:
    """The text of every turn, in order."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    return [
        turn["text"]
        for conversation in conversations
        for session in conversation["sessions"]
        for turn in session["turns"]
    ]


def main() -> None:
    """Write the file and say its sha256."""
    source = Path(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else DATA / "token-mean.json"
    texts = turns(source)[::3]
    embedder = minilm.MiniLM()
    total = np.zeros(minilm.DIMENSIONS, np.float64)
    count = 0
    # A query's token vectors are the floats; its stop words have the piece 0.
    for made in embedder.embed(texts, "query"):
        assert made.tokens is not None
        assert made.pieces is not None
        content = made.tokens[made.pieces > 0]
        total += content.sum(axis=0, dtype=np.float64)
        count += len(content)
    mean = [round(float(each), 6) for each in total / count]
    told = {
        "model_sha256": minilm.MODEL_SHA256,
        "from": "content wordpieces of every third LoCoMo development turn",
        "turns": len(texts),
        "tokens": count,
        "mean": mean,
    }
    out.write_text(json.dumps(told, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{out}: sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}\n")


if __name__ == "__main__":
    main()
