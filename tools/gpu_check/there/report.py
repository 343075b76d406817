"""What is found, written as it is found: lines to the terminal and a text file, and a JSON file as a whole each time."""

import json
import os
import time

BAD = {"differs", "fails", "timed out"}


class Report:
    def __init__(self, folder, limit, emulated=False, started=None):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.emulated = folder, emulated
        self.started, self.limit = time.monotonic() if started is None else started, limit
        self.data = {"emulated": emulated, "machine": {}, "records": [], "table": [], "finished": False}
        self.path = os.path.join(folder, "results.txt")
        open(self.path, "w").close()

    def seconds(self):
        return time.monotonic() - self.started

    def left(self):
        return self.limit - self.seconds()

    def line(self, text=""):
        for each in text.split("\n"):
            each = ("emulated: " if self.emulated else "") + each
            print(each, flush=True)
            with open(self.path, "a") as file:
                file.write(each + "\n")

    def save(self):
        self.data["seconds"] = round(self.seconds(), 1)
        path = os.path.join(self.folder, "results.json")
        with open(path + ".new", "w") as file:
            json.dump(self.data, file, indent=1)
        os.replace(path + ".new", path)

    def head(self, title):
        self.line(f"\n== {title} ({self.seconds():.0f} s)")

    def add(self, part, name, status, message="", **more):
        """status: ok, differs, fails, timed out, or not run."""
        self.data["records"].append({"part": part, "name": name, "status": status, "message": message, **more})
        self.line(f"{status:10} {name}" + (f": {message}" if message else ""))
        self.save()

    def row(self, what, ours, peer, aim, holds, **more):
        """A row of the table; holds: True, False, or None where it cannot be said."""
        verdict = {True: "holds", False: "does not hold", None: "not run"}[holds]
        self.data["table"].append({"what": what, "ours": ours, "peer": peer, "aim": aim, "verdict": verdict, **more})
        self.line(f"{what:78} {ours:>16} {peer:>16} {aim:>14}  {verdict}")
        self.save()

    def end(self):
        counts = {}
        for record in self.data["records"]:
            counts[record["status"]] = counts.get(record["status"], 0) + 1
        rows = {}
        for row in self.data["table"]:
            rows[row["verdict"]] = rows.get(row["verdict"], 0) + 1
        self.data["finished"], self.data["counts"], self.data["rows"] = True, counts, rows
        self.head("in all")
        self.line("checks: " + (", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "none"))
        self.line("table: " + (", ".join(f"{n} rows: {verdict}" for verdict, n in sorted(rows.items())) or "none"))
        for record in self.data["records"]:
            if record["status"] in BAD:
                self.line(f"  {record['status']}: {record['part']}: {record['name']}")
        self.save()
        return 3 if BAD & set(counts) else 0
