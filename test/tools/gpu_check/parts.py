#!/usr/bin/env python3
"""What keeps one part from the others: time limits, processes that are left behind, children that do not answer; and the
arithmetic of what is compared."""

import array
import json
import math
import os
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, "tools/gpu_check/there")
import arrays
import asked
import bench
import check
import compared
import machine
import process
import report
import suite


class Processes(unittest.TestCase):
    def test_what_hangs_ends_with_all_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = os.path.join(folder, "pid")
            done = process.run(["bash", "-c", f"sleep 100 & echo $! > {mark}; wait"], 1)
            self.assertIsNone(done.status)
            self.assertIn("took longer", done.why())
            with open(mark) as file:
                pid = file.read().strip()
            for _ in range(50):
                if not os.path.exists(f"/proc/{pid}") or " Z " in open(f"/proc/{pid}/stat").read():
                    return
                time.sleep(0.1)
            self.fail("the child still runs")

    def test_a_signal_is_named(self):
        self.assertIn("signal 6", process.run(["bash", "-c", "kill -ABRT $$"], 10).why())


class Parts(unittest.TestCase):
    def run_parts(self, parts):
        class Made:
            manifest = {"commit": "c", "tiny": True, "plans": []}
            environment, start = None, lambda self, parts: None
            unpack = lambda self, archive, seconds: ""
        saved = check.PARTS, check.machine.described, check.say_programs
        with tempfile.TemporaryDirectory() as folder:
            check.PARTS, check.say_programs, check.STARTED = parts, lambda out, there: None, time.monotonic()
            check.machine.described = lambda environment: {
                "gpus": [{"name": "emulated", "major": 9, "minor": 0, "multiprocessors": 1}], "libraries": {},
                "host": {"system": "", "cores": 1, "python": ""}}
            args = type("Args", (), {"output": folder, "limit": 100, "parts": list(parts)})
            try:
                status = check.check(args, Made())
            finally:
                check.PARTS, check.machine.described, check.say_programs = saved
            with open(os.path.join(folder, "results.json")) as file:
                return status, json.load(file)

    def test_a_part_that_fails_stops_none(self):
        def breaks(there, until):
            raise ValueError("broken on purpose")
        status, found = self.run_parts({"a": (breaks, 1), "b": (lambda there, until: there.report.add("b", "x", "ok"), 1)})
        self.assertEqual(status, 3)
        self.assertEqual([record["status"] for record in found["records"]], ["fails", "ok"])
        self.assertIn("broken on purpose", found["records"][0]["message"])

    def test_a_part_that_does_not_end_is_ended(self):
        code = """
import sys, time
sys.path.insert(0, "tools/gpu_check/there")
import check, report, process, threading
out = report.Report(sys.argv[1], 0)
out.add("a", "before", "ok")
child = process.start(["sleep", "100"])
threading.Timer(0.2, check.give_up, [out]).start()
child.wait()
time.sleep(100)
"""
        with tempfile.TemporaryDirectory() as folder:
            done = process.run([sys.executable, "-c", code, folder], 20)
            self.assertEqual(done.status, 3, done.text)
            with open(os.path.join(folder, "results.json")) as file:
                found = json.load(file)
            self.assertTrue(found["finished"])
            self.assertEqual([each["status"] for each in found["records"]], ["ok", "timed out"])

    def test_time_that_is_left_goes_to_later_parts(self):
        seen = []
        self.run_parts({"a": (lambda there, until: seen.append(until()), 60),
                        "b": (lambda there, until: seen.append(until()), 20)})
        self.assertAlmostEqual(seen[0], 80, delta=5)
        self.assertAlmostEqual(seen[1], 100, delta=5)

    def test_results_are_there_before_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            out = report.Report(folder, 100)
            out.add("p", "n", "differs", "m")
            with open(os.path.join(folder, "results.json")) as file:
                found = json.load(file)
            self.assertFalse(found["finished"])
            self.assertEqual(found["records"][0]["status"], "differs")
            with open(os.path.join(folder, "results.txt")) as file:
                self.assertIn("differs", file.read())


class Libraries(unittest.TestCase):
    def setUp(self):
        self.saved = machine.LDCONFIG, machine.SYSTEM
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        machine.LDCONFIG, machine.SYSTEM = self.saved
        self.folder.cleanup()

    def made(self, name, text=""):
        path = os.path.join(os.path.realpath(self.folder.name), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def test_what_only_the_loader_knows_is_found(self):
        library, other = self.made("cuda/libcublasLt.so.13"), self.made("32/libcublasLt.so.13")
        lists = self.made("ldconfig", f"""#!/bin/bash
[ "$1" = -p ] || exit 1
echo "4 libs found in cache \`/etc/ld.so.cache'"
echo "	libcublasLt.so.13 (libc6) => {other}"
echo "	libcublasLt.so.13 (libc6,x86-64) => {library}"
echo "	libcublasLt.so (libc6,x86-64) => {self.folder.name}/gone"
""")
        machine.SYSTEM = []
        machine.LDCONFIG = [self.folder.name + "/none", self.made("says_nothing", "#!/bin/bash\n"), lists]
        for name in "libcublasLt.so.*", "libcublasLt.so*":
            self.assertIn(machine.where(name, "/none"), [library, other][:1 if os.uname().machine == "x86_64" else 2])
        self.assertIsNone(machine.where("libcublasLt.so*", "/none", elsewhere=False))
        self.assertIsNone(machine.where("libcublas.so.*", "/none"))
        first = self.made("first/libcublasLt.so.12")
        self.assertEqual(machine.where("libcublasLt.so*", os.path.dirname(first)), first)
        machine.LDCONFIG = [self.folder.name + "/none"]
        self.assertIsNone(machine.where("libcublasLt.so*", "/none"))


class Plans(unittest.TestCase):
    def run_plan(self, script):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            program = os.path.join(folder, "bin/smex-run")
            with open(program, "w") as file:
                file.write("#!/bin/bash\n" + script)
            os.chmod(program, 0o755)
            there = type("There", (), {"payload": folder, "work": folder, "environment": None})
            plan = {"folder": "", "inputs": [], "steps": 1, "train": False}
            return compared.run_plan(there, plan, 10)[0]

    def test_what_gpus_have_no_kernel_for_does_not_fail(self):
        self.assertEqual(self.run_plan("echo 'node \"u\": there is no kernel for GPUs that computes it; use' >&2; exit 4"),
                         "not run")
        self.assertEqual(self.run_plan("echo 'no GPU' >&2; exit 4"), "fails")


class Suite(unittest.TestCase):
    """run-cases is a program that answers a case a line, and does with some what their names say."""

    def run_suite(self, folders, each=20, limit=100):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            program = os.path.join(folder, "bin/run-cases")
            with open(program, "w") as file:
                file.write("#!/usr/bin/python3\nimport json, os, sys, time\nfor line in sys.stdin:\n"
                           "    case = line.strip()\n    if case == 'crash': os.abort()\n"
                           "    if case == 'hang': time.sleep(100)\n"
                           "    status = 'fails' if case == 'fault' else 'ok'\n"
                           "    print('noise')\n    print(json.dumps({'case': case, 'message': '', 'status': status}),"
                           " flush=True)\n    if case == 'fault': sys.exit(4)\n")
            os.chmod(program, 0o755)
            there = type("There", (), {"payload": folder, "environment": None, "each": each})
            ends = time.monotonic() + limit
            return [(each["case"], each["status"]) for each in suite.run(there, folders, lambda: ends - time.monotonic())]

    def test_what_ends_its_process_stops_no_other(self):
        self.assertEqual(self.run_suite(["a", "crash", "b", "fault", "c", "crash"]),
                         [("a", "ok"), ("crash", "fails"), ("b", "ok"), ("fault", "fails"), ("c", "ok"),
                          ("crash", "fails")])

    def test_what_hangs_is_given_up(self):
        self.assertEqual(self.run_suite(["a", "hang", "b"], each=5), [("a", "ok"), ("hang", "timed out"), ("b", "ok")])

    def test_no_time(self):
        self.assertEqual([status for _, status in self.run_suite(["a", "hang", "b"], limit=11)], ["ok", "not run"])


class Table(unittest.TestCase):
    def verdict(self, ours, peer, wanted, emulated=False):
        with tempfile.TemporaryDirectory() as folder:
            there = type("There", (), {"report": report.Report(folder, 100, emulated)})
            figure = [each if isinstance(each, bench.Missing) else (each, str(each)) for each in (ours, peer)]
            bench.Bench(there, lambda: 100).row("row", *figure, "aim", lambda a, b: b / a, wanted)
            return there.report.data["table"][0]["verdict"]

    def test_an_aim_holds_within_its_tolerance(self):
        self.assertEqual(self.verdict(1.0, 1.0, 1), "holds")
        self.assertEqual(self.verdict(1.0, 0.981, 1), "holds")
        self.assertEqual(self.verdict(1.0, 0.979, 1), "does not hold")
        self.assertEqual(self.verdict(1.0, 0.5, None), "not run")
        self.assertEqual(self.verdict(1.0, bench.Missing("why"), 1), "not run")
        self.assertEqual(self.verdict(1.0, 2.0, 1, emulated=True), "not run")

    def test_spans_that_overlap_count_once(self):
        def traced(command, seconds, environment):
            path = command[command.index("--trace") + 1]
            events = [dict(cat="fetch", ts=ts, dur=dur, tid=tid, args={"instruction": 0})
                      for tid, ts, dur in [(0, 0, 10), (1, 5, 10), (0, 100, 10), (1, 200, 10)]]
            with open(path, "w") as file:
                json.dump({"traceEvents": events + [dict(cat="compute", ts=0, dur=900, tid=0)]}, file)
            with open(command[command.index("--metrics") + 1], "w") as file:
                file.write("{}")
            return process.Done(0, "", 0)
        saved = bench.process.run
        with tempfile.TemporaryDirectory() as folder:
            there = type("There", (), {"work": folder, "payload": folder, "environment": None})
            bench.process.run = traced
            try:
                found = bench.traced(there, {"folder": "", "inputs": [], "steps": 2}, 1, "fetch")
            finally:
                bench.process.run = saved
        self.assertEqual(found, [20e-6])  # of the second step; the first one's is 15


class Children(unittest.TestCase):
    def test_one_that_does_not_answer_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = asked.HERE
            asked.HERE = folder
            with open(os.path.join(folder, "peers.py"), "w") as file:
                file.write("import sys, time, json\nfor line in sys.stdin:\n"
                           "    task = json.loads(line)\n    time.sleep(task['sleep'])\n"
                           "    print(json.dumps({'seconds': [task['sleep']]}), flush=True)\n")
            peers = asked.Peers(folder)
            try:
                peers.send({"sleep": 0.1})  # its answer is nobody's
                self.assertEqual(peers.ask({"sleep": 0}, 20), {"seconds": [0]})
                self.assertIn("no answer", peers.ask({"sleep": 50}, 1)["error"])
                peers.send({"sleep": 0.1})
                peers.send({"sleep": 0.2})
                self.assertEqual(peers.wait(20), [{"seconds": [0.1]}, {"seconds": [0.2]}])
                self.assertEqual(peers.ask({"sleep": 0.2}, 20), {"seconds": [0.2]})
            finally:
                peers.stop()
                asked.HERE = saved


class Arrays(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npy")
            header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
            with open(path, "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                           + array.array("f", [1, -2.5]).tobytes())
            self.assertEqual(arrays.read_npy(path), [1, -2.5])
            path = os.path.join(folder, "a.safetensors")
            data = struct.pack("<2f2H2e", 1.5, -2, 0x3f80, 0xc000, 0.5, 3)
            text = json.dumps({"f": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                               "b": {"dtype": "BF16", "shape": [2], "data_offsets": [8, 12]},
                               "h": {"dtype": "F16", "shape": [2], "data_offsets": [12, 16]}}).encode()
            with open(path, "wb") as file:
                file.write(struct.pack("<Q", len(text)) + text + data)
            found = {name: list(values) for name, values in arrays.read_safetensors(path).items()}
            self.assertEqual(found, {"f": [1.5, -2], "b": [1, -2], "h": [0.5, 3]})

    def test_how_far_apart(self):
        self.assertEqual(arrays.apart([1, 2], [1, 4]), 0.5)
        self.assertEqual(arrays.apart([0], [0]), 0)
        self.assertEqual(arrays.apart([1], [1, 1]), math.inf)
        self.assertEqual(arrays.apart([math.nan], [1]), math.inf)
        self.assertEqual(arrays.apart([math.nan, 1], [math.nan, 1]), 0)
        self.assertEqual(arrays.apart([None], [1]), math.inf)
        self.assertAlmostEqual(arrays.apart_in_mean([3, 5], [3, 4], 0), 0.2)
        self.assertEqual(arrays.apart_in_mean([], [], 0), 0)
        self.assertEqual(arrays.apart_in_mean([0], [0], 0), 0)
        for found, expected in ([1], [1, 1]), ([1], [0]), ([math.nan], [1]):
            self.assertEqual(arrays.apart_in_mean(found, expected, 0), math.inf)

    def test_trained_parameters(self):
        def saved(path, tensors):
            header, data = {}, b""
            for name, values in tensors.items():
                header[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": [len(data), len(data) + 4 * len(values)]}
                data += array.array("f", values).tobytes()
            text = json.dumps(header).encode()
            with open(path, "wb") as file:
                file.write(struct.pack("<Q", len(text)) + text + data)
        def apart(found, expected):
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, name) for name in ("a", "b")]
                saved(paths[0], found)
                saved(paths[1], expected)
                return arrays.safetensors_apart(*paths)
        weight = [0.5, -0.25, 0.125, 0.5]
        # What roundings alone have made differs by more than its magnitude, and is no difference.
        self.assertLess(apart({"w": weight, "key": [3e-9, -2e-9]}, {"w": weight, "key": [-1e-9, 4e-9]})[0], 1e-3)
        # A bias that the steps did not reach is one.
        most, name = apart({"w": weight, "bias": [0, 0]}, {"w": weight, "bias": [1e-5, -2e-5]})
        self.assertGreater(most, 1e-3)
        self.assertEqual(name, "bias")
        self.assertEqual(apart({"w": weight}, {"v": weight}), (math.inf, "names"))


if __name__ == "__main__":
    unittest.main()
