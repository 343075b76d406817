#!/usr/bin/env python3
"""Writes the node cases of the installed `onnx` package as folders.

    pip install onnx
    test/end_to_end/make_onnx_cases.py FOLDER [CASE...]

FOLDER gets a folder per case, or per CASE named: model.onnx and
test_data_set_0 with inputs and outputs in the order of the model's, as in the
package libonnx-testdata. `onnx_nodes_test FOLDER LIST GPUS` runs them.
"""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """The message of ONNX's own data for a value of this type."""
    if info.type.HasField("sequence_type"):
        return numpy_helper.from_list(value, info.name)
    if info.type.HasField("optional_type"):
        return numpy_helper.from_optional(value, info.name)
    if isinstance(value, onnx.TensorProto):
        return value
    return numpy_helper.from_array(value, info.name)


def write(case, folder):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    graph = case.model.graph
    for kind, values, infos in (("input", inputs, graph.input),
                                ("output", outputs, graph.output)):
        for i, value in enumerate(values):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                file.write(message(value, infos[i]).SerializeToString())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, wanted = sys.argv[1], set(sys.argv[2:])
    cases = [c for c in collect_testcases(None) if c.data_sets]
    written = [c for c in cases if not wanted or c.name in wanted]
    for case in written:
        write(case, os.path.join(folder, case.name))
    missing = wanted - {c.name for c in written}
    if missing:
        sys.exit(f"onnx {onnx.__version__} has no case {', '.join(sorted(missing))}")
    print(f"{len(written)} cases of onnx {onnx.__version__} in {folder}")


if __name__ == "__main__":
    main()
