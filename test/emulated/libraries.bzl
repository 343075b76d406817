"""Where tests find the libraries of //test/emulated:libraries."""

EMULATED_LIBRARY_PATH = ":".join([
    "test/emulated/" + folder
    for folder in [
        "cublaslt",
        "cuda",
        "cudnn",
        "nccl",
    ]
])

def without_peer_access(gpus, processes):
    """The environment of a test of GPUs that do not reach each other's memory.

    Args:
      gpus: how many there are.
      processes: how many the test is to share the workers out over."""
    return {
        "LD_LIBRARY_PATH": EMULATED_LIBRARY_PATH,
        "SMEX_EMULATED_DEVICES": str(gpus),
        "SMEX_EMULATED_PEER": "0",
        "SMEX_EMULATED_SEED": str(gpus),
        "SMEX_NCCL_TIMEOUT": "60",
        "SMEX_TEST_PROCESSES": str(processes),
        "SMEX_TEST_SEED": str(1000 * gpus + 100 * processes),
    }
