#!/usr/bin/env python3
"""The data of planted.py is what it says, and accuracy counts what is right."""

import os
import tempfile

from checks import equal  # makes the modules known
import planted


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.npy")
    planted.write_npy(path, "<f4", [1, 2.5, -3, 4, 5, 6], (2, 3))
    values, shape = planted.read_npy(path)
    equal("a matrix comes back", (list(values), shape), ([1, 2.5, -3, 4, 5, 6], (2, 3)))
    equal("where values begin", (os.path.getsize(path) - 24) % 64, 0)
    planted.write_npy(path, "<i8", [7, -1], (2,))
    equal("a vector comes back", planted.read_npy(path)[1], (2,))

    drawn = planted.Planted(vertices=2000, degree=20, classes=5, communities=2, inside=0.5, features=8)
    data = planted.draw(drawn, folder)
    with open(data.graph, encoding="utf-8") as file:
        edges = [tuple(map(int, line.split())) for line in file]
    equal("edges, and a loop that names the last vertex", len(edges), 2000 * 20 + 1)
    equal("both directions", {(b, a) for a, b in edges}, set(edges))
    # Half stay in a community; of the others a fifth ends in the same class by chance.
    alike = sum(data.all_labels[a] == data.all_labels[b] for a, b in edges) / len(edges)
    assert 0.57 < alike < 0.63, f"{alike} of the edges are within a class, not 0.6"
    labels, shape = planted.read_npy(data.labels)
    equal("a label for each vertex", shape, (2000,))
    equal("labels of those that are trained on", [v for v, each in enumerate(labels) if each != planted.IGNORED], sorted(data.trained))
    equal("trained and tested", (len(data.trained), len(data.test), len(set(data.trained) & set(data.test))), (1320, 480, 0))
    equal("features", planted.read_npy(data.features)[1], (2000, 8))
    equal("the same again", planted.draw(drawn, folder).all_labels, data.all_labels)

    # A path of three vertices, its first edge there twice: degrees are 3, 4 and 2 with a loop at each.
    path = os.path.join(folder, "path.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("0 1\n1 0\n0 1\n1 0\n1 2\n2 1\n2 2\n")
    matrix, count = planted.normalized(planted.Data(path, "", "", [0, 0, 0], [], [], (1, 1)), folder)
    with open(matrix, encoding="utf-8") as file:
        lines = file.read().splitlines()
    equal("size of the matrix", (lines[1], count), ("3 3 7", 7))
    values = {tuple(map(int, line.split()[:2])): float(line.split()[2]) for line in lines[2:]}
    for place, value in {(1, 1): 1 / 3, (1, 2): 2 / 12**0.5, (2, 1): 2 / 12**0.5, (2, 3): 1 / 8**0.5, (3, 3): 1 / 2}.items():
        assert abs(values[place] - value) < 1e-8, f"{place}: {values[place]}, not {value}"

    path = os.path.join(folder, "a.npy")
    few = planted.Data("", "", "", [0, 2, 1, 1], [1, 2, 3], [0], (8, 3))
    planted.write_npy(path, "<f4", [9, 0, 0, 0, 1, 3, 5, 4, 0, 0, 2, 1], (4, 3))
    equal("two of three are right", planted.accuracy(path, few), 2 / 3)
