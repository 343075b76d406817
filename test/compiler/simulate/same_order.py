"""A simulation against a run of the same plan: COMPILER PLAN WORKERS PREDICTED PREDICTED_TRACE METRICS RUN_TRACE."""

import json
import pathlib
import sys

import jsonschema

compiler, plan, *files = map(pathlib.Path, sys.argv[1:])
workers, predicted, predicted_trace, metrics, run_trace = (json.loads(file.read_text()) for file in files)
SLACK = 1e-3  # microseconds: sums of start and duration are rounded


def check(schema, document):
    validator = jsonschema.Draft202012Validator(json.loads((compiler / schema).read_text()))
    validator.check_schema(validator.schema)
    validator.validate(document)


class Events:
    """What happened when: (start, end, node, kind) by worker and instruction."""

    def __init__(self, trace, worker):
        """`worker`: the key of an event that has its worker."""
        self.of = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                key = event[worker], event["args"]["instruction"]
                assert key not in self.of, f"{key} happens twice"
                self.of[key] = (event["ts"], event["ts"] + event["dur"], event["name"], event["cat"])

    def queue(self, worker, computes, only):
        """The instructions of a worker's queue as they started, those of `only`."""
        found = [(start, number) for (w, number), (start, _, _, kind) in self.of.items()
                 if w == worker and (kind == "compute") == computes and (w, number) in only]
        return [number for _, number in sorted(found)]


check("simulate/schema/simulation.schema.json", predicted)
for machine in (compiler / "machine" / "presets").glob("*.json"):
    check("machine/schema/machine.schema.json", json.loads(machine.read_text()))

totals = json.loads((plan / "plan.json").read_text())["totals"]
gpus = predicted["gpus"]
assert predicted["communication_bytes"] == totals["communication_bytes"] == metrics["communication_bytes"]
assert [gpu["peak_bytes"] for gpu in gpus] == totals["peak_bytes"] == metrics["peak_bytes"]
assert [gpu["received_bytes"] for gpu in gpus] == metrics["received_bytes"]
assert sum(metrics["received_bytes"]) == predicted["communication_bytes"]
for gpu in gpus:
    assert abs(gpu["compute_seconds"] + gpu["exposed_seconds"] - predicted["step_seconds"]) < 1e-9, gpu

simulated, ran = Events(predicted_trace, "pid"), Events(run_trace, "tid")
assert len(simulated.of) > 10
for key, (_, _, node, kind) in simulated.of.items():
    assert ran.of[key][2:] == (node, kind), key

# Each queue does the same in the same order.
for worker in range(len(gpus)):
    for computes in (True, False):
        order = simulated.queue(worker, computes, simulated.of)
        assert order == ran.queue(worker, computes, simulated.of) == sorted(order), (worker, computes)

# And between queues, what is waited for has ended.
waits = 0
for worker in range(len(gpus)):
    for number, instruction in enumerate(workers[worker]["instructions"]):
        for other in map(tuple, instruction.get("waits", [])):
            for trace in (simulated, ran):
                if (worker, number) in trace.of and other in trace.of:
                    waits += trace is simulated
                    assert trace.of[other][1] <= trace.of[worker, number][0] + SLACK, (other, worker, number)
print(f"{len(simulated.of)} events, {waits} waits kept")
