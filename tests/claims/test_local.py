"""The README's promises about what takes part, and what does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

REFUSE_THE_NETWORK = """
import runpy, sys
def guard(event, args):
    if event == "socket.__new__" and args[1] in (2, 10):  # AF_INET, AF_INET6
        raise PermissionError("a network socket was opened")
sys.addaudithook(guard)
sys.argv[:] = ["quoth", "demo"]
runpy.run_module("quoth", run_name="__main__", alter_sys=True)
"""


def _without_a_network() -> list[str]:
    """A command that cuts the network for what follows it; empty where that is not allowed."""
    cut = ["unshare", "--net", "--map-root-user"]
    allowed = (
        shutil.which("unshare")
        and not subprocess.run([*cut, "true"], capture_output=True, check=False).returncode
    )
    return cut if allowed else []


def test_no_network(tmp_path: Path) -> None:
    """Remembering and recalling need no language model, no key and no network."""
    done = subprocess.run(
        [*_without_a_network(), sys.executable, "-c", REFUSE_THE_NETWORK],
        env={"HOME": str(tmp_path), "PATH": os.defpath}
        | {k: v for k, v in os.environ.items() if k == "PYTHONPATH"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    assert "Six attempts, at 1 s, 5 s, 30 s, 2 min, 10 min and 1 h" in done.stdout
    assert "the accountant's spreadsheet reads it by position" in done.stdout
    assert "I don't know" in done.stdout


def test_import_opens_nothing(tmp_path: Path) -> None:
    """Importing `quoth` reads no setting, opens no file but code, and no socket."""
    watch = """
import sys
import os, importlib.machinery
opened = []
def hook(event, args):
    if event == "open" and not str(args[0]).endswith((".py", ".pyc", ".so")):
        opened.append(args[0])
    if event.startswith(("socket.", "sqlite3.", "subprocess.", "os.mkdir", "os.putenv")):
        opened.append(event)
sys.addaudithook(hook)
import quoth
print([each for each in opened if not isinstance(each, int) and not os.path.isdir(str(each))])
heavy = ("apsw", "click", "mcp", "numpy", "onnxruntime", "socket")
print(sorted(name for name in heavy if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", watch],
        env=os.environ
        | {"HOME": str(tmp_path / "absent"), "QUOTH_NO_SUCH_SETTING": "1", "QUOTH_STORE": "\t"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert "[]\n[]\n" == done.stdout
    assert not (tmp_path / "absent").exists()
