"""Programs under a time limit: whatever they start ends with them."""

import os
import signal
import subprocess
import tempfile
import time


class Done:
    def __init__(self, status, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds  # status: None, if it took too long

    def last(self, lines=3):
        return " | ".join([line.strip() for line in self.text.splitlines() if line.strip()][-lines:])[-600:]

    def why(self):
        if self.status is None:
            return f"took longer than {self.seconds:.0f} s"
        how = f"signal {-self.status}" if self.status < 0 else f"status {self.status}"
        return f"{how}: {self.last()}"


running = set()  # what stop_all() ends


def start(command, environment=None):
    """Beside everything else; stop() ends it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               env=environment, start_new_session=True)
    running.add(process)
    return process


def stop(process):
    running.discard(process)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def stop_all():
    for process in list(running):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(command, seconds, environment=None, folder=None, given=""):
    """Output and errors together, from a file: nobody waits for a pipe that a lost child holds. `given`: its input."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as read:
        read.write(given.encode())
        read.seek(0)
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=read, cwd=folder,
                                   env=environment, start_new_session=True)
        running.add(process)
        try:
            status = process.wait(max(0.1, seconds))
        except subprocess.TimeoutExpired:
            status = None
        finally:
            stop(process)
        out.seek(0)
        return Done(status, out.read().decode(errors="replace"), time.monotonic() - started)
