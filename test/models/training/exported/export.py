"""Makes exported/: small, freshly initialized models of transformers' architectures, as PyTorch's exporter writes them with its
optimizer (optimized.onnx) and without (plain.onnx), less what it notes of the source; five steps of AdamW. Needs torch,
transformers, onnx, onnxscript, safetensors; made with 2.15, 5.23.

usage: export.py FOLDER [NAME..]
"""

import os
import sys

import numpy as np
import onnx
import torch
import transformers as T
from safetensors.numpy import save_file

BATCH, STEPS = 2, 5
# What the optimizer leaves too little of to train: a constant made of it, a table of which the rows read are known.
FROZEN = {"clip": ["model.logit_scale", "model.vision_model.embeddings.position_embedding.weight"]}
# What says which initializers are parameters, which were computed of such, and which call each node is of.
KEPT = ["pkg.torch.export.ExportedProgram.graph_signature", "pkg.torch.onnx.fx_node", "pkg.torch.onnx.name_scopes",
        "pkg.onnxscript.optimizer.folded_from", "pkg.onnxscript.rewriter.rule_name"]


class Of(torch.nn.Module):
    """One output of a model, with positional inputs."""

    def __init__(self, model, names, output):
        super().__init__()
        self.model, self.names, self.output = model, names, output

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)))[self.output]


def tokens(length):
    return torch.randint(3, 40, (BATCH, length))


def text(**more):
    return dict(vocab_size=40, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
                max_position_embeddings=16, **more)


def vision(**more):
    return dict(hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=8, patch_size=4, **more)


def gpt2():
    config = T.GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, use_cache=False, resid_pdrop=0,
                          embd_pdrop=0, attn_pdrop=0, attn_implementation="eager")
    return T.GPT2LMHeadModel(config), {"input_ids": tokens(8)}, "logits", (BATCH, 8), 40, True


def bert():
    model = T.BertForSequenceClassification(T.BertConfig(**text(num_labels=3, hidden_dropout_prob=0, attention_probs_dropout_prob=0)))
    inputs = {"input_ids": tokens(8), "attention_mask": torch.ones(BATCH, 8, dtype=torch.long),
              "token_type_ids": torch.randint(0, 2, (BATCH, 8))}
    inputs["attention_mask"][1, 6:] = 0
    return model, inputs, "logits", (BATCH,), 3, True


def vit():
    model = T.ViTForImageClassification(T.ViTConfig(**vision(num_labels=5)))
    return model, {"pixel_values": torch.randn(BATCH, 3, 8, 8)}, "logits", (BATCH,), 5, False


def clip():
    config = T.CLIPConfig(text_config=dict(text(), num_hidden_layers=1, eos_token_id=2),
                          vision_config=dict(vision(), num_hidden_layers=1), projection_dim=8)
    return (T.CLIPModel(config), {"input_ids": tokens(8), "pixel_values": torch.randn(BATCH, 3, 8, 8)}, "logits_per_image",
            (BATCH,), BATCH, True)


def t5():
    config = T.T5Config(vocab_size=40, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, dropout_rate=0,
                        decoder_start_token_id=0, use_cache=False)
    config._attn_implementation = "eager"
    return (T.T5ForConditionalGeneration(config), {"input_ids": tokens(8), "decoder_input_ids": tokens(6)}, "logits", (BATCH, 6),
            40, True)


def whisper():
    config = T.WhisperConfig(vocab_size=40, num_mel_bins=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
                             decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, d_model=16,
                             max_source_positions=10, max_target_positions=12, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                             decoder_start_token_id=1, use_cache=False, dropout=0, attn_implementation="eager")
    return (T.WhisperForConditionalGeneration(config), {"input_features": torch.randn(BATCH, 8, 20), "decoder_input_ids": tokens(6)},
            "logits", (BATCH, 6), 40, True)


def strip(path):
    model = onnx.load(path)
    model.doc_string = ""
    for each in [model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        each.doc_string = ""
        kept = [entry for entry in each.metadata_props if entry.key in KEPT]
        del each.metadata_props[:]
        each.metadata_props.extend(kept)
    values = [value for value in model.graph.value_info if value.metadata_props]
    del model.graph.value_info[:]
    model.graph.value_info.extend(values)
    onnx.save(model, path)


def export(folder, module, inputs, dynamic):
    shapes = None
    if dynamic:
        shapes = {}
        for name, value in inputs.items():
            shapes[name] = {0: "batch"}
            if value.dtype == torch.long:
                shapes[name][1] = "target" if name.startswith("decoder") else "sequence"
        shapes = (tuple(shapes.values()),)
    for file, optimize in [("optimized", True), ("plain", False)]:
        path = f"{folder}/{file}.onnx"
        torch.onnx.export(module, tuple(inputs.values()), path, input_names=list(inputs), output_names=["output0"], dynamo=True,
                          optimize=optimize, external_data=False, verbose=False, dynamic_shapes=shapes)
        strip(path)


def train(module, inputs, labels, stored):
    """As smexc has it: AdamW with PyTorch's constants. Where no gradient is more than a rounding error, which Adam makes as
    large as any (keys' biases, which attention does not depend on), NaN."""
    trained = [p for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    largest, losses = {}, []
    for _ in range(STEPS):
        optimizer.zero_grad()
        output = module(*inputs.values())
        loss = torch.nn.functional.cross_entropy(output.flatten(0, -2), labels.flatten())
        loss.backward()
        for p in trained:
            if p.grad is not None:
                largest[p] = torch.maximum(largest[p], p.grad.abs()) if p in largest else p.grad.abs()
        optimizer.step()
        losses.append(loss.item())
    values = {}
    for name, p in module.named_parameters(remove_duplicate=False):
        if p in largest and name in stored:  # of names of one tensor, the exporter keeps one
            value = p.detach().clone()
            value[largest[p] < 1e-6] = float("nan")
            values[name] = value.numpy()
    return np.float32(losses), values


def make(root, name):
    torch.manual_seed(1)
    model, inputs, output, shape, classes, dynamic = globals()[name]()
    module = Of(model, list(inputs), output).eval()
    for frozen in FROZEN.get(name, []):
        module.get_parameter(frozen).requires_grad_(False)
    folder = os.path.join(root, name)
    os.makedirs(folder + "/inputs", exist_ok=True)
    labels = torch.randint(0, classes, shape)
    export(folder, module, inputs, dynamic)
    for key, value in {**inputs, "labels": labels}.items():
        np.save(f"{folder}/inputs/{key}.npy", value.numpy())
    stored = {tensor.name for tensor in onnx.load(folder + "/plain.onnx").graph.initializer}
    losses, values = train(module, inputs, labels, stored)
    np.save(folder + "/losses.npy", losses)
    save_file(values, folder + "/parameters.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[2:] or ["gpt2", "bert", "vit", "clip", "t5", "whisper"]:
        make(sys.argv[1], name)
