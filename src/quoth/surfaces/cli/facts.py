"""Commands about facts: one value for each attribute of an entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quoth.core.types import Fact, FactOutcome, Lift, Rejection
from quoth.surfaces import wire
from quoth.surfaces.cli import review, show
from quoth.surfaces.cli.door import Group, answer, confirm, fail, note, opened
from quoth.surfaces.cli.recall import end

if TYPE_CHECKING:
    from quoth.memory import Facts, Lifted, When


@click.group(cls=Group)
def facts() -> None:
    """Keep one value for each attribute of an entity.

    A value is asserted or, by a person, verified. What was rejected stays away until somebody lifts it.
    """


@facts.command()
@click.argument("entity", required=False)
@click.argument("attribute", required=False)
@click.option("--as-of", callback=end, metavar="TIME", help="What was true then; a day means its end.")
@click.option("--known-at", callback=end, metavar="TIME", help="What this memory knew then.")
def get(entity: str | None, attribute: str | None, as_of: When | None, known_at: When | None) -> None:
    """Print what stands: of ENTITY, of its ATTRIBUTE, or of everything."""
    with opened() as memory:
        found = memory.facts_get(entity, attribute, as_of=as_of, known_at=known_at)
    answer(found, lambda: _facts(found))


def _facts(found: Facts) -> None:
    for each in found.facts:
        show.row(*_fact(each))
    if not found.facts:
        confirm("no value stands")
    for line in found.notes:
        note(line)


def _fact(fact: Fact) -> list[str]:
    return [
        f"{fact.entity} {fact.attribute} = {fact.value}",
        fact.confidence.value,
        f"true {show.period(fact.valid)}",
        *([f"evidence {', '.join(fact.evidence)}"] if fact.evidence else []),
        *([fact.note] if fact.note else []),
        f"by {fact.actor.id}",
    ]


@facts.command("assert")
@click.argument("entity")
@click.argument("attribute")
@click.argument("value")
@click.option("--verified", is_flag=True, help="You have made sure of it.")
@click.option("--from", "valid_from", metavar="TIME", help="Since when it is true; else from now.")
@click.option("--to", "valid_to", metavar="TIME", help="Until when it is true; then no longer.")
@click.option("--evidence", multiple=True, metavar="ID", help="A record that says so; may be repeated.")
@click.option("--note", default="", metavar="TEXT", help="What else there is to say.")
def assert_(
    entity: str,
    attribute: str,
    value: str,
    verified: bool,
    valid_from: str | None,
    valid_to: str | None,
    evidence: tuple[str, ...],
    note: str,
) -> int:
    """Say that VALUE is the ATTRIBUTE of ENTITY.

    A rejected value is held for review, as is one that speaks against a verified value; the exit code is
    then 7.
    """
    with opened(create=True) as memory:
        outcome = memory.facts_assert(
            entity,
            attribute,
            value,
            verified=verified,
            valid_from=valid_from,
            valid_to=valid_to,
            evidence=evidence,
            note=note,
        )
    answer(outcome, lambda: _outcome(outcome))
    return wire.fact_code(outcome)


def _outcome(outcome: FactOutcome) -> None:
    why = f": {outcome.why}" if outcome.why else ""
    line = f"{outcome.outcome.value}{why}"
    if wire.fact_code(outcome):
        fail(f"{line}; item {outcome.review}")
    else:
        confirm(line)
    if outcome.fact is not None:
        confirm(f"  stands: {', '.join(_fact(outcome.fact))}")
    if outcome.replaced is not None:
        confirm(f"  before: {', '.join(_fact(outcome.replaced))}")
    if outcome.question:
        confirm(f"  {outcome.question}")
    if outcome.review:
        confirm(f"  quoth review accept|reject {outcome.review} --because WHY")


@facts.command()
@click.argument("entity")
@click.argument("attribute")
@click.argument("value")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the rejection.")
def reject(entity: str, attribute: str, value: str, because: str) -> None:
    """Say that VALUE is not the ATTRIBUTE of ENTITY.

    Whoever asserts it again is held, until `quoth facts lift`.
    """
    with opened(create=True) as memory:
        found = memory.facts_reject(entity, attribute, value, because=because)
    answer(found, lambda: confirm(f"rejected {found.id}"))


@facts.command()
@click.argument("entity")
@click.argument("attribute")
@click.argument("value")
@click.option("--because", required=True, metavar="WHY", help="Why; it is kept with the lift.")
@click.option("--assert", "again", is_flag=True, help="Assert the value in the same step.")
def lift(entity: str, attribute: str, value: str, because: str, again: bool) -> int:
    """End the rejection of VALUE.

    By at least the authority of whoever rejected it. The value does not stand until it is asserted.
    """
    with opened() as memory:
        found = memory.facts_lift(entity, attribute, value, because=because, again=again)
    answer(found, lambda: _lifted(found))
    return wire.fact_code(found.asserted)


def _lifted(found: Lifted) -> None:
    for each in found.lifts:
        confirm(f"lifted {each.rejection}")
    if found.asserted is not None:
        _outcome(found.asserted)


@facts.command()
@click.argument("entity")
@click.argument("attribute")
def history(entity: str, attribute: str) -> None:
    """List everything that was ever said of the ATTRIBUTE of ENTITY."""
    with opened() as memory:
        found = memory.facts_history(entity, attribute)
    answer({"events": [_form(each) for each in found]}, lambda: _events(found))


def _form(event: Fact | Rejection | Lift) -> dict[str, wire.Json]:
    form = wire.form(event)
    if not isinstance(form, dict):
        raise AssertionError("an event is an object")
    return {"event": _VERBS[type(event)], **form}


_VERBS = {Fact: "assert", Rejection: "reject", Lift: "lift"}


def _events(found: tuple[Fact | Rejection | Lift, ...]) -> None:
    for each in found:
        match each:
            case Fact():
                show.row(show.moment(each.at), "asserted", *_fact(each))
            case Rejection():
                said = f"by {each.actor.id}: {each.reason}"
                show.row(show.moment(each.at), f"rejected {each.value}", said, each.id)
            case Lift():
                said = f"by {each.actor.id}: {each.reason}"
                show.row(show.moment(each.at), f"lifted {each.rejection}", said)
    if not found:
        confirm("nothing was ever said of it")


@facts.command()
def contradictions() -> None:
    """List assertions that wait for a person."""
    with opened() as memory:
        found = memory.facts_contradictions()
    answer({"items": found}, lambda: review.listing(found))


COMMANDS = (facts,)
