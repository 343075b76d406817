"""Graphs like molecules, drawn at random, for graph_peer.py."""

import json

import numpy as np
import scipy.sparse


def molecules(task):
    """Files of graphs like molecules, so many side by side in each: trees of about `atoms` nodes, few branches, and one to three rings."""
    for seed, (path, count) in enumerate(task["files"]):
        draw_molecules(np.random.default_rng(seed), path, count, task["atoms"])


def draw_molecules(random, path, count, atoms):
    """Beside the file, another one has how many nodes and edges each molecule has, an edge to itself for each node among them."""
    pairs, sizes, first = [], [], 0
    for _ in range(count):
        nodes = int(random.integers(atoms - 6, atoms + 7))
        bonds = [(int(random.integers(max(0, atom - 4), atom)), atom) for atom in range(1, nodes)]
        for ring in range(int(random.integers(1, 4))):
            a = int(random.integers(nodes - 5))
            bonds.append((a, a + 5))
        sizes.append((nodes, 2 * len({*bonds}) + nodes))
        pairs += [(first + a, first + b) for a, b in bonds]
        first += nodes
    ends = np.array(sorted({*pairs, *((b, a) for a, b in pairs)}))
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix((np.ones(len(ends), np.float32), ends.T), (first, first)))
    with open(path + ".sizes.json", "w", encoding="utf-8") as file:
        json.dump(sizes, file)
