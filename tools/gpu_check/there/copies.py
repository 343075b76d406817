"""copies.py BYTES TIMES: copies from one place of the GPU's memory to another by the driver, timed by events. Prints seconds."""

import ctypes
import json
import sys


def main(size, times):
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        code = getattr(cuda, name)(*arguments)
        if code:
            sys.exit(f"{name} gives {code}")

    device, context, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    buffers = [ctypes.c_uint64() for _ in range(2)]
    for buffer in buffers:
        call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(size))
    call("cuStreamCreate", ctypes.byref(stream), 1)
    # What is copied must have been written.
    zeros = ctypes.create_string_buffer(min(size, 1 << 24))
    for start in range(0, size, len(zeros)):
        call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(buffers[0].value + start), zeros,
             ctypes.c_size_t(min(len(zeros), size - start)), stream)
    call("cuStreamSynchronize", stream)
    events = [ctypes.c_void_p() for _ in range(times + 1)]
    for event in events:
        call("cuEventCreate", ctypes.byref(event), 0)
    call("cuEventRecord", events[0], stream)
    for event in events[1:]:
        call("cuMemcpyDtoDAsync_v2", buffers[1], buffers[0], ctypes.c_size_t(size), stream)
        call("cuEventRecord", event, stream)
    call("cuStreamSynchronize", stream)
    seconds = []
    for before, after in zip(events, events[1:]):
        milliseconds = ctypes.c_float()
        call("cuEventElapsedTime", ctypes.byref(milliseconds), before, after)
        seconds.append(milliseconds.value / 1e3)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
