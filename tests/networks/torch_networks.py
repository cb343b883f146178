"""torch_networks.py: the networks of examples/models as torchvision, timm, transformers and plain
PyTorch (torch_modules.py) have them, with random weights, and what DCL loads and calls."""
import os

import torch
import timm
import torchvision
import transformers
from safetensors.torch import save_file

import torch_modules

FULL_IMAGE = 224
transformers.utils.logging.disable_progress_bar()


class Network:
    """MODEL, a PyTorch module, is `INSTANCE` of examples/models/FILE.dcl; LOAD are the arguments
    with which its weights are loaded, INPUTS the arguments of a call by name; CALL is how MODEL
    is called with them."""

    def __init__(self, model, file, instance, inputs, load="",
                 call=lambda model, *inputs: model(*inputs)):
        self.model, self.file, self.instance = model, file, instance
        self.inputs, self.load, self.call = inputs, load, call

    def expected(self):
        with torch.no_grad():
            return self.call(self.model, *self.inputs.values())

    def save(self, folder):
        """Writes the weights as the library does; the path."""
        if isinstance(self.model, transformers.PreTrainedModel):
            self.model.save_pretrained(folder)
            return os.path.join(folder, "model.safetensors")
        path = os.path.join(folder, "weights.safetensors")
        save_file({k: v.contiguous() for k, v in self.model.state_dict().items()}, path)
        return path

    def text(self, path):
        source = os.path.join(os.environ["DCL_SRC"], "examples", "models", self.file + ".dcl")
        load = f", {self.load}" if self.load else ""
        return f'use "{source}"\nnet = {self.instance}\nload(net, "{path}"{load})\n'

    def signature(self):
        types = {torch.int64: "i64", torch.float32: "f32", torch.bool: "bool"}
        return "net(" + ", ".join(
            f"{name}: {types[t.dtype]}{list(t.shape)}" for name, t in self.inputs.items()) + ")"


# What is normalized first: so small that the epsilon of the normalization is seen.
SMALL = ("embed", "cls_token", "stem.proj", "wte", "wpe")


def randomize(network):
    """All weights anew; running statistics near those of the inputs, so that what goes in is seen
    in what comes out, however deep the network is."""
    model = network.model
    with torch.no_grad():
        for name, t in model.state_dict().items():
            if t.dtype != torch.float32:
                continue
            if t.dim() < 2:
                t.normal_(0, 0.2)
                if name.endswith("weight"):
                    t += 1
            elif t.dim() == 3 and t.shape[0] == 1:
                t.normal_(0, 0.5)
            else:
                t.normal_(0, t[0].numel() ** -0.5)
            if any(word in name for word in SMALL) and "Norm" not in name:
                t *= 0.02
        norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
        for m in norms:
            m.momentum = 1.0
        if norms:
            model.train()
            network.expected()
        model.eval()
        for m in norms:
            m.running_var += m.running_var.mean()  # no channel is blown up
            m.running_mean += 0.2 * m.running_var.sqrt() * torch.randn_like(m.running_mean)
            m.running_var *= 0.4 + 0.4 * torch.rand_like(m.running_var)


COUNTED = 'skip = ["num_batches_tracked"]'  # of BatchNorm, which needs no count to run


def image(rng, full, least=33, most=80, batch=2):
    h, w = (FULL_IMAGE, FULL_IMAGE) if full else (rng.randint(least, most) for _ in range(2))
    return {"x": torch.randn(batch, 3, h, w)}


def words(rng, full, count, length=12):
    return torch.randint(count, (2, 128 if full else rng.randint(3, length)))


def classes(rng, full):
    return 1000 if full else rng.randint(5, 40)


def resnet(make, block, depth, expansion):
    def network(rng, full):
        n = classes(rng, full)
        return Network(make(num_classes=n), "resnet", f"ResNet({block}, {depth}, {expansion}, {n})",
                       image(rng, full), COUNTED)
    return network


def mobilenet_v2(rng, full):
    n = classes(rng, full)
    return Network(torchvision.models.mobilenet_v2(num_classes=n), "mobilenet_v2",
                   f"MobileNetV2({n})", image(rng, full), COUNTED)


def efficientnet(make, names=""):
    def network(rng, full):
        n = classes(rng, full)
        return Network(make(num_classes=n), "efficientnet", f"EfficientNet({n})", image(rng, full),
                       names + COUNTED)
    return network


def bert(rng, full):
    count, places, depth, heads, inner, size = (
        (30522, 512, 12, 12, 3072, 768) if full else
        (rng.randint(50, 300), 16, 2, 3, rng.randint(30, 90), 3 * rng.randint(4, 16)))
    config = transformers.BertConfig(
        vocab_size=count, hidden_size=size, num_hidden_layers=depth, num_attention_heads=heads,
        intermediate_size=inner, max_position_embeddings=places)
    ids = words(rng, full, count)
    seen = torch.rand(ids.shape) < 0.7
    seen[:, 0] = True
    return Network(transformers.BertModel(config), "bert",
                   f"Bert({count}, {places}, {depth}, {size}, {heads}, {inner})",
                   {"ids": ids, "kinds": torch.randint(2, ids.shape), "seen": seen},
                   'rename = [("layer_", "layer")], skip = ["pooler"]',
                   lambda model, ids, kinds, seen: model(
                       input_ids=ids, token_type_ids=kinds, attention_mask=seen).last_hidden_state)


def gpt2(rng, full):
    count, places, depth, heads, size = (
        (50257, 1024, 12, 12, 768) if full else
        (rng.randint(50, 300), 16, 2, 3, 3 * rng.randint(4, 16)))
    config = transformers.GPT2Config(
        vocab_size=count, n_positions=places, n_embd=size, n_layer=depth, n_head=heads,
        bos_token_id=None, eos_token_id=None)
    return Network(transformers.GPT2LMHeadModel(config), "gpt2",
                   f"GPT2({count}, {places}, {depth}, {size}, {heads})",
                   {"ids": words(rng, full, count)}, 'rename = [("", "transformer")]',
                   lambda model, ids: model(ids).logits)


def vit(rng, full):
    patch, side, heads = (16, FULL_IMAGE, 12) if full else (8, 8 * rng.randint(2, 5), 3)
    size, depth, n = (768, 12, 1000) if full else (3 * rng.randint(4, 16), 2, classes(rng, full))
    model = timm.models.VisionTransformer(img_size=side, patch_size=patch, embed_dim=size,
                                          depth=depth, num_heads=heads, num_classes=n)
    return Network(model, "vit", f"ViT({side}, {patch}, {size}, {depth}, {heads}, {n})",
                   {"x": torch.randn(2, 3, side, side)})


def mixer(rng, full):
    patch, side, size = (16, FULL_IMAGE, 768) if full else (
        8, 8 * rng.randint(2, 5), 2 * rng.randint(6, 24))
    depth, n = 12 if full else 2, classes(rng, full)
    model = timm.models.MlpMixer(img_size=side, patch_size=patch, embed_dim=size,
                                 num_blocks=depth, num_classes=n)
    return Network(model, "mixer", f"MlpMixer({side}, {patch}, {size}, {depth}, {n})",
                   {"x": torch.randn(2, 3, side, side)})


def unet(rng, full):
    channels, n, width = (3, 2, 64) if full else (rng.randint(1, 4), rng.randint(2, 5),
                                                  rng.randint(3, 9))
    h, w = (FULL_IMAGE, FULL_IMAGE) if full else (16 * rng.randint(1, 4) for _ in range(2))
    return Network(torch_modules.UNet(channels, n, width), "unet",
                   f"UNet({channels}, {n}, {width})",
                   {"x": torch.randn(2, channels, h, w)}, COUNTED)


def lstm(rng, full):
    count, size, length = (33278, 200, 35) if full else (rng.randint(50, 300), rng.randint(9, 40),
                                                         rng.randint(1, 9))
    return Network(torch_modules.WordModel(count, size), "lstm", f"WordModel({count}, {size})",
                   {"ids": torch.randint(count, (length, 2))})


def dlrm(rng, full):
    counts = [rng.randint(2, 200000 if full else 50) for _ in range(26 if full else 4)]
    size, numbers, bottom, top = (
        (64, 13, [512, 256], [512, 256]) if full else
        (rng.randint(3, 12), rng.randint(2, 9), [rng.randint(4, 20)], [rng.randint(4, 20), 5]))
    batch = 128 if full else rng.randint(8, 16)
    return Network(torch_modules.DLRM(counts, size, numbers, bottom, top), "dlrm",
                   f"DLRM({counts}, {size}, {numbers}, {bottom}, {top})",
                   {"x": torch.randn(batch, numbers),
                    "ids": torch.stack([torch.randint(n, (batch,)) for n in counts], 1)})


def wavenet(rng, full):
    sizes = (32, 256, 10, 2, 256) if full else (
        rng.randint(4, 12), rng.randint(4, 20), rng.randint(2, 5), 2, rng.randint(5, 30))
    length = 4000 if full else rng.randint(20, 120)
    return Network(torch_modules.WaveNet(*sizes), "wavenet",
                   f"WaveNet({', '.join(map(str, sizes))})", {"x": torch.randn(2, 1, length)})


# Those of torchvision, timm, transformers, and torch_modules.
NETWORKS = {
    "ResNet-18": resnet(torchvision.models.resnet18, "BasicBlock", [2, 2, 2, 2], 1),
    "ResNet-50": resnet(torchvision.models.resnet50, "Bottleneck", [3, 4, 6, 3], 4),
    "MobileNetV2": mobilenet_v2,
    "EfficientNet-B0": efficientnet(timm.models.efficientnet_b0),
    "EfficientNet-B0 of torchvision": efficientnet(torchvision.models.efficientnet_b0,
                                                   "rename = torchvision_names(), "),
    "BERT": bert,
    "GPT-2": gpt2,
    "ViT": vit,
    "MLP-Mixer": mixer,
    "U-Net": unet,
    "LSTM": lstm,
    "DLRM": dlrm,
    "WaveNet": wavenet,
}


def make(name, rng, full):
    network = NETWORKS[name](rng, full)
    randomize(network)
    return network
