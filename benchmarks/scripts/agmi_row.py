"""Runs the suite `agmi` against Quoth with both adapters of `tests/integrity/test_agmi.py`; writes the row.

`python benchmarks/scripts/agmi_row.py`, with `PYTHONPATH=benchmarks/src`. No model is asked; a minute.
"""

from __future__ import annotations

from importlib import metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT
from agmi.attacks.memory_specific import ALL_MEMORY_ATTACKS
from agmi.check import LABELS, verdict

from bench import report

TESTS = Path(__file__).resolve().parents[2] / "tests" / "integrity" / "test_agmi.py"


def main() -> None:
    """Run both families and write a result folder."""
    spec = spec_from_file_location("quoth_agmi", TESTS)
    assert spec is not None
    assert spec.loader is not None
    adapters = module_from_spec(spec)
    spec.loader.exec_module(adapters)
    adapter = adapters.QuothAnswers()
    config = {
        "name": "agmi",
        "suite": f"agent-memory-integrity {metadata.version('agent-memory-integrity')}",
        "files": f"{adapters.QuothFiles.name}; what verify reports",
        "answers": adapter.measured_on(),
    }
    about = report.manifest(config) | {"command": "python benchmarks/scripts/agmi_row.py"}
    files = {}
    for attack in AT_REST_ATTACKS_WITH_SNAPSHOT:
        store = adapters.QuothFiles()
        found = attack().run(store)
        files[LABELS[attack.name]] = {"verdict": verdict(found, store).lower(), "detail": found.detail}
    answers = {}
    for attack in ALL_MEMORY_ATTACKS:
        found = attack().run(adapter)
        won = {name: f"{sum(map(bool, each))} of {len(each)}" for name, each in found.channels.items()}
        answers[attack.name] = {
            "verdict": "no verdict" if found.error else "kept out" if found.safe else "surfaced",
            "attacker won": won,
            "detail": found.error or found.detail,
        }
    adapter.close()
    print(report.write("agmi", about, {"files": files, "answers": answers}))


if __name__ == "__main__":
    main()
