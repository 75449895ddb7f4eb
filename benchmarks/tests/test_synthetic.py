"""The generator gives the same store to everybody."""

from __future__ import annotations

import hashlib
from itertools import chain

from bench import synthetic


def words(conversations):
    return "\n".join(text.text for text in chain.from_iterable(conversations.texts()))


def test_the_same_seed_gives_the_same_words():
    first = words(synthetic.Conversations(2_000, seed=7))
    assert first == words(synthetic.Conversations(2_000, seed=7))
    assert first != words(synthetic.Conversations(2_000, seed=8))


def test_the_words_are_these_on_every_machine():
    digest = hashlib.sha256(words(synthetic.Conversations(1_000)).encode()).hexdigest()
    assert digest[:16] == "0ee7ae5e29bb97b4"


def test_passages_sessions_and_scopes_have_the_sizes_that_are_promised():
    conversations = synthetic.Conversations(3_010)
    texts = list(chain.from_iterable(conversations.texts()))
    assert len(texts) == 3_010
    assert 120 < sum(len(text.text) for text in texts) / len(texts) < 140
    assert len({text.uri for text in texts}) == 3_010
    assert len({text.session for text in texts}) == -(-3_010 // synthetic.SESSION)
    assert synthetic.Conversations(3_010, scope="bench:one").passages == 30


def test_a_question_takes_words_of_the_passage_that_it_names():
    conversations = synthetic.Conversations(500, scope="bench:ten")
    texts = {text.uri: text for text in chain.from_iterable(conversations.texts())}
    for asked in conversations.questions(20):
        content = asked.text.rstrip("?").split(" about " if " about " in asked.text else " told me of ")[1]
        assert set(content.split()) <= set(texts[asked.uri].text.lower().strip(".?!").split())
