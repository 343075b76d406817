"""Cases of test/conformance, as the processor ran them: many by one process, for each is small."""

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor, as_completed

import process

MANY = 40  # by one process
PROCESSES = 4  # at a time: they share a GPU


def answers(text):
    """What run-cases printed, without what libraries did."""
    found = []
    for line in text.splitlines():
        if line.startswith('{"case"'):
            try:
                found.append(json.loads(line))
            except ValueError:
                pass  # cut off
    return found


def run(there, folders, until):
    """Answers for the folders; one that ends its process has its end as an answer, and others go on behind it."""
    found, left = [], list(folders)
    while left:
        seconds = min(there.each, until() - 1)
        if seconds <= 0:
            return found + [{"case": f"{len(left)} cases from {left[0]} on", "status": "not run",
                             "message": "no time was left"}]
        done = process.run([os.path.join(there.payload, "bin/run-cases")], seconds, there.environment,
                           there.payload, "".join(folder + "\n" for folder in left))
        some = answers(done.text)
        found += some
        left = left[len(some):]
        # After a failure of the GPU, it ends with an answer; else it ended, or still was, within a case.
        is_answered = some and (done.status is None or some[-1]["status"] == "fails" and done.status == 4)
        if left and not is_answered and (done.status is not None or seconds >= there.each):
            found.append({"case": left[0], "status": "timed out" if done.status is None else "fails",
                          "message": done.why()})
            left = left[1:]
    return found


def suite(there, until):
    folders = there.manifest["suite"]
    if not folders:
        there.report.add("suite", "cases of test/conformance", "not run", "none was packed")
        return
    if until() < 2:
        there.report.add("suite", f"{len(folders)} cases", "not run", "no time was left")
        return
    why = there.unpack("suite.tar.xz", max(1, until()))
    if why:
        there.report.add("suite", "unpacking", "fails", why)
        return
    # Some may find no time: of each group, others do.
    folders = random.Random(1).sample(folders, len(folders))
    parts = [folders[first:first + MANY] for first in range(0, len(folders), MANY)]
    with ThreadPoolExecutor(min(PROCESSES, there.jobs)) as pool:
        waiting = {pool.submit(run, there, part, until): part for part in parts}
        for future in as_completed(waiting):
            part, found = waiting[future], future.result()
            bad = [each for each in found if each["status"] != "ok"]
            for each in bad:
                there.report.add("suite", each["case"], each["status"], each["message"])
            if len(found) > len(bad):
                there.report.add("suite", f"{len(found) - len(bad)} of {len(part)}, from {part[0]} on", "ok",
                                 seconds=round(sum(each.get("seconds", 0) for each in found), 2))
