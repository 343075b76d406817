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
