"""Makes training/topk_adam: a mixture of experts, each sample's two best by a gate, beside the sorted features of a layer, whose
first, third and fourth neuron are equal when training begins: where they tie for the last place, PyTorch takes the first (on a CPU its sort is stable), as
ONNX's TopK. As PyTorch exports it; six steps of training. Needs torch, onnx, onnxscript; made with 2.15.

usage: export_topk.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch

SAMPLES, FEATURES, EXPERTS, HIDDEN, CLASSES, STEPS = 12, 8, 6, 5, 4, 6
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.export.graph_signature.InputSpec.kind",
        "pkg.onnxscript.optimizer.folded_from"]


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(FEATURES, EXPERTS)
        self.experts = torch.nn.Parameter(torch.randn(EXPERTS, FEATURES, HIDDEN) * 0.4)
        self.features = torch.nn.Linear(FEATURES, 7)
        self.head = torch.nn.Linear(HIDDEN + 4, CLASSES)

    def forward(self, x):
        best, which = torch.topk(self.gate(x), 2)
        weights = torch.zeros(SAMPLES, EXPERTS).scatter(1, which, torch.softmax(best, -1))
        mixed = torch.einsum("ne,nf,efh->nh", weights, x, self.experts)
        ranked = torch.sort(self.features(x), dim=-1, descending=True)[0][:, :4]
        return self.head(torch.cat([torch.tanh(mixed), ranked], -1))


torch.manual_seed(3)
torch.set_num_threads(1)
network = Network()
with torch.no_grad():
    for equal in [2, 3]:
        network.features.weight[equal] = network.features.weight[0]
        network.features.bias[equal] = network.features.bias[0]
folder = sys.argv[1] + "/training/topk_adam"
for each in ["inputs", "parameters"]:
    os.makedirs(f"{folder}/{each}", exist_ok=True)
x, labels = torch.randn(STEPS, SAMPLES, FEATURES), torch.randint(0, CLASSES, (STEPS, SAMPLES))
torch.onnx.export(network, (x[0],), folder + "/model.onnx", input_names=["x"], output_names=["y"], opset_version=18, dynamo=True,
                  external_data=False, optimize=False)
model = onnx.load(folder + "/model.onnx")
for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
    each.doc_string = ""
    kept = [entry for entry in each.metadata_props if entry.key in KEPT]
    del each.metadata_props[:]
    each.metadata_props.extend(kept)
onnx.save(model, folder + "/model.onnx")
np.save(folder + "/inputs/x.npy", x.numpy())
np.save(folder + "/inputs/labels.npy", labels.numpy())
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
losses = []
for step in range(STEPS):
    ranked = network.features(x[step]).sort(-1, descending=True)[0]
    print("ties at the fourth place:", int((ranked[:, 3] == ranked[:, 4]).sum()))
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(network(x[step]), labels[step])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
np.save(folder + "/losses.npy", np.float32(losses))
for name, value in network.named_parameters():
    np.save(f"{folder}/parameters/{name}.npy", value.detach().numpy())
