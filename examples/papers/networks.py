"""The networks of ParDNN's thesis: Table 5.1 and the batches of Table 6.1, which are the thesis' data, and the commands
of smex-zoo that make them (tools/zoo/README.md says how their sizes were found)."""

import copy

GPUS = (1, 2, 4, 8, 16)


class Network:
    """`nodes` and `parameters` (billions) are Table 5.1's, `batches` by number of GPUs Table 6.1's. `arguments` begin
    with the model and how many layers, or units, it has."""

    def __init__(self, name, arguments, nodes, parameters, batches, loss="cross_entropy"):
        self.name, self.arguments, self.loss = name, arguments.split(), loss
        self.key = name  # of its files: two of a name may be assumed to be of other sizes
        self.nodes, self.parameters = nodes, parameters
        self.batches = dict(zip(GPUS[-len(batches):], batches))
        self.reference = min(self.batches)  # how many GPUs ideal data parallelism multiplies

    @property
    def depth(self):
        return int(self.arguments[1].split("=")[1])

    def of_depth(self, depth):
        """The same with more or fewer layers, which Table 5.1 does not have."""
        made = copy.copy(self)
        option = self.arguments[1].split("=")[0]
        made.name, made.key = (f"{name}.{option[2:]}{depth}" for name in (self.name, self.key))
        made.arguments = [self.arguments[0], f"{option}={depth}", *self.arguments[2:]]
        return made

    @property
    def is_large(self):
        """The thesis' second use case: no single GPU holds it at a batch of 1."""
        return self.reference > 1


NETWORKS = [
    Network("Word-RNN", "word-rnn --layers=8", 10578, 0.34, (16, 512, 1024, 2048, 2048)),
    Network("Char-CRN", "char-crn --layers=8", 22748, 0.23, (8, 256, 512, 1024, 2048)),
    Network("WRN", "wrn --units=101", 187742, 1.91, (1, 4, 16, 32, 64)),
    Network("TRN", "trn --layers=24", 80550, 1.97, (1, 32, 64, 128, 256)),
    Network("E3D", "e3d --layers=11", 55756, 0.95, (1, 4, 16, 32, 64), "mse"),
    Network("Word-RNN-2", "word-rnn --layers=8 --hidden=4096 --steps=25", 10578, 1.28, (32, 1024, 2048)),
    Network("Char-CRN-2", "char-crn --layers=32", 86663, 1.09, (128, 512, 1024)),
    Network("WRN-2", "wrn --units=50 --width=28", 79742, 3.77, (4, 16, 32)),
    Network("TRN-2", "trn --layers=48 --hidden=8192", 160518, 5.1, (2, 16, 32)),
    Network("E3D-2", "e3d --layers=11 --hidden=512 --patch=8", 55756, 2.4, (8, 16, 32), "mse"),
    # Not in Table 5.1. Assumed: as deep as WRN with as many weights as WRN-2, since half of its batches fit.
    Network("WRN-3", "wrn --units=101 --width=20", None, None, (2, 4, 8)),
]
# What had to be assumed of a network, by its name: programs' options, which have the sizes above by default.
ASSUMED = {"WRN-3": ("wrn_3_units", "wrn_3_width")}


def add_options(parser, default):
    parser.add_argument("--networks", default=default, help="names of Table 5.1, or all; default %(default)s")
    parser.add_argument("--depth", type=int, help="so many layers of each, for a quick look: no figures of the thesis")
    parser.add_argument("--wrn-3-units", type=int, default=101, help="of WRN-3, assumed; default %(default)s")
    parser.add_argument("--wrn-3-width", type=int, default=20, help="the same")


def assumed(options):
    """Names of the options that the chosen networks' sizes depend on."""
    return [name for network in by_name(options.networks, NETWORKS) for name in ASSUMED.get(network.name, ())]


def chosen(options, known=None):
    named = [sized(network, options) for network in by_name(options.networks, known or NETWORKS)]
    depth = getattr(options, "depth", None)
    return [network.of_depth(depth) for network in named] if depth else named


def sized(network, options):
    """The network with the sizes that options assume."""
    if network.name not in ASSUMED:
        return network
    made = copy.copy(network)
    made.arguments = ["wrn", f"--units={options.wrn_3_units}", f"--width={options.wrn_3_width}"]
    if made.arguments != network.arguments:
        made.key = f"{network.name}.units{options.wrn_3_units}.width{options.wrn_3_width}"
    return made


def by_name(wanted, known):
    if wanted == "all":
        return known
    networks = {network.name.lower(): network for network in known}
    names = wanted.lower().split(",")
    for name in names:
        if name not in networks:
            raise SystemExit(f"error: --networks {name}: not one of {', '.join(n.name for n in known)}")
    return [networks[name] for name in names]
