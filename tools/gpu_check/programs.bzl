"""Programs of cases: each makes calls that an emulated library accepts or refuses, on whatever library is loaded under that
name, prints a line for each whose result is another one than the emulator's, and ends with status 3 if there was any.

Python reads this file, too. To add one: what it is called, its target, its arguments, the library that it needs to be
there, the emulated one, and whether that one records its calls (test/emulated/Recorded.h).
"""

PROGRAMS = [
    {
        "name": "cublaslt",
        "target": "//test/emulated/cublaslt:cases",
        "arguments": [],
        "library": "libcublasLt.so",
        "emulated": "//test/emulated/cublaslt:libcublasLt.so.13",
        "recorded": True,
    },
    {
        "name": "cudnn",
        "target": "//test/emulated/cudnn:cases",
        "arguments": ["--all"],
        "library": "libcudnn.so.9",
        "emulated": "//test/emulated/cudnn:libcudnn.so.9",
        "recorded": True,
    },
    {
        "name": "driver",
        "target": "//test/emulated/cuda:cases",
        "arguments": [],
        "library": "libcuda.so.1",
        "emulated": "//test/emulated/cuda:libcuda.so.1",
        "recorded": False,
    },
    {
        "name": "nccl",
        "target": "//test/emulated/nccl:nccl-cases",
        "arguments": [],
        "library": "libnccl.so.2",
        "emulated": "//test/emulated/nccl:libnccl.so.2",
        "recorded": False,
    },
]
