"""Makes pyg_gat, pyg_gcn and training/pyg_gcn_sgd: graph networks of PyTorch Geometric on a random graph, as PyTorch exports
them, without what it notes of the source; six steps of training. Needs torch, torch_geometric, onnx, onnxscript; made with 2.15, 2.8.1.

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
    for each in ["inputs", edges_in]:
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
    return folder


def save_outputs(folder, network, x, edges):
    os.makedirs(folder + "/outputs", exist_ok=True)
    with torch.no_grad():
        np.save(folder + "/outputs/output0.npy", network(x, edges).numpy())


def save_training(folder, network, x, edges):
    """Plain gradient descent, as the test says it again."""
    os.makedirs(folder + "/parameters", exist_ok=True)
    labels = torch.randint(0, 5, (NODES,))
    np.save(folder + "/inputs/labels.npy", labels.numpy())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(x, edges), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    np.save(folder + "/losses.npy", np.float32(losses))
    for name, value in network.named_parameters():
        np.save(f"{folder}/parameters/{name}.npy", value.detach().numpy())


torch.manual_seed(1)
x = torch.randn(NODES, FEATURES)
edges = torch.randint(0, NODES, (2, EDGES))
edges[1, :5] = edges[0, :5]  # some self-loops
gat = Network(GATConv(FEATURES, 8, heads=2, add_self_loops=False), GATConv(16, 5, add_self_loops=False))
save_outputs(save("pyg_gat", gat, False, x, edges, "inputs"), gat, x, edges)
gcn = Network(GCNConv(FEATURES, 8), GCNConv(8, 5))
torch.nn.init.uniform_(gcn.first.bias)  # equal initializers would be one
torch.nn.init.uniform_(gcn.second.bias)
save_outputs(save("pyg_gcn", gcn, True, x, edges, "constants"), gcn, x, edges)
save_training(save("training/pyg_gcn_sgd", gcn, True, x, edges, "constants"), gcn, x, edges)
