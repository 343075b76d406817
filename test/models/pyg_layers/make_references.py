"""Makes layers.json: layers of PyTorch Geometric (layers.py) on a random graph with parallel edges, self-loops and nodes that no
edge leads to, as models of smex, and what PyG and PyTorch make of them: results, the loss, gradients. Needs torch and
torch_geometric; made with 2.15, 2.8.1.

usage: make_references.py
"""

import json
import os

import torch
from torch import nn

from layers import D, F, LAYERS, R, Model

NODES, EDGES, LARGEST = 13, 30, 12  # and features of a result
SEED = 1


class Network(nn.Module):
    """A layer, whose operands are computed, too, so that their gradients are seen."""

    def __init__(self, make, needs):
        super().__init__()
        self.needs = needs
        self.w0 = nn.Parameter(torch.randn(F, F) * 0.6)
        if "u" in needs:
            self.wu = nn.Parameter(torch.randn(D, D) * 0.6)
        if "w" in needs:
            self.we = nn.Parameter(torch.randn(D) * 0.4)
        self.conv = make()
        for parameter in self.conv.parameters():
            if parameter.numel() > 1:
                parameter.data = torch.randn_like(parameter) * 0.4

    def forward(self, x0, u0, edges, types, positions):
        h, needs = x0 @ self.w0.T, self.needs
        h = torch.exp(h * 0.3) if "+" in needs else h
        operands = [h, *([x0] if needs == "x0w" else [h] if needs == "xx" else []), *([positions] if "p" in needs else []), edges]
        operands += [torch.zeros(len(x0), dtype=torch.long)] if "n" in needs else []
        operands += [types] if "t" in needs else []
        named = {"edge_attr": u0 @ self.wu.T} if "u" in needs else {}
        if "w" in needs:
            named["edge_weight"] = torch.exp(u0 @ self.we)
        return self.conv(*operands, **named)


def build(network, add):
    needs = network.needs
    model = Model(dict(network.named_parameters()))
    x = model.add("lin", "x0", model.parameter("w0"))
    x = model.add("positive", x) if "+" in needs else x
    u = model.add("lin", "u0", model.parameter("wu")) if "u" in needs else None
    w = model.add("weights_of", "u0", model.parameter("we")) if "w" in needs else None
    model.nodes.append({"op": "Identity", "inputs": [add(model, x, u, w)], "outputs": ["y"]})
    return model


def draw_edges():
    """Few nodes, so that edges meet; no two self-loops of one node, which PyG makes one of."""
    edges, loops = [], set()
    for source, end in zip(torch.randint(NODES, (EDGES,)).tolist(), torch.randint(NODES - 3, (EDGES,)).tolist()):
        if source != end or source not in loops:
            edges.append((source, end))
        loops |= {source} if source == end else set()
    return edges + [edge for edge in edges if edge[0] != edge[1]][:3]


def rounded(tensor):
    """As lists, of digits that tell floats apart."""
    flat = [float(f"{value:.9g}") for value in tensor.detach().double().flatten().tolist()]
    return flat if tensor.dim() == 1 else torch.tensor(flat, dtype=torch.float64).reshape(tensor.shape).tolist()


def main():
    torch.manual_seed(SEED)
    edges = draw_edges()
    ends = torch.tensor(edges).T
    inputs = {"x0": torch.randn(NODES, F), "u0": torch.randn(len(edges), D) * 0.7, "pos": torch.randn(NODES, 2)}
    types, labels = torch.randint(R, (len(edges),)), torch.randn(NODES, LARGEST)
    written = {}
    for name, (make, add, needs) in LAYERS.items():
        network = Network(make, needs)
        result = network(inputs["x0"], inputs["u0"], ends, types, inputs["pos"])
        loss = nn.functional.mse_loss(result, labels[:, :result.shape[1]])
        loss.backward()
        model = build(network, add)
        parameters = dict(network.named_parameters())
        missing = [each for each, value in parameters.items() if each not in model.used and value.grad is not None and value.grad.abs().max() > 0]
        assert not missing, f"{name}: its model does not have {missing}"
        used = {each: parameters[each] for each in model.used}
        written[name] = {"nodes": model.nodes, "result": rounded(result), "loss": float(loss),
                         "parameters": {each: rounded(value) for each, value in used.items()},
                         "gradients": {each: rounded(torch.zeros_like(value) if value.grad is None else value.grad)
                                       for each, value in used.items()}}
    text = [f'"edges": {json.dumps(edges)}', f'"types": {json.dumps(types.tolist())}', f'"relations": {R}',
            *(f'"{name}": {json.dumps(rounded(value))}' for name, value in {**inputs, "labels": labels}.items()),
            '"layers": {\n' + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in written.items()) + "}"]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.json"), "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(text) + "}\n")


if __name__ == "__main__":
    main()
