"""The table: ours, the peer's, the aim, and whether it holds. Medians; ours and the peer's alternate."""

import json
import os
import statistics
import subprocess
import sys
import traceback

import compared
import process

HERE = os.path.dirname(os.path.abspath(__file__))
NOISE = 0.02  # an aim holds, if it is missed by no more than this share
WARM = 4  # steps of a process that don't count, unless there are few


class Missing(Exception):
    """Why there is no figure."""


def counted(seconds):
    return seconds[min(WARM, len(seconds) // 2):]


def ours(there, plan, seconds, *more):
    """Of the steps that count, what --metrics says; and the trace, if there is one."""
    metrics = os.path.join(there.work, "bench.metrics.json")
    done = process.run(compared.command_of(there, plan, "--metrics", metrics, *more), seconds, there.environment)
    if done.status != 0:
        raise Missing(done.why())
    with open(metrics) as file:
        return json.load(file)


def traced(there, plan, seconds, category, *more):
    """For each step that counts, the time in which some instruction of the category ran on the GPU."""
    trace = os.path.join(there.work, "bench.trace.json")
    ours(there, plan, seconds, "--trace", trace, *more)
    with open(trace) as file:
        events = [each for each in json.load(file)["traceEvents"] if each.get("cat") == category]
    steps, seen = {}, {}
    for each in sorted(events, key=lambda event: event["ts"]):
        key = each["tid"], each["args"]["instruction"]
        step = seen[key] = seen.get(key, -1) + 1
        steps.setdefault(step, []).append((each["ts"], each["ts"] + each["dur"]))
    found = []
    for spans in steps.values():
        total, end = 0.0, float("-inf")
        for start, stop in sorted(spans):
            total += max(0.0, stop - max(start, end))
            end = max(end, stop)
        found.append(total / 1e6)
    if not found:
        raise Missing(f"the trace has no {category}")
    return found[min(1, len(found) - 1):]


def milliseconds(seconds):
    return f"{1e3 * seconds:.3f} ms"


class Bench:
    def __init__(self, there, until):
        self.there, self.until, self.report = there, until, there.report

    def ask(self, task, seconds=90):
        if not self.there.peers:
            raise Missing(self.there.no_peers)
        reply = self.there.peers.ask(task, min(seconds, max(1, self.until())))
        if "error" in reply:
            raise Missing(reply["error"])
        return counted(reply["seconds"])

    def row(self, what, our, peer, aim, better, wanted):
        """our and peer: a figure and its text, or why there is none. better(our, peer) is to be `wanted` at least."""
        known = not isinstance(our, Missing) and not isinstance(peer, Missing)
        ratio = better(our[0], peer[0]) if known else None
        if ratio is not None and not self.report.emulated:
            what += f" ({ratio:.2f})"
        holds = None if ratio is None or wanted is None or self.report.emulated else ratio >= wanted * (1 - NOISE)
        text = ["not run" if isinstance(each, Missing) else each[1] for each in (our, peer)]
        why = "; ".join(str(each) for each in (our, peer) if isinstance(each, Missing))
        self.report.row(what, *text, aim, holds, why=why, ratio=ratio)
        if why:
            self.report.line(f"{'':10} {why}")

    def step(self, plan):
        about = plan["about"]
        rounds = {"ours": []}
        tasks = self.there.tasks(plan)
        for _ in range(1 if about["tiny"] else 2):
            try:
                rounds["ours"] += counted([step["seconds"] for step in
                                           ours(self.there, plan, min(90, self.until()))["steps"]])
            except Missing as error:
                rounds["ours"] = rounds["ours"] or error
            for name, task in tasks.items():
                if isinstance(rounds.get(name), Missing):
                    continue  # it would take as long again
                try:
                    rounds[name] = rounds.get(name, []) + self.ask(task)
                except Missing as error:
                    rounds[name] = error
        def figure(name):
            if isinstance(rounds[name], Missing):
                return rounds[name]
            median = statistics.median(rounds[name])
            return median, milliseconds(median)
        for name in tasks:
            wanted = None if name.startswith("TF32") else 1
            self.row(f"{plan['name']}, training step, {name}", figure("ours"), figure(name),
                     "1 or more" if wanted else "for comparison", lambda a, b: b / a, wanted)

    def fetch(self, plan):
        size = plan["about"]["bytes"]
        def rate(seconds):
            median = size / statistics.median(seconds)
            return median, f"{median / 1e9:.1f} GB/s"
        try:
            our = rate(traced(self.there, plan, min(60, self.until()), "fetch"))
        except Missing as error:
            our = error
        done = process.run([sys.executable, os.path.join(HERE, "copies.py"), str(size), str(plan["steps"])],
                           min(60, self.until()), self.there.environment)
        peer = rate(json.loads(done.text.splitlines()[-1])) if done.status == 0 else Missing(done.why())
        self.row(f"{plan['name']}, bytes written, copies", our, peer, "0.9 or more", lambda a, b: a / b, 0.9)

    def aggregate(self, plan):
        about = plan["about"]
        what = f"{plan['name']}, {about['nodes']} nodes, {about['edges']} edges, cuSPARSE"
        try:
            graph = self.there.graph(about, min(90, self.until()))
            our = statistics.median(traced(self.there, plan, min(90, self.until()), "compute", "--graph", graph))
            our = our, milliseconds(our)
        except Missing as error:
            graph, our = None, error
        try:
            if not graph:
                raise Missing("there is no graph")
            peer = statistics.median(self.ask({"do": "aggregate", "graph": graph, "width": about["width"],
                                               "steps": plan["steps"] + WARM}))
            peer = peer, milliseconds(peer)
        except Missing as error:
            peer = error
        self.row(what, our, peer, "1 or more", lambda a, b: b / a, 1)

    def overhead(self, plan):
        """A step of tiny instructions takes no less than the host needs for them: an upper bound."""
        for name, options in ("one by one", ["--no-cuda-graphs"]), ("one graph", []):
            what = f"seconds per instruction, {plan['instructions']} tiny ones, {name}"
            try:
                steps = ours(self.there, plan, min(60, self.until()), *options)["steps"]
                each = statistics.median(counted([step["seconds"] for step in steps])) / plan["instructions"]
                holds = None if self.report.emulated else each < 5e-6
                self.report.row(what, f"{1e6 * each:.2f} us", "-", "below 5 us", holds)
            except Missing as error:
                self.report.row(what, "not run", "-", "below 5 us", None, why=str(error))
                self.report.line(f"{'':10} {error}")


def await_peers(there, until):
    """Nothing is measured while PyTorch still compiles."""
    if not there.peers:
        there.report.add("bench", "PyTorch", "not run", there.no_peers)
        return
    answers = there.peers.wait(max(1, min(150, until() - 60)))
    errors = [answer["error"] for answer in answers if "error" in answer]
    versions = answers[0] if answers and "torch" in answers[0] else {}
    there.report.data["machine"]["peers"] = versions
    there.report.add("bench", "PyTorch", "not run" if errors else "ok", "; ".join(errors) or json.dumps(versions))


def bench(there, until):
    await_peers(there, until)
    there.report.line(f"{'(in parentheses: how many times as good as the peer)':78} {'ours':>16} {'the peer':>16} "
                      f"{'aim':>14}")
    made = Bench(there, until)
    for plan in there.manifest["plans"]:
        if plan["group"] != "bench":
            continue
        if until() < 2:
            there.report.add("bench", plan["name"], "not run", "no time was left")
            continue
        try:
            getattr(made, plan["about"]["row"])(plan)
        except Exception:  # of one row alone
            there.report.add("bench", plan["name"], "fails", traceback.format_exc(limit=3).strip()[-800:])
