"""Plans run on the GPU, compared with what they are to give; some of them under compute-sanitizer, too."""

import json
import os
import shutil
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed

import arrays
import process


# Of a trained parameter's root mean square, as test/end_to_end has it of the norm: where a gradient is nearly zero, Adam
# makes steps of its noise.
PARAMETERS = 1e-3


NO_KERNEL = "there is no kernel for GPUs that computes it"  # of a few opaque operators


class Different(Exception):
    pass


def command_of(there, plan, *more):
    folder = os.path.join(there.payload, plan["folder"])
    words = [os.path.join(there.payload, "bin/smex-run"), os.path.join(folder, "plan"), "--backend", "cuda", "--steps",
             str(plan["steps"])]
    for name, file in plan["inputs"]:
        words += ["--input", f"{name}={os.path.join(folder, file)}"]
    return words + list(more)


def check_metrics(there, plan, path):
    with open(path) as file:
        metrics = json.load(file)
    if metrics["backend"] != "cuda" or not metrics.get("devices"):
        raise Different(f"ran on {metrics['backend']}, not on a GPU")
    for key in "communication_bytes", "peak_bytes":
        if metrics[key] != plan[key]:
            raise Different(f"{key}: {metrics[key]}, the plan predicts {plan[key]}")
    return metrics


def check_outputs(there, plan, expected, out, seconds):
    names = sorted(name for name in os.listdir(expected) if name.endswith(".npy"))
    if not names:
        raise Different("nothing to compare with was packed")
    for name in names:
        if not os.path.exists(os.path.join(out, name)):
            raise Different(f"no output {name}")
        done = process.run([os.path.join(there.payload, "bin/compare-npy"), os.path.join(out, name),
                            os.path.join(expected, name), "--tolerance", str(plan["tolerance"])], seconds,
                           there.environment)
        if done.status:
            raise Different(f"{name}: {done.last(1)}")
    return f"{len(names)} outputs"


def check_training(plan, expected, metrics, parameters):
    losses = [step["loss"] for step in metrics["steps"]]
    differ = arrays.apart(losses, plan["losses"])
    if not differ <= plan["tolerance"]:
        raise Different(f"losses {losses}, expected {plan['losses']}")
    path = os.path.join(expected, "parameters.safetensors")
    if not os.path.exists(path):
        return f"losses within {differ:.1e}; parameters are too large to be packed"
    most, name = arrays.safetensors_apart(parameters, path)
    if not most <= max(PARAMETERS, plan["tolerance"]):
        raise Different(f"parameter {name} is {most:.2g} of its root mean square away")
    return f"losses within {differ:.1e}, parameters within {most:.1e}"


def run_plan(there, plan, seconds):
    """Its status and a message."""
    with tempfile.TemporaryDirectory(dir=there.work) as out:
        metrics, parameters = os.path.join(out, "metrics.json"), os.path.join(out, "parameters.safetensors")
        more = ["--save-parameters", parameters] if plan["train"] else ["--output-dir", out]
        done = process.run(command_of(there, plan, "--metrics", metrics, *more), seconds, there.environment)
        if done.status is None:
            return "timed out", done.why(), done.seconds
        if done.status == 4 and NO_KERNEL in done.text:
            return "not run", NO_KERNEL, done.seconds
        if done.status:
            return "fails", done.why(), done.seconds
        expected = os.path.join(there.payload, plan["folder"], "expected")
        try:
            found = check_metrics(there, plan, metrics)
            message = check_training(plan, expected, found, parameters) if plan["train"] else \
                check_outputs(there, plan, expected, out, seconds)
        except Different as error:
            return "differs", str(error), done.seconds
        return "ok", message, done.seconds


def group(there, name, until):
    """All plans of a group, several at a time."""
    chosen = [plan for plan in there.manifest["plans"] if plan["group"] == name]
    with ThreadPoolExecutor(there.jobs) as pool:
        def one(plan):
            left = until() - 1
            if left <= 0:
                return "not run", "no time was left", 0
            try:
                return run_plan(there, plan, min(there.each, left))
            except Exception:  # of one plan alone
                return "fails", traceback.format_exc(limit=3).strip()[-800:], 0
        waiting = {pool.submit(one, plan): plan for plan in chosen}
        for future in as_completed(waiting):
            plan = waiting[future]
            status, message, seconds = future.result()
            there.report.add(name, plan["name"], status, message, seconds=round(seconds, 2))


def models(there, until):
    group(there, "models", until)


def conformance(there, until):
    group(there, "conformance", until)


def sanitizer(there, until):
    """A few small plans under each tool that finds what the emulated device finds."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    chosen = [plan for plan in there.manifest["plans"] if plan["sanitize"]]
    if there.report.emulated or not os.path.exists(tool):
        why = "the device is emulated" if there.report.emulated else "compute-sanitizer is not here"
        there.report.add("sanitizer", "compute-sanitizer", "not run", why)
        return
    with ThreadPoolExecutor(3) as pool:
        def one(plan, check):
            left = until() - 1
            if left <= 0:
                return process.Done(None, "", 0)
            return process.run([tool, "--tool", check, "--error-exitcode", "9", *command_of(there, plan)], min(80, left),
                               there.environment, there.work)
        waiting = {pool.submit(one, plan, check): (plan, check) for plan in chosen
                   for check in ("memcheck", "racecheck", "initcheck")}
        for future in as_completed(waiting):
            plan, check = waiting[future]
            done = future.result()
            status = "ok" if done.status == 0 else "timed out" if done.status is None else \
                "differs" if done.status == 9 else "fails"
            there.report.add("sanitizer", f"{check}, {plan['name']}", status, done.last(1) if status == "ok" else done.why(),
                             output=done.text[-4000:] if status != "ok" else "")
