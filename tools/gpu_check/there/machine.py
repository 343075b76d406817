"""What machine this is, by CUDA's driver and by what is found beside it."""

import ctypes
import fnmatch
import glob
import json
import os
import platform
import re
import shutil
import site
import subprocess
import sys

# In each of these folders may be libraries of CUDA that no loader knows of.
PLACES = ["/usr/local/nvidia/lib64", "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"]
# And in these, those that it does know of; it has a list of more (ldconfig).
SYSTEM = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64"]
LDCONFIG = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"]  # not in everybody's PATH
LIBRARIES = ["libcuda.so.1", "libcublasLt.so.*", "libcudnn.so.*", "libnccl.so.*"]


def packages():
    """NVIDIA's packages of this Python, and of the one that has PyTorch."""
    roots = set(site.getsitepackages() + sys.path)
    return sorted(folder for root in roots for folder in glob.glob(os.path.join(root, "nvidia", "*", "lib")))


def library_path(own):
    """For LD_LIBRARY_PATH: what the caller says first, then ours, then where CUDA's libraries are found."""
    given = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    if any(os.path.exists(os.path.join(folder, "libcuda.so.1")) for folder in given):
        # Who brings a driver brings all libraries: an emulated driver and NVIDIA's cuBLAS don't go together.
        return ":".join(given + [own])
    return ":".join(given + [own] + [folder for folder in PLACES + packages() if os.path.isdir(folder)])


def known_to_loader(pattern):
    """The libraries of this name in the loader's own list, which folders of /etc/ld.so.conf.d have come into."""
    for program in LDCONFIG:
        try:
            done = subprocess.run([program, "-p"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            continue
        # A line: "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1"
        lines = [re.match(r"\s*(\S+) \(([^)]*)\) => (/.*)", line) for line in done.stdout.splitlines()]
        if any(lines):
            return [line[3] for line in lines if line and fnmatch.fnmatchcase(line[1], pattern)
                    and (platform.machine() != "x86_64" or "x86-64" in line[2]) and os.path.exists(line[3])]
    return []


def where(pattern, path, elsewhere=True):
    """The first file of this name, as the loader looks for it; elsewhere: where the system has libraries, too."""
    for folder in path.split(":") + (SYSTEM if elsewhere else []):
        files = sorted(glob.glob(os.path.join(folder, pattern)))
        if files:
            return os.path.realpath(files[0])
    known = known_to_loader(pattern) if elsewhere else []
    return os.path.realpath(known[0]) if known else None


def driver():
    """Prints, as JSON, what the driver says; in a process of its own, which may crash."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return {"missing": str(error)}
    version, count = ctypes.c_int(), ctypes.c_int()
    code = cuda.cuInit(0)
    if code:
        return {"missing": f"cuInit gives {code}"}
    cuda.cuDriverGetVersion(ctypes.byref(version))
    cuda.cuDeviceGetCount(ctypes.byref(count))
    gpus = []
    for ordinal in range(count.value):
        device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
        cuda.cuDeviceGet(ctypes.byref(device), ordinal)
        cuda.cuDeviceGetName(name, 256, device)
        attributes = {}
        for key, number in (("multiprocessors", 16), ("major", 75), ("minor", 76)):
            value = ctypes.c_int()
            cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device)
            attributes[key] = value.value
        gpus.append({"name": name.value.decode(errors="replace"), **attributes})
    return {"driver_version": version.value, "gpus": gpus}


def is_emulated(found):
    return any("emulated" in gpu["name"] for gpu in found.get("gpus", []))


def described(environment):
    done = subprocess.run([sys.executable, os.path.abspath(__file__)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = {"missing": f"asking the driver ended with {done.returncode}: {done.stderr.strip()[-300:]}"}
    path, emulated = environment["LD_LIBRARY_PATH"], is_emulated(found)
    found["libraries"] = {re.sub(r"\.so.*", "", name): where(name, path, not emulated) for name in LIBRARIES}
    found["host"] = {"system": platform.platform(), "cores": os.cpu_count(), "python": platform.python_version()}
    if shutil.which("nvidia-smi") and "missing" not in found:
        smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit",
                              "--format=csv,noheader"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             timeout=60)
        found["nvidia_smi"] = smi.stdout.strip().splitlines()
    return found


if __name__ == "__main__":
    print(json.dumps(driver()))
