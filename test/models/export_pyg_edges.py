"""Makes pyg_gcn_edges, training/pyg_gcn_edges_sgd and training/pyg_rgcn_edges_sgd: graph networks of PyTorch Geometric whose edges
are inputs. How many rows there are within them depends on values: GCNConv drops self-loops of its own before it adds one to each node
(NonZero), RGCNConv takes the edges of each type apart. Edges have self-loops, and others in each step of training. Needs torch,
torch_geometric, onnx, onnxscript; made with 2.15, 2.8.1.

usage: export_pyg_edges.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch
from torch_geometric.nn import GCNConv, RGCNConv

NODES, EDGES, FEATURES, TYPES, STEPS = 12, 40, 6, 3, 6
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.export.graph_signature.InputSpec.kind",
        "pkg.onnxscript.optimizer.folded_from"]


class Network(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second
        torch.nn.init.uniform_(first.bias)
        torch.nn.init.uniform_(second.bias)

    def forward(self, x, *edges):
        return self.second(torch.relu(self.first(x, *edges)), *edges)


def save_model(folder, network, names, arguments, **options):
    os.makedirs(folder + "/inputs", exist_ok=True)
    path = folder + "/model.onnx"
    network.eval()
    torch.onnx.export(network, arguments, path, input_names=names, output_names=["output0"], opset_version=18,
                      external_data=False, **options)
    model = onnx.load(path)
    model.doc_string = ""
    for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        kept = [entry for entry in each.metadata_props if entry.key in KEPT]
        del each.metadata_props[:]
        each.metadata_props.extend(kept)
    onnx.save(model, path)


def edges_of_step(step):
    edges = torch.randint(0, NODES, (2, EDGES))
    loops = 3 * step  # none in the first
    edges[1, :loops] = edges[0, :loops]
    edges[1, loops:] = (edges[0, loops:] + torch.randint(1, NODES, (EDGES - loops,))) % NODES
    return edges


def save_training(name, network, names, inputs, **options):
    folder = f"{sys.argv[1]}/training/{name}"
    save_model(folder, network, names, tuple(each[0] for each in inputs), **options)
    os.makedirs(folder + "/parameters", exist_ok=True)
    labels = torch.randint(0, 5, (STEPS, NODES))
    for input_name, value in zip(names + ["labels"], inputs + [labels]):
        np.save(f"{folder}/inputs/{input_name}.npy", value.numpy())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(*(each[step] for each in inputs)), labels[step])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    np.save(folder + "/losses.npy", np.float32(losses))
    for parameter, value in network.named_parameters():
        np.save(f"{folder}/parameters/{parameter}.npy", value.detach().numpy())


torch.manual_seed(2)
torch.set_num_threads(1)
x = torch.randn(STEPS, NODES, FEATURES)
edges = torch.stack([edges_of_step(step) for step in range(STEPS)])
types = torch.randint(0, TYPES, (STEPS, EDGES))
types[4] = 1  # none of the others

gcn = Network(GCNConv(FEATURES, 4), GCNConv(4, 5))
folder = sys.argv[1] + "/pyg_gcn_edges"
save_model(folder, gcn, ["x", "edge_index"], (x[3], edges[3]), dynamo=True)
np.save(folder + "/inputs/x.npy", x[3].numpy())
np.save(folder + "/inputs/edge_index.npy", edges[3].numpy())
os.makedirs(folder + "/outputs", exist_ok=True)
with torch.no_grad():
    np.save(folder + "/outputs/output0.npy", gcn(x[3], edges[3]).numpy())
save_training("pyg_gcn_edges_sgd", gcn, ["x", "edge_index"], [x, edges], dynamo=True, optimize=False)
rgcn = Network(RGCNConv(FEATURES, 4, TYPES), RGCNConv(4, 5, TYPES))
save_training("pyg_rgcn_edges_sgd", rgcn, ["x", "edge_index", "edge_type"], [x, edges, types], dynamo=False,
              do_constant_folding=False)
