#!/usr/bin/env python3
"""Calls that emulated libraries got, as test/emulated/Recorded.h writes them, made again on the libraries that are here:
descriptors are made as they were, an algorithm is asked for and checked, and it runs on small memory of its own.

usage: replay.py FILE     lists each call that gives something else; exit status 0: none does, 3: some, 4: no GPU

Of what is taken here the library's own algorithm is run, of what is refused the recorded one. Statuses of cuDNN are
compared by their thousands, since a release may say more exactly why.
"""

import ctypes
import subprocess
import sys
from ctypes import byref, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint64, c_void_p

BYTES = {0: 4, 1: 8, 2: 2, 4: 4, 9: 2, 14: 2}  # of elements, by cudaDataType_t and cudnnDataType_t
MOST = 1 << 30  # of one tensor
NOT_TRIED = -1


def parsed(line):
    """The name, the status, and the rest as a dictionary."""
    name, status, *rest = line.split()
    return name, int(status), dict(word.split("=", 1) for word in rest)


def numbers(text):
    return [int(each) for each in text.split(",") if each]


class Device:
    """The first GPU, with memory that is given back after each call."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, self.stream, self.taken = c_void_p(), c_void_p(), []
        need = self.need
        need("cuInit", 0)
        need("cuDevicePrimaryCtxRetain", byref(context), 0)
        need("cuCtxSetCurrent", context)
        need("cuStreamCreate", byref(self.stream), 1)

    def need(self, name, *arguments):
        if status := getattr(self.driver, name)(*arguments):
            raise OSError(f"{name} gives {status}")

    def memory(self, size, place):
        """Zeros, at this place in 256 bytes; NULL for -1."""
        if place < 0:
            return None
        if size > MOST:
            raise MemoryError
        address = c_uint64()
        self.need("cuMemAlloc_v2", byref(address), c_size_t(size + 512))
        self.taken.append(address)
        self.need("cuMemsetD8Async", address, 0, c_size_t(size + 512), self.stream)
        return c_void_p(address.value + place)

    def finish(self):
        status = self.driver.cuStreamSynchronize(self.stream)
        if status:
            raise OSError(f"the stream gives {status}")

    def free(self):
        for address in self.taken:
            self.driver.cuMemFree_v2(address)
        self.taken.clear()


class CublasLt:
    COMPUTE, SCALE, BIAS, TYPE, ORDER, ROWS, COLUMNS, LEADING, BATCH, STRIDE = 0, 1, 8, 0, 1, 2, 3, 4, 5, 6

    def __init__(self, device):
        self.device, self.handle = device, c_void_p()
        try:
            self.library = ctypes.CDLL("libcublasLt.so.13")
        except OSError:
            self.library = ctypes.CDLL("libcublasLt.so.12")
        if status := self.library.cublasLtCreate(byref(self.handle)):
            raise OSError(f"cublasLtCreate gives {status}")

    def made(self, kind, text, first, *arguments):
        """A descriptor with these attributes, of which `first` are arguments of what makes it; None: NULL."""
        made = c_void_p()
        getattr(self.library, f"cublasLt{kind}Create")(byref(made), *arguments)
        for number, (size, value) in attributes(text).items():
            if number not in first:
                getattr(self.library, f"cublasLt{kind}SetAttribute")(
                    made, number, value.to_bytes(8, sys.byteorder)[:size], c_size_t(size))
        return made

    def layout(self, text):
        if text == "null":
            return None
        own = {number: value for number, (_, value) in attributes(text).items()}
        return self.made("MatrixLayout", text, (self.TYPE, self.ROWS, self.COLUMNS, self.LEADING), own.get(self.TYPE, 0),
                         c_uint64(own.get(self.ROWS, 0)), c_uint64(own.get(self.COLUMNS, 0)),
                         c_int64(signed(own.get(self.LEADING, 0))))

    def bytes(self, text):
        if text == "null":
            return 0
        own = {number: signed(value) for number, (_, value) in attributes(text).items()}
        rows, columns = own.get(self.ROWS, 0), own.get(self.COLUMNS, 0)
        across, along = (rows, columns) if own.get(self.ORDER) else (columns, rows)
        span = max(0, across - 1) * abs(own.get(self.LEADING, 0)) + along
        return (span + (own.get(self.BATCH, 1) - 1) * abs(own.get(self.STRIDE, 0))) * BYTES[own.get(self.TYPE, 0)]

    def operation(self, text, rows):
        if text == "null":
            return None
        all = attributes(text)
        if self.BIAS in all:
            bias = self.device.memory(8 * rows, all[self.BIAS][1] - 256)
            text = ",".join(each for each in text.split(",") if not each.startswith(f"{self.BIAS}:"))
            text += f",{self.BIAS}:8:{bias.value}"
        return self.made("MatmulDesc", text, (self.COMPUTE, self.SCALE), all.get(self.COMPUTE, (4, 0))[1],
                         all.get(self.SCALE, (4, 0))[1])

    def descriptors(self, fields):
        return (self.operation(fields["o"], self.bytes(fields["d"])), *(self.layout(fields[key]) for key in "abcd"))

    def algorithm(self, described, preference, wanted=1):
        """The status, and room for the results."""
        results, count = ctypes.create_string_buffer(96 * max(1, wanted)), c_int()
        status = self.library.cublasLtMatmulAlgoGetHeuristic(self.handle, *described, preference, wanted, results,
                                                             byref(count))
        return status, results

    def cublasLtMatmulAlgoGetHeuristic(self, fields, expected):
        preference = None if fields["p"] == "null" else self.made("MatmulPreference", fields["p"], ())
        return self.algorithm(self.descriptors(fields), preference, int(fields["wanted"]))[0]

    def cublasLtMatmul(self, fields, expected):
        described = self.descriptors(fields)
        room, found = int(fields["room"]), None
        if fields["algorithm"] == "1":
            words = [f"1:8:{room}"] + [f"{number}:4:{fields['aligned']}" for number in (5, 6, 7, 8)]
            status, found = self.algorithm(described, self.made("MatmulPreference", ",".join(words), ()))
            if status == 0:
                status = self.library.cublasLtMatmulAlgoCheck(self.handle, *described, found,
                                                              ctypes.create_string_buffer(96))
            if status:
                return status
        places = numbers(fields["at"])
        a, b, c, d = (self.device.memory(self.bytes(fields[key]), place) for key, place in zip("abcd", places))
        workspace = self.device.memory(room, places[4])
        number = c_double if attributes(fields["o"]).get(self.SCALE, (4, 0))[1] == 1 else c_float
        operation, first, second, third, fourth = described
        return self.library.cublasLtMatmul(
            self.handle, operation, byref(number(1)), a, first, b, second, byref(number(int(fields["beta"]))),
            d if fields["same"] == "1" else c, third, d, fourth, found, workspace, c_size_t(int(fields["bytes"])),
            self.device.stream)


def attributes(text):
    """Number to bytes and value."""
    return {number: (size, value) for number, size, value in
            (map(int, each.split(":")) for each in text.split(",") if each and text != "null")}


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Cudnn:
    # Of what is computed: the order of the descriptors, and which of them is written.
    ORDER = {"Forward": ("x", "w", "y"), "BackwardData": ("w", "y", "x"), "BackwardFilter": ("x", "y", "w")}

    def __init__(self, device):
        self.device, self.handle = device, c_void_p()
        self.library = ctypes.CDLL("libcudnn.so.9")
        for status in (self.library.cudnnCreate(byref(self.handle)),
                       self.library.cudnnSetStream(self.handle, device.stream)):
            if status:
                raise OSError(f"cuDNN gives {status}")
        for way in self.ORDER:
            for kind in (f"cudnnGetConvolution{way}Algorithm_v7", f"cudnnGetConvolution{way}WorkspaceSize"):
                setattr(self, kind, lambda fields, expected, kind=kind, way=way: self.question(kind, way, fields))
            setattr(self, f"cudnnConvolution{way}",
                    lambda fields, expected, way=way: self.convolution(way, fields, expected))
        for kind in "Tensor", "Filter", "Convolution":
            setattr(self, f"cudnnSet{kind}NdDescriptor", lambda fields, expected, kind=kind:
                    self.set(kind, fields["d"])[0])

    def set(self, kind, text):
        """The status, and a descriptor of this text, which ends with ';' where it comes from the call that was refused."""
        parts, made = text.rstrip(";").split(";"), c_void_p()
        getattr(self.library, f"cudnnCreate{kind}Descriptor")(byref(made))
        arrays = {"Tensor": (1, 2), "Filter": (2,), "Convolution": (0, 1, 2)}[kind]
        values = [(c_int * 8)(*numbers(part)) if at in arrays else int(part) for at, part in enumerate(parts)]
        values.insert(min(arrays), len(numbers(parts[min(arrays)])))
        return getattr(self.library, f"cudnnSet{kind}NdDescriptor")(made, *values[:6]), made

    def described(self, fields):
        kind, sizes, form = fields["w"].split(";")
        pads, strides, dilations, mode, compute, math, groups = fields["c"].split(";")
        made = {"x": self.set("Tensor", fields["x"]), "y": self.set("Tensor", fields["y"]),
                "w": self.set("Filter", f"{kind};{form};{sizes}"),
                "c": self.set("Convolution", ";".join((pads, strides, dilations, mode, compute)))}
        statuses = [status for status, _ in made.values()]
        made = {key: value for key, (_, value) in made.items()}
        statuses += [self.library.cudnnSetConvolutionGroupCount(made["c"], int(groups)),
                     self.library.cudnnSetConvolutionMathType(made["c"], int(math))]
        return max(statuses), made

    def arguments(self, way, made):
        first, second, written = self.ORDER[way]
        return made[first], made[second], made["c"], made[written]

    def found(self, way, made):
        """The status, and the first algorithm that is said to work."""
        count, results = c_int(), (c_int * (10 * 16))()  # cudnnConvolutionFwdAlgoPerf_t has 40 bytes
        status = getattr(self.library, f"cudnnGetConvolution{way}Algorithm_v7")(
            self.handle, *self.arguments(way, made), 16, byref(count), results)
        works = [results[10 * i] for i in range(count.value) if results[10 * i + 1] == 0]
        return (status, works[0]) if works else (status or 3000, 0)

    def room(self, way, made, algorithm):
        size = c_size_t()
        status = getattr(self.library, f"cudnnGetConvolution{way}WorkspaceSize")(
            self.handle, *self.arguments(way, made), algorithm, byref(size))
        return status, size.value

    def question(self, kind, way, fields):
        status, made = self.described(fields)
        if status:
            return status
        return self.room(way, made, int(fields["algorithm"]))[0] if kind.endswith("Size") else self.asked(way, made)

    def asked(self, way, made):
        count, results = c_int(), (c_int * (10 * 16))()
        return getattr(self.library, f"cudnnGetConvolution{way}Algorithm_v7")(
            self.handle, *self.arguments(way, made), 16, byref(count), results)

    def bytes(self, text):
        kind, sizes, strides = text.split(";")
        sizes, strides = numbers(sizes), numbers(strides)
        span = 1
        if len(strides) == len(sizes):
            for size, stride in zip(sizes, strides):
                span += (size - 1) * abs(stride)
        else:  # a filter
            for size in sizes:
                span *= size
        return span * BYTES[int(kind)]

    def convolution(self, way, fields, expected):
        status, made = self.described(fields)
        algorithm, size = int(fields["algorithm"]), int(fields["bytes"])
        if not status and expected == 0:
            status, algorithm = self.found(way, made)
            if not status:
                status, size = self.room(way, made, algorithm)
        if status:
            return status
        places = dict(zip("xwy-", numbers(fields["at"])))  # the last is the workspace's
        at = {key: self.device.memory(self.bytes(fields[key]), places[key]) for key in "xwy"}
        workspace = self.device.memory(size, places["-"] if expected else 0)
        number = c_double if fields["x"].startswith("1;") else c_float
        first, second, written = self.ORDER[way]
        return getattr(self.library, f"cudnnConvolution{way}")(
            self.handle, byref(number(1)), made[first], at[first], made[second], at[second], made["c"], algorithm,
            workspace, c_size_t(size), byref(number(int(fields["beta"]))), made[written], at[written])


def child(lines, first):
    """Prints a status for each line from `first` on; a call that breaks the GPU ends it."""
    device = Device()
    libraries, none = [], []
    for kind in CublasLt, Cudnn:
        try:
            libraries.append(kind(device))
        except OSError as error:
            none.append(str(error))
    for line in lines[first:]:
        name, expected, fields = parsed(line)
        of = next((each for each in libraries if hasattr(each, name)), None)
        status = NOT_TRIED
        try:
            if of:
                status = getattr(of, name)(fields, expected)
                device.finish()
                device.free()
        except MemoryError:
            status = NOT_TRIED
        except OSError as error:
            print(error, flush=True)
            return 9
        print(status, flush=True)
    return 0


def is_same(name, expected, got):
    return got // 1000 == expected // 1000 if name.startswith("cudnn") and expected else got == expected


def main(file):
    with open(file) as opened:
        lines = [line for line in opened.read().splitlines() if line]
    done = differ = left = 0
    while done < len(lines):
        # An emulated library says there why it refuses.
        ran = subprocess.run([sys.executable, __file__, file, str(done)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        answers = ran.stdout.splitlines()
        if ran.returncode and not answers and done == 0 and ran.returncode > 0 and ran.returncode != 9:
            print("no GPU, or no driver")
            return 4
        if ran.returncode not in (0, 9):  # the call after the last that answered ended it
            answers.append(f"signal {-ran.returncode}" if ran.returncode < 0 else f"exit status {ran.returncode}")
        for answer in answers:
            name, expected, _ = parsed(lines[done])
            got = int(answer) if answer.lstrip("-").isdigit() else None
            left += got == NOT_TRIED
            if got != NOT_TRIED and (got is None or not is_same(name, expected, got)):
                differ += 1
                print(f"DIFFERENT: gives {answer}, the emulated one {expected}: {lines[done]}")
            done += 1
    print(f"{len(lines)} calls, {differ} different, {left} not tried")
    return 3 if differ else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        with open(sys.argv[1]) as opened:
            sys.exit(child([line for line in opened.read().splitlines() if line], int(sys.argv[2])))
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
