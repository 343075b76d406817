"""PyTorch Geometric's layers, rebuilt by their definitions of what smexc has and of operators.txt: `LAYERS[name]` is how PyG makes
one, a function that adds its nodes to a `Model`, and what it is called with."""

import math

import torch
import torch_geometric.nn as G
from torch import nn
from torch_geometric.nn import aggr as A

# Features of a node, of its result, of an edge; heads; types of edges.
F, O, D, H, R = 4, 3, 2, 2, 3


class Model:
    """Nodes of a model in smex's JSON, by the names that PyG gives parameters."""

    def __init__(self, parameters):
        self.known, self.used, self.nodes = set(parameters), [], []

    def parameter(self, name):
        assert name in self.known, f"{name}: not one of {sorted(self.known)}"
        if name not in self.used:
            self.used.append(name)
        return name

    def add(self, op, *inputs, **attributes):
        result = f"t{len(self.nodes)}"
        node = {"op": op, "inputs": list(inputs), "outputs": [result]}
        self.nodes.append({**node, "attributes": attributes} if attributes else node)
        return result

    def own(self, name):
        """A parameter of the layer."""
        return self.parameter("conv." + name)

    def linear(self, x, at):
        bias = f"conv.{at}.bias" in self.known
        return self.add("linb" if bias else "lin", x, self.own(at + ".weight"), *([self.own(at + ".bias")] if bias else []))

    def bias(self, y):
        return self.add("plus_bias", y, self.own("bias"))


S, T = "src", "dst"

LAYERS = {}


def layer(name, make, *, needs="x"):
    """`needs`: what PyG's layer is called with: features (x; x0, also those that come in; xx, twice), features of edges (u), their
    weights (w) or types (t), positions (p), types of nodes (n); +: features that are positive."""
    def wrap(f):
        LAYERS[name] = (make, f, needs)
        return f
    return wrap


# x: features h; u: edge features; w: weights of edges
for nm, kw in {"gcn": {}, "gcn improved": dict(improved=True)}.items():
    @layer(nm, lambda kw=kw: G.GCNConv(F, O, **kw), needs="xw")
    def _(m, x, u, w, kw=kw): return m.bias(m.add("gcn_loops", m.linear(x, "lin"), w, S, T, fill=2.0 if kw else 1.0))

@layer("gcn no loops", lambda: G.GCNConv(F, O, add_self_loops=False), needs="xw")
def _(m, x, u, w): return m.bias(m.add("gcn_plain", m.linear(x, "lin"), w, S, T))

@layer("gcn unweighted", lambda: G.GCNConv(F, O))
def _(m, x, u, w): return m.bias(m.add("gcn_loops", m.linear(x, "lin"), m.add("ones", "u0"), S, T))

@layer("gcn no normalize", lambda: G.GCNConv(F, O, normalize=False), needs="xw")
def _(m, x, u, w): return m.bias(m.add("sum_w", m.linear(x, "lin"), w, S, T))

def gat(m, x, u, w, concat=True, res=False):
    y = m.add("heads", m.linear(x, "lin"), H=H)
    if u:
        t = m.add("att", m.add("heads", m.linear(u, "lin_edge"), H=H), m.own("att_edge"))
        o = m.add("att", m.add("heads", m.linear(m.add("loop_mean", u, x, S, T), "lin_edge"), H=H), m.own("att_edge"))
    else:
        t, o = m.add("zeros_e", "u0", H=H), m.add("zeros_v", x, H=H)
    r = m.add("gat_sum", y, m.add("att", y, m.own("att_src")), m.add("att", y, m.own("att_dst")), t, o, S, T)
    r = m.add("flat", r) if concat else m.add("mean_heads", r)
    if res:
        r = m.add("Add", r, m.linear(x, "res"))
    return m.bias(r)

layer("gat", lambda: G.GATConv(F, O, H))(gat)
layer("gat edges", lambda: G.GATConv(F, O, H, edge_dim=D), needs="xu")(gat)
layer("gat mean residual", lambda: G.GATConv(F, O, H, concat=False, residual=True))(lambda m, x, u, w: gat(m, x, u, w, False, True))

def gatv2(m, x, u, w, share=False):
    l = m.add("heads", m.linear(x, "lin_l"), H=H)
    r = l if share else m.add("heads", m.linear(x, "lin_r"), H=H)
    if u:
        t = m.add("heads", m.linear(u, "lin_edge"), H=H)
        o = m.add("heads", m.linear(m.add("loop_mean", u, x, S, T), "lin_edge"), H=H)
    else:
        t, o = m.add("zeros_ehc", "u0", H=H, C=O), m.add("zeros_vhc", x, H=H, C=O)
    return m.bias(m.add("flat", m.add("gatv2", l, r, t, o, m.own("att"), S, T)))

layer("gatv2", lambda: G.GATv2Conv(F, O, H))(gatv2)
layer("gatv2 edges", lambda: G.GATv2Conv(F, O, H, edge_dim=D), needs="xu")(gatv2)
layer("gatv2 shared", lambda: G.GATv2Conv(F, O, H, share_weights=True))(lambda m, x, u, w: gatv2(m, x, u, w, True))
layer("supergat", lambda: G.SuperGATConv(F, O, H, attention_type="MX").eval())(
    lambda m, x, u, w: m.bias(m.add("flat", m.add("super_mx", m.add("heads", m.linear(x, "lin"), H=H), m.own("att_l"), m.own("att_r"), S, T))))

def median(m, msg):
    each = {"op": "median_of_mailbox", "inputs": ["m", "n"], "outputs": ["r"]}
    return m.add("reduce_mailboxes", msg, reduce={"graph": {"inputs": ["m", "n"], "nodes": [each], "outputs": ["r"]}})

def sage(aggr):
    def f(m, x, u, w):
        msg = m.add("at", x, S)
        if aggr == "mean":
            a = m.add("mean_messages", msg, T, x)
        elif aggr in ("sum", "max", "min"):
            a = m.add(aggr + "_messages", msg, T, x)
        elif aggr in ("std", "var"):
            a = m.add(aggr + "_of", msg, T, x)
        elif aggr == "softmax":
            a = m.add("softmax_sum", msg, m.own("aggr_module.t"), T, x)
        elif aggr == "powermean":
            a = m.add("power_mean", msg, m.own("aggr_module.p"), T, x)
        elif aggr == "median":
            a = median(m, msg)
        return m.add("Add", m.linear(a, "lin_l"), m.linear(x, "lin_r"))
    return f

for a in ("mean", "sum", "max", "min", "std", "var", "median"):
    layer("sage " + a, lambda a=a: G.SAGEConv(F, O, aggr=a))(sage(a))

layer("sage softmax", lambda: G.SAGEConv(F, O, aggr=A.SoftmaxAggregation(t=0.7, learn=True)))(sage("softmax"))
layer("sage powermean", lambda: G.SAGEConv(F, O, aggr=A.PowerMeanAggregation(p=1.7, learn=True)), needs="x+")(sage("powermean"))

@layer("sage normalize project", lambda: G.SAGEConv(F, O, normalize=True, project=True))
def _(m, x, u, w):
    y = m.add("Relu", m.linear(x, "lin"))
    return m.add("normalized", m.add("Add", m.linear(m.add("mean_messages", m.add("at", y, S), T, x), "lin_l"), m.linear(x, "lin_r")))

@layer("sage multi", lambda: G.SAGEConv(F, O, aggr=["mean", "max", "std"]))
def _(m, x, u, w):
    msg = m.add("at", x, S)
    a = m.add("Concat", m.add("mean_messages", msg, T, x), m.add("max_messages", msg, T, x), m.add("std_of", msg, T, x), axis=1)
    return m.add("Add", m.linear(a, "lin_l"), m.linear(x, "lin_r"))

mlp = lambda i, o: nn.Sequential(nn.Linear(i, 5), nn.ReLU(), nn.Linear(5, o))

def run_mlp(m, x, at): return m.linear(m.add("Relu", m.linear(x, at + ".0")), at + ".2")

@layer("gin", lambda: G.GINConv(mlp(F, O), train_eps=True))
def _(m, x, u, w): return run_mlp(m, m.add("gin_eps", m.add("sum_messages", m.add("at", x, S), T, x), x, m.own("eps")), "nn")

@layer("gine", lambda: G.GINEConv(mlp(F, O), train_eps=True, edge_dim=D), needs="xu")
def _(m, x, u, w):
    msg = m.add("Relu", m.add("Add", m.add("at", x, S), m.linear(u, "lin")))
    return run_mlp(m, m.add("gin_eps", m.add("sum_messages", msg, T, x), x, m.own("eps")), "nn")

def rgcn(kind, op):
    def f(m, x, u, w):
        weight = m.own("weight")
        if kind == "bases":
            weight = m.add("bases", m.own("comp"), weight)
        if kind == "blocks":
            weight = m.add("blocks", weight)
        return m.bias(m.add("Add", m.add(op, x, weight, "types", S, T), m.add("matmul", x, m.own("root"))))
    return f

layer("rgcn", lambda: G.RGCNConv(F, O, R), needs="xt")(rgcn("", "rel_mean"))
layer("rgcn bases", lambda: G.RGCNConv(F, O, R, num_bases=2), needs="xt")(rgcn("bases", "rel_mean"))
layer("rgcn blocks", lambda: G.RGCNConv(F, 2, R, num_blocks=2), needs="xt")(rgcn("blocks", "rel_mean"))
layer("rgcn sum", lambda: G.RGCNConv(F, O, R, aggr="add"), needs="xt")(rgcn("", "rel_sum"))

def transformer(m, x, u, w, beta=False, concat=True):
    q, k, v = (m.add("heads", m.linear(x, "lin_" + n), H=H) for n in ("query", "key", "value"))
    t = m.add("heads", m.linear(u, "lin_edge"), H=H) if u else m.add("zeros_ehc", "u0", H=H, C=O)
    a = m.add("transformer", q, k, v, t, S, T)
    a = m.add("flat", a) if concat else m.add("mean_heads", a)
    s = m.linear(x, "lin_skip")
    return m.add("beta_of", a, s, m.own("lin_beta.weight")) if beta else m.add("Add", a, s)

layer("transformer", lambda: G.TransformerConv(F, O, H))(transformer)
layer("transformer edges", lambda: G.TransformerConv(F, O, H, edge_dim=D), needs="xu")(transformer)
layer("transformer beta", lambda: G.TransformerConv(F, O, H, beta=True))(lambda m, x, u, w: transformer(m, x, u, w, True))
layer("transformer mean", lambda: G.TransformerConv(F, O, H, concat=False))(lambda m, x, u, w: transformer(m, x, u, w, False, False))

DEG = torch.tensor([1, 2, 3, 4, 2])
LOG = float(((torch.arange(5) + 1).log() * DEG).sum() / DEG.sum())

def pna(towers, edges):
    def f(m, x, u, w):
        outs = []
        h = m.add("pair", x, S, T)
        if u:
            h = m.add("join2", h, m.linear(u, "edge_encoder"))
        for i in range(towers):
            msg = m.linear(h, f"pre_nns.{i}.0")
            a = m.add("Concat", *(m.add(op, msg, T, x) for op in ("mean_messages", "min_messages", "max_messages", "std_of")), axis=1)
            a = m.add("scaled", a, T, log=LOG)
            outs.append(m.linear(m.add("join2", x, a), f"post_nns.{i}.0"))
        y = m.add("Concat", *outs, axis=1) if towers > 1 else outs[0]
        return m.linear(y, "lin")
    return f

PN = dict(aggregators=["mean", "min", "max", "std"], scalers=["identity", "amplification", "attenuation"], deg=DEG)

layer("pna", lambda: G.PNAConv(F, O, **PN))(pna(1, False))
layer("pna towers edges", lambda: G.PNAConv(F, 4, towers=2, edge_dim=D, **PN), needs="xu")(pna(2, True))

@layer("graphconv", lambda: G.GraphConv(F, O), needs="xw")
def _(m, x, u, w): return m.add("Add", m.linear(m.add("sum_w", x, w, S, T), "lin_rel"), m.linear(x, "lin_root"))

@layer("graphconv max", lambda: G.GraphConv(F, O, aggr="max"))
def _(m, x, u, w): return m.add("Add", m.linear(m.add("max_messages", m.add("at", x, S), T, x), "lin_rel"), m.linear(x, "lin_root"))

@layer("gatedgraph", lambda: G.GatedGraphConv(F, 2), needs="xw")
def _(m, x, u, w):
    for i in range(2):
        a = m.add("sum_w", m.add("matmul", x, m.add("slice3", m.own("weight"), at=i)), w, S, T)
        x = m.add("gru", m.add("linb", a, m.own("rnn.weight_ih"), m.own("rnn.bias_ih")), m.add("linb", x, m.own("rnn.weight_hh"), m.own("rnn.bias_hh")), x)
    return x

@layer("resgated", lambda: G.ResGatedGraphConv(F, O))
def _(m, x, u, w): return m.bias(m.add("Add", m.add("sigmoid_gate", m.linear(x, "lin_key"), m.linear(x, "lin_query"), m.linear(x, "lin_value"), S, T), m.linear(x, "lin_skip")))

@layer("resgated edges", lambda: G.ResGatedGraphConv(F, O, edge_dim=D), needs="xu")
def _(m, x, u, w):
    k, q, v = m.add("join2", m.add("at", x, T), u), m.add("join2", m.add("at", x, S), u), m.add("join2", m.add("at", x, S), u)
    g = m.add("Sigmoid", m.add("Add", m.linear(k, "lin_key"), m.linear(q, "lin_query")))
    return m.bias(m.add("Add", m.add("sum_messages", m.add("Mul", g, m.linear(v, "lin_value")), T, x), m.linear(x, "lin_skip")))

@layer("agnn", lambda: G.AGNNConv())
def _(m, x, u, w): return m.add("agnn", x, m.own("beta"), S, T)

@layer("tag", lambda: G.TAGConv(F, O, K=2), needs="xw")
def _(m, x, u, w):
    y = m.linear(x, "lins.0")
    for i in 1, 2:
        x = m.add("gcn_plain", x, w, S, T)
        y = m.add("Add", y, m.linear(x, f"lins.{i}"))
    return m.bias(y)

@layer("sg", lambda: G.SGConv(F, O, K=2), needs="xw")
def _(m, x, u, w): return m.linear(m.add("gcn_loops", m.add("gcn_loops", x, w, S, T), w, S, T), "lin")

@layer("ssg", lambda: G.SSGConv(F, O, alpha=0.1, K=2), needs="xw")
def _(m, x, u, w):
    h = m.add("scale", x, by=0.1)
    for _ in range(2):
        x = m.add("gcn_loops", x, w, S, T)
        h = m.add("Add", h, m.add("scale", x, by=0.45))
    return m.linear(h, "lin")

@layer("appnp", lambda: G.APPNP(3, 0.1), needs="xw")
def _(m, x, u, w):
    h = x
    for _ in range(3): x = m.add("Add", m.add("scale", m.add("gcn_loops", x, w, S, T), by=0.9), m.add("scale", h, by=0.1))
    return x

@layer("mf", lambda: G.MFConv(F, O, max_degree=3))
def _(m, x, u, w):
    stack = lambda what: m.add("Concat", *(m.add("Unsqueeze", m.own(f"{what[0]}.{i}.{what[1]}"), "axis0") for i in range(4)), axis=0)
    return m.add("mf", m.add("sum_messages", m.add("at", x, S), T, x), x, stack(("lins_l", "weight")), stack(("lins_l", "bias")), stack(("lins_r", "weight")), T)

@layer("rgat", lambda: G.RGATConv(F, O, R, heads=H, edge_dim=D), needs="xut")
def _(m, x, u, w):
    W = m.own("weight")
    oi, oj = m.add("rgat_out", x, W, T, "types"), m.add("rgat_out", x, W, S, "types")
    al = m.add("Add", m.add("Add", m.add("matmul", oi, m.own("q")), m.add("matmul", oj, m.own("k"))), m.add("matmul", m.linear(u, "lin_edge"), m.own("e")))
    p = m.add("softmax_edges", m.add("leaky", al), T, x)
    msg = m.add("Mul", m.add("Unsqueeze", p, "axis2"), m.add("heads", oj, H=H))
    return m.bias(m.add("flat", m.add("sum_of", msg, T, x)))

@layer("film", lambda: G.FiLMConv(F, O))
def _(m, x, u, w):
    y = m.add("film_skip", m.linear(x, "lin_skip"), m.linear(x, "film_skip"))
    return m.add("Add", y, m.add("mean_film", m.linear(x, "lins.0"), m.linear(x, "films.0"), S, T))

@layer("film relations", lambda: G.FiLMConv(F, O, num_relations=R, aggr="add"), needs="xt")
def _(m, x, u, w):
    y = m.add("film_skip", m.linear(x, "lin_skip"), m.linear(x, "film_skip"))
    for r in range(R): y = m.add("Add", y, m.add("film_of", m.linear(x, f"lins.{r}"), m.linear(x, f"films.{r}"), "types", S, T, r=r))
    return y

@layer("cg", lambda: G.CGConv(F, D), needs="xu")
def _(m, x, u, w):
    z = m.add("join2", m.add("pair", x, S, T), u)
    return m.add("cg", m.linear(z, "lin_f"), m.linear(z, "lin_s"), T, x)

@layer("edgeconv", lambda: G.EdgeConv(mlp(2 * F, O)))
def _(m, x, u, w): return m.add("max_of", run_mlp(m, m.add("pair_diff", x, S, T), "nn"), T, x)

@layer("nnconv", lambda: G.NNConv(F, O, mlp(D, F * O), aggr="mean"), needs="xu")
def _(m, x, u, w): return m.bias(m.add("Add", m.add("mean_messages", m.add("edge_matmul", x, run_mlp(m, u, "nn"), S, O=O), T, x), m.linear(x, "lin")))

@layer("gen", lambda: G.GENConv(F, O, aggr=A.SoftmaxAggregation(t=0.7, learn=True), msg_norm=True, learn_msg_scale=True, norm="layer", edge_dim=D), needs="xu")
def _(m, x, u, w):
    y = m.linear(x, "lin_src")
    msg = m.add("relu_eps", m.add("Add", m.add("at", y, S), m.linear(u, "lin_edge")))
    a = m.add("softmax_sum", msg, m.own("aggr_module.t"), T, x)
    a = m.add("msg_norm", x, a, m.own("msg_norm.scale"))
    a = m.add("Add", a, m.linear(x, "lin_dst"))
    h = m.add("Relu", m.add("layer_norm", m.linear(a, "mlp.0"), m.own("mlp.1.weight"), m.own("mlp.1.bias")))
    return m.linear(h, "mlp.4")

@layer("gcn2", lambda: G.GCN2Conv(F, 0.2, theta=0.5, layer=2, shared_weights=False), needs="x0w")
def _(m, x, u, w):
    y = m.add("scale", m.add("gcn_loops", x, w, S, T), by=0.8)
    z = m.add("scale", "x0", by=0.2)
    b = math.log(0.5 / 2 + 1)
    part = lambda t, n: m.add("Add", m.add("scale", t, by=1 - b), m.add("scale", m.add("matmul", t, m.own(n)), by=b))
    return m.add("Add", part(y, "weight1"), part(z, "weight2"))

@layer("le", lambda: G.LEConv(F, O), needs="xw")
def _(m, x, u, w): return m.add("Add", m.add("le", m.linear(x, "lin1"), m.linear(x, "lin2"), w, S, T), m.linear(x, "lin3"))

@layer("cluster", lambda: G.ClusterGCNConv(F, O, diag_lambda=0.5))
def _(m, x, u, w): return m.add("Add", m.linear(m.add("cluster", x, S, T, by=0.5), "lin_out"), m.linear(x, "lin_root"))

@layer("feast", lambda: G.FeaStConv(F, O, H))
def _(m, x, u, w): return m.bias(m.add("feast_mean", x, m.add("heads", m.linear(x, "lin"), H=H), m.own("u.weight"), m.own("c"), S, T))

@layer("gmm", lambda: G.GMMConv(F, O, D, 2), needs="xu")
def _(m, x, u, w): return m.bias(m.add("Add", m.add("gmm_mean", m.add("matmul", x, m.own("g")), u, m.own("mu"), m.own("sigma"), S, T), m.linear(x, "root")))

@layer("gmm separate", lambda: G.GMMConv(F, O, D, 2, separate_gaussians=True, aggr="add"), needs="xu")
def _(m, x, u, w): return m.bias(m.add("Add", m.add("gmm_separate", x, u, m.own("g"), m.own("mu"), m.own("sigma"), S, T), m.linear(x, "root")))

@layer("fa", lambda: G.FAConv(F, eps=0.1), needs="xx")
def _(m, x, u, w): return m.add("fa", x, m.linear(x, "att_l"), m.linear(x, "att_r"), S, T)

@layer("eg", lambda: G.EGConv(F, 4, ["sum", "mean", "max", "std", "symnorm"], num_heads=2, num_bases=3))
def _(m, x, u, w):
    b = m.linear(x, "bases_lin")
    parts = [m.add("with_loops", b, S, T, how=h) for h in ("sum", "mean", "max")]
    parts += [m.add("std_loops", b, S, T), m.add("gcn_loops", b, m.add("ones", "u0"), S, T)]
    return m.bias(m.add("eg", m.linear(x, "comb_lin"), *parts, H=2, B=3))

@layer("pdn", lambda: G.PDNConv(F, O, D, 5), needs="xu")
def _(m, x, u, w):
    g = m.add("column", m.add("Sigmoid", run_mlp(m, u, "mlp")))
    return m.bias(m.add("gcn_loops", m.linear(x, "lin"), g, S, T))

@layer("lg", lambda: G.LGConv(), needs="xw")
def _(m, x, u, w): return m.add("gcn_plain", x, w, S, T)

@layer("cheb", lambda: G.ChebConv(F, O, K=3))
def _(m, x, u, w):
    a, b = x, m.add("cheb", x, S, T)
    y = m.add("Add", m.linear(a, "lins.0"), m.linear(b, "lins.1"))
    c = m.add("Sub", m.add("scale", m.add("cheb", b, S, T), by=2.0), a)
    return m.bias(m.add("Add", y, m.linear(c, "lins.2")))

@layer("mixhop", lambda: G.MixHopConv(F, O, [0, 1, 2]), needs="xw")
def _(m, x, u, w):
    outs = [m.linear(x, "lins.0")]
    for i in 1, 2:
        x = m.add("gcn_loops", x, w, S, T)
        outs.append(m.linear(x, f"lins.{i}"))
    return m.bias(m.add("Concat", *outs, axis=1))

@layer("dirgnn", lambda: G.DirGNNConv(G.SAGEConv(F, O, aggr="sum")))
def _(m, x, u, w):
    def sage(at, s, d): return m.linear(m.add("sum_messages", m.add("at", x, s), d, x), at + ".lin_l")
    y = m.add("Add", m.add("scale", sage("conv_out", T, S), by=0.5), m.add("scale", sage("conv_in", S, T), by=0.5))
    return m.add("Add", y, m.linear(x, "lin"))

@layer("antisymmetric", lambda: G.AntiSymmetricConv(F, num_iters=2))
def _(m, x, u, w):
    k = m.add("skew", m.own("W"))
    for _ in range(2):
        h = m.add("gcn_loops", m.linear(x, "phi.lin"), m.add("ones", "u0"), S, T)
        x = m.add("axpy", x, m.bias(m.add("Add", m.add("lin", x, k), h)), by=0.1)
    return x

@layer("general", lambda: G.GeneralConv(F, O, in_edge_channels=D, heads=H, attention=True), needs="xu")
def _(m, x, u, w):
    msg = m.add("heads", m.add("Add", m.linear(m.add("at", x, S), "lin_msg"), m.linear(u, "lin_edge")), H=H)
    return m.add("Add", m.add("mean_heads", m.add("att_edges", msg, m.own("att_msg"), T, x)), m.linear(x, "lin_self"))

@layer("heat", lambda: G.HEATConv(F, O, 1, R, 2, D, 3, heads=H), needs="xut n")
def _(m, x, u, w):
    y = m.add("heat_lin", x, m.own("hetero_lin.weight"), m.own("hetero_lin.bias"))
    t = m.add("leaky", m.add("at", m.own("edge_type_emb.weight"), "types"))
    a = m.add("leaky", m.linear(u, "edge_attr_emb"))
    z = m.add("join2", m.add("join2", m.add("pair", y, S, T), t), a)
    p = m.add("softmax_edges", m.add("leaky", m.linear(z, "att")), T, x)
    msg = m.linear(m.add("join2", m.add("at", y, S), a), "lin")
    return m.add("flat", m.add("plus_each", m.add("times_heads", p, msg, T, x), y))

@layer("pointnet", lambda: G.PointNetConv(nn.Linear(F + 2, O)), needs="xp")
def _(m, x, u, w): return m.add("point", x, "pos", m.own("local_nn.weight"), m.own("local_nn.bias"), S, T)

