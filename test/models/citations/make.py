#!/usr/bin/env python3
"""Makes test/models/citations: a citation graph as Cora's files have it, but small and drawn. Papers cite mostly papers of
their own class, and use mostly its words; so a graph network learns the classes from three labels each.

usage: test/models/citations/make.py FOLDER      (needs NumPy and SciPy; nothing of the tests does)
"""

import os
import sys

import numpy as np
import scipy.sparse

CLASSES, EACH, WORDS, LABELLED = 7, 20, 1433, 3


def main(folder):
    random = np.random.default_rng(1)
    nodes = CLASSES * EACH
    labels = random.permutation(np.repeat(np.arange(CLASSES), EACH))
    edges = set()
    for paper in range(nodes):
        own, all_papers = np.flatnonzero(labels == labels[paper]), np.arange(nodes)
        for cited in [*random.choice(own, 3), *random.choice(all_papers, 1)]:
            if cited != paper:
                edges |= {(paper, int(cited)), (int(cited), paper)}
    source, destination = zip(*sorted(edges))
    adjacency = scipy.sparse.csr_matrix((np.ones(len(edges), np.float32), (source, destination)), (nodes, nodes))
    features = scipy.sparse.lil_matrix((nodes, WORDS), dtype=np.float32)
    for paper in range(nodes):
        features[paper, random.integers(40, size=6) + 40 * labels[paper]] = 1
        features[paper, random.integers(WORDS, size=6)] = 1
    scipy.sparse.save_npz(os.path.join(folder, "adjacency.npz"), adjacency)
    scipy.sparse.save_npz(os.path.join(folder, "features.npz"), features.tocsr())
    np.save(os.path.join(folder, "labels.npy"), labels)
    ranks = np.empty(nodes, int)  # of each paper among those of its class
    for label in range(CLASSES):
        ranks[labels == label] = np.arange(EACH)
    parts = {"train": ranks < LABELLED, "val": (LABELLED <= ranks) & (ranks < 8), "test": ranks >= 8}
    for name, part in parts.items():
        np.save(os.path.join(folder, name + ".npy"), np.flatnonzero(part))


if __name__ == "__main__":
    main(sys.argv[1])
