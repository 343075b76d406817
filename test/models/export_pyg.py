"""Makes pyg_gat and pyg_gcn: graph networks of PyTorch Geometric on a random graph, as PyTorch exports them, without
what it notes of the source. Needs torch, torch_geometric, onnx, onnxscript; made with 2.15, 2.8.1.

usage: export_pyg.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch
from torch_geometric.nn import GATConv, GCNConv

NODES, EDGES, FEATURES = 40, 150, 12
# What says which initializers are parameters, and which were computed of such.
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.export.graph_signature.InputSpec.kind",
        "pkg.onnxscript.optimizer.folded_from"]


class Network(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edge_index):
        return self.second(torch.relu(self.first(x, edge_index)), edge_index)


def save(name, network, dynamo, x, edges, edges_in):
    folder = os.path.join(sys.argv[1], name)
    for each in ["inputs", "outputs", edges_in]:
        os.makedirs(os.path.join(folder, each), exist_ok=True)
    path = folder + "/model.onnx"
    network.eval()
    torch.onnx.export(network, (x, edges), path, input_names=["x", "edge_index"], output_names=["output0"], opset_version=18,
                      dynamo=dynamo, external_data=False)
    model = onnx.load(path)
    model.doc_string = ""
    for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        kept = [entry for entry in each.metadata_props if entry.key in KEPT]
        del each.metadata_props[:]
        each.metadata_props.extend(kept)
    onnx.save(model, path)
    np.save(folder + "/inputs/x.npy", x.numpy())
    np.save(f"{folder}/{edges_in}/edge_index.npy", edges.numpy())
    with torch.no_grad():
        np.save(folder + "/outputs/output0.npy", network(x, edges).numpy())


torch.manual_seed(1)
x = torch.randn(NODES, FEATURES)
edges = torch.randint(0, NODES, (2, EDGES))
edges[1, :5] = edges[0, :5]  # some self-loops
save("pyg_gat", Network(GATConv(FEATURES, 8, heads=2, add_self_loops=False),
                        GATConv(16, 5, add_self_loops=False)), False, x, edges, "inputs")
save("pyg_gcn", Network(GCNConv(FEATURES, 8), GCNConv(8, 5)), True, x, edges, "constants")
