"""Today's modules, built from their configurations: small, with weights drawn at random."""

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 64
TEXT = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 64}
DECODER = {**TEXT, "num_key_value_heads": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
HEADS = {"head_dim": 8}  # where it does not follow from the hidden size

# A configuration of transformers' to what differs from DECODER.
DECODERS = {
    "Cohere": {}, "Gemma2": HEADS, "Gemma3Text": HEADS, "Glm": HEADS, "Granite": {}, "Helium": HEADS, "Mistral": {}, "Olmo2": {},
    "Phi3": {}, "Qwen2": {}, "Qwen3": HEADS, "SmolLM3": {}, "StableLm": {}, "Starcoder2": {},
}
# The same of others, whole.
CAUSAL = {
    "Bloom": {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4},
    "Falcon": {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4},
    "GPTNeoX": TEXT,
    "Mamba": {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "pad_token_id": 0},
    "OPT": {"vocab_size": VOCABULARY, "hidden_size": 32, "ffn_dim": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
            "max_position_embeddings": 64, "word_embed_proj_dim": 32},
}
ENCODERS = {
    "Albert": {**TEXT, "embedding_size": 16},
    "DebertaV2": {**TEXT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0,
                  "max_relative_positions": 16, "position_buckets": 8},
    "Electra": {**TEXT, "embedding_size": 32},
    "FNet": {**TEXT, "pad_token_id": 0},
    "ModernBert": {**TEXT, "global_attn_every_n_layers": 2, "local_attention": 8, "pad_token_id": 0, "bos_token_id": 1,
                   "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2},
    "Roberta": {**TEXT, "pad_token_id": 0},
}
NO_FUSED_ATTENTION = ("Bloom", "Gemma2", "Mamba")  # as transformers says

# Exported with optimize=False, a Conv3d without a bias has one of rank 2, which ONNX's Conv does not take.
NOT_TRAINED = ("r3d_18",)

# torchvision's classifiers to the sides of their images.
IMAGES = {
    "convnext_tiny": 64, "densenet121": 64, "efficientnet_b0": 64, "efficientnet_v2_s": 64, "googlenet": 64, "inception_v3": 96,
    "maxvit_t": 224, "mnasnet0_5": 64, "regnet_y_400mf": 64, "shufflenet_v2_x0_5": 64, "squeezenet1_1": 64, "swin_t": 64,
    "swin_v2_t": 64,
}


class OneOutput(nn.Module):
    """Of a module with results by name."""

    def __init__(self, module, **asked):
        super().__init__()
        self.module, self.asked = module, asked

    def forward(self, x):
        found = self.module(x, **self.asked)
        for name in ("logits", "out"):
            if isinstance(found, dict) and found.get(name) is not None:
                return found[name]
        raise KeyError("logits")


def text_model(kind, name, **more):
    import transformers
    config = getattr(transformers, f"{name}Config")(**more)
    if kind == "ForMaskedLM":
        return OneOutput(getattr(transformers, name + kind)(config))
    config._attn_implementation = "eager" if name in NO_FUSED_ATTENTION else "sdpa"
    return OneOutput(transformers.AutoModelForCausalLM.from_config(config), use_cache=False)


def tokens():
    """None is the one that pads, 0: PyTorch does not train its row, and ONNX does not say so."""
    return torch.randint(3, VOCABULARY, (2, 12))


def image_model(name):
    from torchvision import models
    more = {"aux_logits": False, "init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return getattr(models, name)(weights=None, num_classes=10, **more)


def images(side):
    return torch.randn(2, 3, side, side)


def video():
    from torchvision.models.video import r3d_18
    return r3d_18(weights=None, num_classes=5), torch.randn(1, 3, 8, 32, 32)


def segmentation():
    from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large
    return OneOutput(deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4)), images(64)


def segformer():
    import transformers as t
    config = t.SegformerConfig(hidden_sizes=[8, 16, 24, 32], depths=[1] * 4, num_attention_heads=[1, 2, 3, 4],
                               decoder_hidden_size=16, num_labels=4)
    return OneOutput(t.SegformerForSemanticSegmentation(config)), images(64)


def dinov2():
    import transformers as t
    config = t.Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=28, patch_size=14, num_labels=5)
    return OneOutput(t.Dinov2ForImageClassification(config)), images(28)


def wav2vec2():
    import transformers as t
    config = t.Wav2Vec2Config(vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                              conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2,
                              num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return OneOutput(t.Wav2Vec2ForCTC(config)), torch.randn(2, 400)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 12, 2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(24, 8, batch_first=True)
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        return self.last(self.gru(self.lstm(x)[0])[0])


class Mixture(nn.Module):
    """Two of four experts for each token."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(16, 4)
        self.up = nn.Parameter(torch.randn(4, 16, 24) * 0.2)
        self.down = nn.Parameter(torch.randn(4, 24, 16) * 0.2)

    def forward(self, x):
        share, expert = torch.topk(torch.softmax(self.router(x), -1), 2)
        share = share / share.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("btd,btkdf->btkf", x, self.up[expert]))
        return x + torch.einsum("btkf,btkfd,btk->btd", hidden, self.down[expert], share)


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def spectrum(x):
    found = torch.fft.rfft(x, dim=-1)
    return torch.view_as_real(found), torch.fft.irfft(found * found.conj(), n=x.shape[-1])


# What exporters take apart into many operators.
FUNCTIONS = {
    "bicubic": lambda x: F.interpolate(x, scale_factor=1.5, mode="bicubic", align_corners=False),
    "fold": lambda x: F.fold(F.unfold(x, 3, padding=1), (12, 12), 3, padding=1),
    "grid": lambda x: F.grid_sample(x, torch.tanh(x[:, :2].permute(0, 2, 3, 1)), align_corners=False),
    "pads": lambda x: sum(F.pad(x, (1, 2, 3, 1), mode) for mode in ("reflect", "circular", "replicate")),
    "pools": lambda x: F.adaptive_avg_pool2d(x, (6, 7)).sum(3) + F.adaptive_max_pool2d(x, (6, 4)).sum(3),
    "quantile": lambda x: torch.quantile(x, 0.3, dim=1),
    "scatter": lambda x: torch.zeros_like(x).scatter_add(3, (x * 3).long().clamp(0, 11), x),
    "spectrum": spectrum,
    "unpool": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
}


def all_modules():
    """Name to a function that makes a module and its input."""
    found = {name: lambda name=name, side=side: (image_model(name), images(side)) for name, side in IMAGES.items()}
    for name, more in DECODERS.items():
        found[name] = lambda name=name, more=more: (text_model("ForCausalLM", name, **DECODER, **more), tokens())
    for kind, models in ("ForCausalLM", CAUSAL), ("ForMaskedLM", ENCODERS):
        for name, more in models.items():
            found[name] = lambda kind=kind, name=name, more=more: (text_model(kind, name, **more), tokens())
    found |= {"r3d_18": video, "deeplabv3": segmentation, "segformer": segformer, "dinov2": dinov2, "wav2vec2": wav2vec2,
              "recurrent": lambda: (Recurrent(), torch.randn(2, 6, 8)), "mixture": lambda: (Mixture(), torch.randn(2, 6, 16)),
              "encoder layer": lambda: (nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), torch.randn(2, 6, 16))}
    for name, function in FUNCTIONS.items():
        found[name] = lambda function=function: (Function(function), torch.randn(2, 3, 12, 12))
    return found


def make(name):
    """A module that evaluates, and its input. Batches that went through normalizations first make its outputs depend on it."""
    torch.manual_seed(1)
    module, x = all_modules()[name]()
    if any(isinstance(each, nn.modules.batchnorm._BatchNorm) for each in module.modules()):
        module.train()
        with torch.no_grad():
            for _ in range(30):
                module(x)
    return module.eval(), x
