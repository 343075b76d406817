"""Makes training/embedding_bag_sgd: means over bags of embeddings, between offsets that are inputs, with empty bags, as PyTorch
exports them: a Slice between computed places for each bag. Needs torch, onnx, onnxscript; made with 2.15.

usage: export_embedding_bag.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
import torch

WORDS, WIDTH, INDICES, BAGS, CLASSES, STEPS = 9, 4, 10, 4, 3, 6
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.export.graph_signature.InputSpec.kind",
        "pkg.onnxscript.optimizer.folded_from"]


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(WORDS, WIDTH, mode="mean")
        self.head = torch.nn.Linear(WIDTH, CLASSES)

    def forward(self, indices, offsets):
        return self.head(self.bag(indices, offsets))


torch.manual_seed(4)
torch.set_num_threads(1)
network = Network()
folder = sys.argv[1] + "/training/embedding_bag_sgd"
for each in ["inputs", "parameters"]:
    os.makedirs(f"{folder}/{each}", exist_ok=True)
inputs = {"indices": torch.randint(0, WORDS, (STEPS, INDICES)),
          "offsets": torch.tensor([[0, 2, 5, 9], [0, 1, 1, 4], [0, 10, 10, 10], [0, 0, 0, 3], [0, 3, 6, 8], [0, 4, 4, 4]])}
labels = torch.randint(0, CLASSES, (STEPS, BAGS))
torch.onnx.export(network, (inputs["indices"][0], inputs["offsets"][0]), folder + "/model.onnx", input_names=list(inputs),
                  output_names=["y"], opset_version=18, dynamo=True, external_data=False, optimize=False)
model = onnx.load(folder + "/model.onnx")
model.doc_string = ""
for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
    each.doc_string = ""
    kept = [entry for entry in each.metadata_props if entry.key in KEPT]
    del each.metadata_props[:]
    each.metadata_props.extend(kept)
onnx.save(model, folder + "/model.onnx")
for name, value in {**inputs, "labels": labels}.items():
    np.save(f"{folder}/inputs/{name}.npy", value.numpy())
optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
losses = []
for step in range(STEPS):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(network(inputs["indices"][step], inputs["offsets"][step]), labels[step])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
np.save(folder + "/losses.npy", np.float32(losses))
for name, value in network.named_parameters():
    np.save(f"{folder}/parameters/{name}.npy", value.detach().numpy())
