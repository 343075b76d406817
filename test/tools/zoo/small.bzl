"""The models of smex-zoo at sizes that tests can run."""

# Models at sizes that divide by 3 and 8 here and there, and here and there do not.
SMALL = {
    "mlp": "mlp --layers 3 --hidden 24 --input 20 --classes 10 --batch 8",
    "resnet18": "resnet --depth 18 --channels 4 --image 32 --classes 10 --batch 8",
    "resnet50": "resnet --depth 50 --channels 4 --image 32 --classes 10 --batch 8",
    "wresnet": "wresnet --depth 152 --width 2 --channels 2 --image 32 --classes 10 --batch 8",
    "wrn": "wrn --units 2 --width 3 --channels 4 --image 16 --classes 10 --batch 4",
    "inception": "inception --channels 4 --image 107 --classes 10 --batch 8",
    "unet": "unet --levels 2 --channels 4 --image 20 --batch 2",
    "rnn": "rnn --layers 3 --hidden 16 --steps 4 --input 12 --batch 8",
    "rnn_classes": "rnn --layers 1 --hidden 10 --steps 1 --input 7 --batch 3 --classes 5",
    "word_rnn": "word-rnn --layers 2 --hidden 16 --steps 3 --vocabulary 30 --batch 4",
    "char_crn": "char-crn --layers 2 --hidden 16 --embedding 4 --filters 2 --characters 12 --word 8 --steps 3 --vocabulary 30 --batch 2",
    "transformer": "transformer --layers 2 --hidden 24 --heads 3 --sequence 8 --vocabulary 30 --batch 2",
    "trn": "trn --layers 2 --hidden 24 --model 16 --heads 2 --sequence 6 --vocabulary 30 --batch 2",
    "e3d": "e3d --layers 2 --hidden 4 --filter 3 --patch 2 --steps 3 --image 8 --batch 2",
}

# The same in 16 bits.
SMALL_HALF = {
    name + "_" + type: SMALL[name] + " --type " + type
    for name, type in [
        ("char_crn", "f16"),
        ("e3d", "bf16"),
        ("resnet18", "bf16"),
        ("transformer", "bf16"),
    ]
}

# How a model is trained, if not by cross_entropy over the last axis.
LOSS = {
    "e3d": "mse",
    "e3d_bf16": "mse",
    "rnn": "mse",
    "unet": "cross_entropy:1",
}

# The same, where the models have dropout.
SMALL_WITH_DROPOUT = {
    name + "_dropout": SMALL[name] + " --dropout 0.3"
    for name in ["char_crn", "transformer", "trn", "word_rnn", "wrn"]
}

# Models with the option --dropout.
DROPOUT = [
    "char-crn",
    "commnet",
    "gat",
    "gcn",
    "gin",
    "graph-transformer",
    "hetero-sage",
    "hetero-transformer",
    "nnconv",
    "rgcn",
    "sage",
    "sage-mailbox",
    "transformer",
    "trn",
    "word-rnn",
    "wrn",
]
