"""The child that has PyTorch (peers.py): requests are queued, so that it compiles while other parts run."""

import json
import os
import queue
import subprocess
import sys
import threading
import time

import process

HERE = os.path.dirname(os.path.abspath(__file__))


class Peers:
    def __init__(self, folder):
        self.log = open(os.path.join(folder, "peers.log"), "w")
        self.child, self.pending = None, 0
        self.start()

    def start(self):
        environment = dict(os.environ)  # not ours: PyTorch brings its libraries
        self.child = subprocess.Popen([sys.executable, os.path.join(HERE, "peers.py")], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment,
                                      start_new_session=True)
        self.replies, self.pending = queue.Queue(), 0
        threading.Thread(target=self.read, args=(self.child, self.replies), daemon=True).start()

    @staticmethod
    def read(child, replies):
        for line in child.stdout:
            replies.put(json.loads(line))
        replies.put(None)

    def send(self, task):
        try:
            self.child.stdin.write(json.dumps(task) + "\n")
            self.child.stdin.flush()
            self.pending += 1
        except OSError:
            pass

    def wait(self, seconds):
        """Answers to all that was sent, in order. A child that does not give them in time, or ends, is replaced, and the
        last answer is why."""
        until, answers = time.monotonic() + seconds, []
        while self.pending > 0:
            try:
                answer = self.replies.get(timeout=max(0.1, until - time.monotonic()))
                why = "PyTorch's process ended"
            except queue.Empty:
                answer, why = None, f"no answer in {seconds:.0f} s"
            if answer is None:
                self.stop()
                self.start()
                return answers + [{"error": why}]
            self.pending -= 1
            answers.append(answer)
        return answers

    def ask(self, task, seconds):
        """The answer, or {"error": why}."""
        self.send(task)
        answers = self.wait(seconds)
        return answers[-1] if answers else {"error": "PyTorch's process ended"}

    def stop(self):
        process.stop(self.child)
