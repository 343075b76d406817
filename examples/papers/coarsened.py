"""The coarsened graph of Tofu's thesis (section 3.5.1), of the training graph that smexc prints: groups of a node of the model and
of what is derived from it, timesteps as one, and whether that is a chain."""

import dataclasses
import os
import re
import subprocess
import tempfile

APPLY = re.compile(r"^ *(%\d+)(?::\d+)? = smex\.apply (@\S+?)\(([^)]*)\)(.*)$", re.M)


@dataclasses.dataclass
class Graph:
    groups: set
    forward: set  # pairs of groups of which one reads what the other makes, in the forward pass
    all: set  # the same of both passes
    updates: list  # of each operator of an optimizer, whether it is element-wise
    element_wise: int  # operators, of
    operators: int


def training_graph(options, model, batch, *more, optimizer="adagrad"):
    """What smexc prints of a model's training graph, nothing composed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        subprocess.run([options.zoo, *model.arguments, f"--batch={batch}", "-o", path], check=True, stdout=subprocess.DEVNULL)
        return subprocess.run([options.smexc, path, "--train", "--loss", model.loss, "--optimizer", optimizer, "--lr", "0.01",
                               "--gpus", "1", "--emit", "semantic", *more], check=True, stdout=subprocess.PIPE, text=True).stdout


def is_element_wise(described):
    """Whether a lambda reads its operands at its own indices alone, all or some in their order, and adds nothing up."""
    _, _, body = described.partition(": lambda ")
    indices, _, body = body.partition(":")
    own = indices.replace(" ", "").split(",") if indices.strip() else []
    if re.search(r"\b(Sum|Max|Min|Prod)\(|@", body):
        return False
    reads = [each.replace(" ", "") for each in re.findall(r"\bx\d+\[([^\[\]]*)\]", body)]
    return all(read in ("", ",".join(own)) for read in reads)


def adds(described):
    """Whether all that a lambda does is to add up its operands."""
    terms = [re.fullmatch(r"x\d+(\[[^\[\]]*\])", term) for term in described.rpartition(": ")[2].split(" + ")]
    return len(terms) > 1 and all(terms) and len({term.group(1) for term in terms}) == 1


def read(text):
    lambdas = dict(re.findall(r'tdl\.lambda (@\S+) = "([^"]*)"', text))
    graph, made, constants = Graph(set(), set(), set(), [], 0, 0), {}, set()
    for value, name, operands, rest in APPLY.findall(text):
        node = re.search(r'\bnode = "([^"]*)"', rest).group(1)
        element_wise = is_element_wise(lambdas[name])
        graph.operators += 1
        graph.element_wise += element_wise
        if node.startswith("optimizer of "):
            graph.updates.append(element_wise)
            continue
        group = re.sub(r"/step\d+", "", node) or "loss"  # what the loss begins with has no node
        if set(re.findall(r"%\w+", operands)) <= constants:
            constants.add(value)  # such as the state before the first timestep
            continue
        backward = "gradient_of" in rest
        sources = set().union(*(made.get(operand, set()) for operand in re.findall(r"%\w+", operands)))
        if backward and adds(lambdas[name]):
            made[value] = sources  # a sum of gradients is of the tensor's group, not of an operator's
            continue
        graph.groups.add(group)
        pairs = {frozenset((source, group)) for source in sources - {group}}
        graph.all |= pairs
        if not backward:
            graph.forward |= pairs
        made[value] = {group}
    return graph


def knots(groups, pairs):
    """What is left of a graph if what has one neighbour goes, and what has two becomes a link of them: nothing of a chain whose
    forks join again, which the text calls linear."""
    near = {group: set() for group in groups}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    work = list(near)
    while work:
        group = work.pop()
        if group not in near or len(near[group]) > 2:
            continue
        ends = near.pop(group)
        for end in ends:
            near[end] |= ends - {end}
            near[end].discard(group)
        work += ends
    return set(near)
