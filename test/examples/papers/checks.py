"""What the tests of examples/papers share. They run in the root of the project; importing this makes its modules known."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader

PAPERS = os.path.join(os.getcwd(), "examples/papers")
sys.path.insert(0, PAPERS)
sys.dont_write_bytecode = True


def program(name):
    """A program of examples/papers as a module."""
    loader = SourceFileLoader(name, os.path.join(PAPERS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def equal(what, got, want):
    assert got == want, f"{what}: {got}, not {want}"


def near(what, got, want, within=1e-9):
    """The same of numbers that are worked out in another order; of None, the same."""
    assert got == want or abs(got - want) <= within * max(1, abs(want)), f"{what}: {got}, not {want}"


def run_programs(programs, *options):
    """Runs each of (its words, texts that it is to print) with these options, too; the exit status: 1 if one of them is broken."""
    failed = 0
    for words, wanted in programs:
        command = [sys.executable, os.path.join("examples/papers", words[0]), *words[1:], *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        # 3: a statement differs, as it may.
        missing = [text for text in [*wanted, "What the paper says:"] if text not in done.stdout]
        if done.returncode not in (0, 3) or missing:
            print(f"FAILED {' '.join(words)}: status {done.returncode}, without {missing}\n{done.stdout}\n{done.stderr}")
            failed = 1
        else:
            print(f"ok     {' '.join(words)}", flush=True)
    return failed
