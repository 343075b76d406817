"""A simulation against a run of the same plan: SCHEMAS PLAN PREDICTED PREDICTED_TRACE METRICS RUN_TRACE."""

import json
import pathlib
import sys

import jsonschema

schemas, plan, *files = map(pathlib.Path, sys.argv[1:])
predicted, predicted_trace, metrics, run_trace = (json.loads(file.read_text()) for file in files)


def check(schema, document):
    validator = jsonschema.Draft202012Validator(json.loads((schemas / "schema" / schema).read_text()))
    validator.check_schema(validator.schema)
    validator.validate(document)


def times(trace, instruction_of):
    """(start, end, name, kind) by worker and instruction; events of a run's worker come in order."""
    found, done = {}, {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            worker = event["pid"] if trace is predicted_trace else event["tid"]
            number = done[worker] = done.get(worker, -1) + 1
            found[worker, instruction_of(event, number)] = (event["ts"], event["ts"] + event["dur"], event["name"], event["cat"])
    return found


check("simulation.schema.json", predicted)
for machine in (schemas / "machines").glob("*.json"):
    check("machine.schema.json", json.loads(machine.read_text()))

summary = json.loads((plan / "plan.json").read_text())
assert predicted["communication_bytes"] == summary["totals"]["communication_bytes"] == metrics["communication_bytes"]
assert [gpu["peak_bytes"] for gpu in predicted["gpus"]] == summary["totals"]["peak_bytes"] == metrics["peak_bytes"]
assert sum(gpu["received_bytes"] for gpu in predicted["gpus"]) == predicted["communication_bytes"]
for gpu in predicted["gpus"]:
    parts = gpu["compute_seconds"] + gpu["exposed_seconds"]
    assert abs(parts - predicted["step_seconds"]) < 1e-9, gpu

simulated = times(predicted_trace, lambda event, number: event["args"]["instruction"])
# A run traces every instruction, one that has nothing to do as well.
ran = times(run_trace, lambda event, number: number)
assert len(simulated) > 10
for key, (_, _, name, category) in simulated.items():
    assert ran[key][2:] == (name, category), key
slack = 1e-3  # microseconds: sums of start and duration are rounded
waits = 0
for worker in range(summary["gpus"]):
    last = {}  # by queue
    for number, instruction in enumerate(json.loads((plan / f"gpu{worker}.json").read_text())["instructions"]):
        before = [(other, at) for other, at in instruction.get("waits", [])]
        queue = ran[worker, number][3] == "compute"
        if queue in last:
            before.append(last[queue])
        for trace in (simulated, ran):
            for other in before:
                if (worker, number) in trace and other in trace:
                    waits += trace is simulated
                    assert trace[other][1] <= trace[worker, number][0] + slack, (other, worker, number)
        if (worker, number) in simulated:
            last[queue] = (worker, number)
print(f"{len(simulated)} events, {waits} pairs in the same order")
