"""Loaders on small made-up files; nothing of the real ones is in the repository."""

from __future__ import annotations

import json

import pytest

from bench import datasets


def turn(place, speaker, text, caption=None):
    return {"dia_id": place, "speaker": speaker, "text": text} | (
        {"blip_caption": caption} if caption else {}
    )


TALK = {
    "sample_id": "conv-x",
    "speaker_a": "Ada",
    "speaker_b": "Bo",
    "sessions": [
        {
            "session": "session_1",
            "date_time": "1:56 pm on 8 May, 2023",
            "turns": [turn("D1:1", "Ada", "I bought a kite."), turn("D1:2", "Bo", "Look!", "a red kite")],
        },
        {
            "session": "session_2",
            "date_time": "9:05 am on 2 June, 2023",
            "turns": [turn("D2:1", "Bo", "My kite tore.")],
        },
    ],
    "observation": {
        "session_1_observation": {
            "Ada": [["Ada bought a kite.", "D1:1"]],
            "Bo": [["A kite is red.", "D1:2"]],
        },
        "session_2_observation": {"Bo": [["Bo tore a kite.", ["D2:1", "D1:2"]]]},
    },
    "qa": [
        {"question": "What did Ada buy?", "category": 4, "evidence": ["D1:1", "D1:1"]},
        {"question": "Why?", "category": 3, "evidence": []},
        {"question": "What did Ada tear?", "category": 5, "evidence": ["D2:1"]},
        {"question": "Which kites?", "category": 1, "evidence": ["D1:2", "D9:9"]},
    ],
}


def entry(name, *days):
    return {
        "question_id": name,
        "question": f"question {name}?",
        "evidence": [
            {"date": day, "turns": [{"role": "user", "content": f"proof {name} {day}"}]} for day in days
        ],
    }


def hay(name, sessions):
    return {
        "haystack": name,
        "dates": ["2023/04/10 (Mon) 14:47"] * sessions,
        "session_ids": ["answer_1", *(f"s{n}" for n in range(1, sessions))],
        "sessions": [
            [{"role": role, "content": f"{name} {n} {role}"} for role in ("user", "assistant")]
            for n in range(sessions)
        ],
    }


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.delenv("QUOTH_BENCH_DATA", raising=False)
    (tmp_path / "locomo-dev.json").write_text(json.dumps([TALK]))
    entries = [
        entry("q1", "2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 11:30"),
        entry("q2_abs", "2023/05/03 (Wed) 08:00"),
    ]
    (tmp_path / "longmemeval-evidence-dev.json").write_text(json.dumps(entries))
    (tmp_path / "longmemeval-haystacks-dev.json").write_text(json.dumps([hay("h", 4), hay("k", 5)]))
    return tmp_path


def cases(data, name):
    return list(datasets.worlds(data)[name].cases())


def test_locomo_is_turns_with_captions_dates_and_speakers(data):
    (case,) = cases(data, "locomo")
    assert [text.text for text in case.texts] == [
        "I bought a kite.",
        "Look! [shares a red kite]",
        "My kite tore.",
    ]
    assert [text.speaker for text in case.texts] == ["Ada", "Bo", "Bo"]
    assert case.texts[0].said_at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert [text.session for text in case.texts] == ["conv-x/session_1"] * 2 + ["conv-x/session_2"]


def test_locomo_questions_have_evidence_and_category_5_is_apart(data):
    (case,) = cases(data, "locomo")
    assert [(q.gold, q.category) for q in case.questions] == [
        (("conv-x/D1:1",), "single-hop"),
        (("conv-x/D1:2",), "multi-hop"),
    ]
    (wrong,) = cases(data, "wrong-person")
    assert [q.text for q in wrong.questions] == ["What did Ada tear?"]


def test_facts_answer_by_the_turns_that_they_cite(data):
    (case,) = cases(data, "facts")
    assert [text.speaker for text in case.texts] == ["Ada", "Bo", "Bo"]
    assert [text.kind for text in case.texts] == ["fact"] * 3
    assert case.texts[2].session == "conv-x/session_1"
    assert [q.gold for q in case.questions] == [("conv-x/fact:0",), ("conv-x/fact:1", "conv-x/fact:2")]


def test_pooled_is_one_store_without_the_unanswerable_questions(data):
    (case,) = cases(data, "pooled")
    assert len(case.texts) == 3 + 2 * (4 + 5)
    (question,) = case.questions
    assert len(question.gold) == 2
    assert 0 <= question.fold < datasets.FOLDS


def test_planted_puts_each_proof_into_a_host_of_the_other_haystack(data):
    first, second = cases(data, "planted")
    assert [first.id, second.id] == ["q1/h0", "q1/h1"]
    words = {text.uri: text for text in first.texts}
    golds = [words[uri] for uri in first.questions[0].gold]
    assert sorted(text.text[:8] for text in golds) == ["proof q1", "proof q1"]
    for gold in golds:
        around = {text.text.split()[0] for text in first.texts if text.session == gold.session} - {"proof"}
        assert around == {"k"}
        assert {text.said_at for text in first.texts if text.session == gold.session} == {gold.said_at}
    assert not any(text.text.startswith("h 0 ") for text in first.texts)
    assert first.questions[0].group == second.questions[0].group == "q1"
    assert first == cases(data, "planted")[0]


def test_off_topic_questions_are_asked_of_conversations(data):
    (case,) = cases(data, "off-topic")
    assert [(q.id, q.gold, q.category) for q in case.questions] == [("q1", (), "off-topic")]


def test_a_world_without_its_data_says_how_to_give_it(tmp_path, monkeypatch):
    monkeypatch.delenv("QUOTH_BENCH_DATA", raising=False)
    with pytest.raises(datasets.DataMissing, match="QUOTH_BENCH_DATA"):
        list(datasets.worlds()["locomo"].cases())
    with pytest.raises(datasets.DataMissing, match="is not in the data folder"):
        list(datasets.worlds(tmp_path)["planted"].cases())


def test_the_committed_set_is_sound():
    stores = list(datasets.worlds()["tiny"].cases())
    assert sum(len(case.questions) for case in stores) == 24
    for case in stores:
        uris = {text.uri for text in case.texts}
        assert len(uris) == len(case.texts)
        assert all(set(question.gold) <= uris for question in case.questions)
