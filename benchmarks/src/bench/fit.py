"""Learns the product's numbers on the development split, and says how they do on what they did not see.

The evidence of every candidate comes through the public door (`recall` with a large k). Weights are fitted
five times, each time without one LoCoMo conversation and one fifth of the LongMemEval questions (all planted
copies of a question together), and measured on what was left out; the weights to ship are fitted on all.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from bench import learn, metrics, product, report, stats
from bench.cached import folder
from bench.datasets import FOLDS, DataMissing, worlds
from bench.learn import Asked
from bench.run import Say, answers
from bench.systems import OFF, SYSTEMS, System

CANDIDATES = 200
FITTED = tuple(learn.WORLD_WEIGHTS)
NOTHING = ("off-topic", "off-topic-facts", "missing")
"""Questions without an answer in their store."""
ALSO = ("wrong-person", *NOTHING, "absent")
OF = {"minilm": "quoth", "static": "quoth-static", "none": "quoth-words"}
WITHOUT = {"minilm": (), "static": ("maxsim",), "none": ("maxsim", "cosine")}


def whose(answer: product.Answer, people: Collection[str]) -> list[dict[str, float]]:
    """Who speaks in each candidate and of whom, where the question names one person."""
    if len(answer.names) != 1:
        return [{}] * len(answer.passages)
    name = answer.names[0]
    others = [each for each in people if each != name]
    found = []
    for each in answer.passages:
        mine = each.speaker == name
        first, second = each.evidence["first_person"] > 0, each.evidence["second_person"] > 0
        own = first or not second
        names = _names(each.text, [name])
        names_other = _names(each.text, others)
        about = own if mine else second or names
        about_other = second or names_other if mine else own
        found.append({"asked": float(mine), "about": float(about), "about_other": float(about_other)})
    return found


def _names(text: str, people: Collection[str]) -> bool:
    return any(re.search(rf"\b{re.escape(each)}\b", text, re.IGNORECASE) for each in people if each)


def collect(data: Path | None, under: System, split: str, say: Say) -> list[Asked]:
    """Every question of every world with the evidence of its candidates."""
    model = product.embedder(under)
    rows = []
    for name in (*FITTED, *ALSO):
        world = worlds(data, split=split)[name]
        try:
            before = len(rows)
            for case, question, answer in answers(world, under, model, CANDIDATES):
                of = {text.uri: text.session for text in case.texts}
                found = answer.passages
                people = {text.speaker for text in case.texts}
                known = whose(answer, people)
                matrix = [
                    [each.evidence.get(c, more.get(c, 0.0)) for c in learn.COLUMNS]
                    for each, more in zip(found, known, strict=True)
                ]
                rows.append(
                    Asked(
                        world=name,
                        question=question.id,
                        category=question.category,
                        group=question.group or question.id,
                        fold=question.fold,
                        evidence=np.array(matrix, np.float32).reshape(-1, len(learn.COLUMNS)),
                        uris=tuple(each.uris for each in found),
                        sessions=tuple(frozenset(of[u] for u in each.uris if u in of) for each in found),
                        gold=question.gold,
                        gold_sessions=tuple(dict.fromkeys(of[uri] for uri in question.gold)),
                        one_name=len(answer.names) == 1,
                        ms=answer.ms,
                    )
                )
            say(f"{name}: evidence of {len(rows) - before} questions")
        except DataMissing as missing:
            say(str(missing))
    return rows


def kept(data: Path | None, under: System, split: str, again: bool, say: Say) -> list[Asked]:
    """The evidence, from the cache where this code of the product was asked before."""
    source = Path(product.quoth.__file__).parent
    state = hashlib.sha256(f"{under.embedder}{under.settings}{split}{learn.COLUMNS}{FITTED}{ALSO}".encode())
    for file in sorted(source.rglob("*.py")):
        state.update(file.read_bytes())
    for name, digest in report.digests(worlds(data, split=split).values(), split).items():
        state.update(f"{name}{digest['sha256']}".encode())
    path = folder() / f"evidence-{under.embedder}-{state.hexdigest()[:12]}.pickle"
    if path.exists() and not again:
        say(f"evidence from {path.name}")
        return pickle.loads(path.read_bytes())
    rows = collect(data, under, split, say)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(rows))
    return rows


def ranks(asked: Asked, scores: learn.Array, both: bool) -> report.Row:
    """One question as the fused order answers it."""
    order = np.lexsort((np.arange(len(scores)), -scores))
    turns = metrics.distinct([asked.uris[i] for i in order])
    sessions: tuple[int | None, ...] = ()
    if both:
        named = metrics.distinct([asked.sessions[i] for i in order])
        sessions = tuple(metrics.gold_ranks(named, asked.gold_sessions))
    return report.Row(
        world=asked.world,
        question=asked.question,
        category=asked.category,
        group=asked.group,
        turn=tuple(metrics.gold_ranks(turns, asked.gold)),
        session=sessions,
        ms=asked.ms,
    )


def left_out(
    rows: Sequence[Asked], without: Collection[str], levels: Mapping[str, tuple[str, ...]]
) -> tuple[list[report.Row], list[dict[str, float]]]:
    """Every question by the weights that did not see it, and those weights."""
    mine = [row for row in rows if row.world in FITTED]
    judged, learned = [], []
    for fold in range(FOLDS):
        weights = learn.fusion([row for row in mine if row.fold != fold], without)
        learned.append(weights)
        judged += [
            ranks(row, learn.score(row, weights), "session" in levels[row.world])
            for row in mine
            if row.fold == fold
        ]
    return judged, learned


def _refusal(
    right: Sequence[tuple[int, float]], wrong: Sequence[tuple[int, float]], floors: Sequence[float]
) -> dict[str, object]:
    """AUC, and what the floors of the other folds keep and refuse."""
    stays = sum(score >= floors[fold] for fold, score in right)
    goes = sum(score < floors[fold] for fold, score in wrong)
    finite = [s for _, s in (*right, *wrong) if np.isfinite(s)]
    high = max(finite) + 1
    return {
        "auc": round(metrics.auc([min(s, high) for _, s in right], [min(s, high) for _, s in wrong]), 4),
        "kept": stats.wilson(stays, len(right)).rounded(),
        "refused": stats.wilson(goes, len(wrong)).rounded(),
    }


def guard(
    rows: Sequence[Asked], learned: Sequence[Mapping[str, float]], final: Mapping[str, float]
) -> tuple[dict[str, object], dict[str, float]]:
    """The wrong-person guard: how it does on conversations that it did not see, and the one to ship."""
    mine = [row for row in rows if row.world in ("locomo", "wrong-person")]

    def table(weights: Mapping[str, float], some: Sequence[Asked]) -> list[tuple[Asked, learn.Array | None]]:
        return [(row, learn.margins(row, weights)) for row in some]

    def fitted(pairs: Sequence[tuple[Asked, learn.Array | None]]) -> tuple[learn.Array, float]:
        named = [(row, found) for row, found in pairs if found is not None]
        target = np.array([row.world == "locomo" for row, _ in named], float)
        return learn.logistic(np.stack([found for _, found in named]), target)

    def logits(pairs: Sequence[tuple[Asked, learn.Array | None]], w: learn.Array, b: float) -> list[float]:
        return [np.inf if found is None else float(found @ w + b) for _, found in pairs]

    right, wrong, floors = [], [], []
    only_right, only_wrong = [], []
    for fold in range(FOLDS):
        seen = table(learned[fold], [row for row in mine if row.fold != fold])
        w, b = fitted(seen)
        scores = [s for (row, _), s in zip(seen, logits(seen, w, b), strict=True) if row.world == "locomo"]
        floors.append(learn.threshold(scores))
        new = table(learned[fold], [row for row in mine if row.fold == fold])
        for (row, found), value in zip(new, logits(new, w, b), strict=True):
            # Who names nobody, or two people, is never refused; for the AUC that counts as the bias.
            shown = b if found is None else value
            (right if row.world == "locomo" else wrong).append((fold, value, shown))
            if found is not None:
                (only_right if row.world == "locomo" else only_wrong).append(value)
    outcome = _refusal([(f, v) for f, v, _ in right], [(f, v) for f, v, _ in wrong], floors)
    outcome["auc"] = round(metrics.auc([s for _, _, s in right], [s for _, _, s in wrong]), 4)
    outcome["auc_one_name"] = round(metrics.auc(only_right, only_wrong), 4)
    outcome["one_name"] = {"answerable": len(only_right), "wrong_person": len(only_wrong)}
    every = table(final, mine)
    w, b = fitted(every)
    scores = [s for (row, _), s in zip(every, logits(every, w, b), strict=True) if row.world == "locomo"]
    ship = dict(zip(learn.MARGINS, map(float, w), strict=True))
    return outcome, {**ship, "bias": b, "floor": learn.threshold(scores)}


def floor(
    rows: Sequence[Asked], learned: Sequence[Mapping[str, float]], final: Mapping[str, float]
) -> tuple[dict[str, object], dict[str, float]]:
    """The floor under which nothing is answered: on what it did not see first, then the one to ship.

    Each world counts the same, and the floor keeps 95 % of the answerable questions of every world.
    """
    mine = [row for row in rows if row.world in (*FITTED, *NOTHING)]
    names = np.array([row.world for row in mine])
    folds = np.array([row.fold for row in mine])
    target = np.isin(names, FITTED).astype(float)
    counts = {name: (names == name).sum() for name in set(names)}
    sides = {True: sum(w in FITTED for w in counts), False: sum(w not in FITTED for w in counts)}
    share = np.array([1 / (counts[name] * sides[name in FITTED]) for name in names])
    values = np.zeros(len(mine))
    answered = np.zeros(len(mine), bool)
    for fold in range(FOLDS):
        evidence = np.stack([learn.support(row, learned[fold]) for row in mine])
        seen = folds != fold
        w, b = learn.logistic(evidence[seen], target[seen], share[seen])
        found = evidence @ w + b
        limit = min(learn.threshold(found[seen & (names == world)]) for world in FITTED if world in counts)
        values[~seen] = found[~seen]
        answered[~seen] = found[~seen] >= limit
    outcome: dict[str, object] = {"kept": {}, "refused": {}, "auc": {}}
    for name in dict.fromkeys(row.world for row in mine):
        mask = names == name
        if name in FITTED:
            outcome["kept"][name] = stats.wilson(int(answered[mask].sum()), int(mask.sum())).rounded()
        else:
            outcome["refused"][name] = stats.wilson(int((~answered)[mask].sum()), int(mask.sum())).rounded()
    for good, bad in (("locomo", "off-topic"), ("facts", "off-topic-facts"), ("planted", "missing")):
        if good in counts and bad in counts:
            value = metrics.auc(values[names == good], values[names == bad])
            outcome["auc"][f"{good} against {bad}"] = round(value, 4)
    evidence = np.stack([learn.support(row, final) for row in mine])
    w, b = learn.logistic(evidence, target, share)
    found = evidence @ w + b
    limit = min(learn.threshold(found[names == world]) for world in FITTED if world in counts)
    ship = dict(zip(learn.SUPPORT, map(float, w), strict=True))
    return outcome, {**ship, "bias": b, "floor": limit}


def levels_of(rows: Sequence[Asked], final: Mapping[str, float], numbers: Mapping[str, float]) -> list[dict]:
    """How often the first passage is right, by tenths of the support: where levels may begin."""
    weights = np.array([numbers[name] for name in learn.SUPPORT])
    pairs = []
    for row in rows:
        if row.world in FITTED and len(row.uris):
            value = float(learn.support(row, final) @ weights + numbers["bias"])
            best = ranks(row, learn.score(row, final), False).turn
            pairs.append((value, metrics.hit(best, 1), metrics.hit(best, 5)))
    table = np.array(sorted(pairs))
    return [
        {
            "from": round(float(part[0, 0]), 3),
            "to": round(float(part[-1, 0]), 3),
            "n": len(part),
            "first_right": round(float(part[:, 1].mean()), 3),
            "in_five": round(float(part[:, 2].mean()), 3),
        }
        for part in np.array_split(table, 10)
    ]


def run(
    data: Path | None,
    *,
    embedder: str,
    settings: Mapping[str, object],
    split: str,
    ablate: bool,
    again: bool,
    say: Say,
) -> tuple[Path, dict[str, object]]:
    """Fit, measure, write; the folder, and the numbers for `core/policy.py`."""
    every = worlds(data, split=split)
    base = SYSTEMS[OF[embedder]]
    under = System(base.name, base.says, base.embedder, {**base.settings, **settings})
    name = "-".join([f"fit-{embedder}", *(f"{key.rpartition('.')[2]}-{v}" for key, v in settings.items())])
    about = report.manifest(
        {
            "name": name,
            "embedder": embedder,
            "settings": dict(settings),
            "split": split,
            "candidates": CANDIDATES,
        },
        datasets=report.digests((every[world] for world in (*FITTED, *ALSO)), split),
        protocol="leave one conversation out, 5 folds over LongMemEval questions; weights never saw the fold",
    )
    rows = kept(data, under, split, again, say)
    levels = {world: every[world].levels for world in FITTED}
    without = WITHOUT[embedder]
    judged, learned = left_out(rows, without, levels)
    final = learn.fusion([row for row in rows if row.world in FITTED], without)
    guarded, guard_numbers = guard(rows, learned, final)
    floored, floor_numbers = floor(rows, learned, final)
    numbers: dict[str, object] = {
        "weights": {key: round(value, 6) for key, value in final.items()},
        "guard": {key: round(value, 4) for key, value in guard_numbers.items()},
        "floor": {key: round(value, 4) for key, value in floor_numbers.items()},
    }
    spread = {key: round(float(np.std([each[key] for each in learned])), 3) for key in final}
    summary = report.summarise(judged) | {
        "learned": numbers,
        "spread_over_folds": spread,
        "wrong_person": guarded,
        "nothing_here": floored,
        "levels": levels_of(rows, final, floor_numbers),
    }
    for line in (*lines(summary), f"wrong person: {guarded}", f"nothing here: {floored}"):
        say(line)
    written = report.write(name, about, summary, judged)
    if ablate:
        for part, features in OFF.items():
            without_part = (*without, *features)
            other, _ = left_out(rows, without_part, levels)
            say(f"without {part}")
            found = report.summarise(other) | {"difference": report.compare(other, judged)}
            for line in lines(found):
                say("  " + line)
            config = {"name": f"{name}-no-{part}", "embedder": embedder, "split": split, "off": features}
            report.write(f"{name}-no-{part}", {**about, "config": config}, found, other)
    (folder() / f"learned-{name}.json").write_text(json.dumps(numbers, indent=1))
    return written, numbers


def lines(summary: Mapping[str, object]) -> list[str]:
    """R@1 / R@5 / R@10 of each world for a terminal."""
    found = []
    for world in FITTED:
        entry = summary.get(world, {})
        for level in ("turn", "session"):
            if isinstance(entry, dict) and level in entry:
                each = entry[level]
                rates = "/".join(f"{100 * each[m]['value']:.1f}" for m in ("R@1", "R@5", "R@10"))
                more = f"MRR {each['MRR']['value']:.3f} ev@10 {100 * each['evidence@10']['value']:.1f}"
                found.append(f"{world} {level}: {rates} {more} n={each['R@1']['n']}")
    return found
