"""torch_modules.py: networks of examples/models that neither torchvision nor timm nor transformers
has, in plain PyTorch, after their papers, with the names of states that weight files have."""
import torch
from torch import nn


def double_conv(inputs, outputs):
    """Two convolutions of a step of the U-Net."""
    step = nn.Module()
    step.double_conv = nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())
    step.forward = step.double_conv.forward
    return step


class Up(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.up = nn.ConvTranspose2d(inputs, outputs, 2, stride=2)
        self.conv = double_conv(inputs, outputs)

    def forward(self, x, before):
        return self.conv(torch.cat([before, self.up(x)], 1))


class UNet(nn.Module):
    """Ronneberger, Fischer, Brox, MICCAI 2015, with padding and normalization."""

    def __init__(self, channels, classes, width):
        super().__init__()
        self.inc = double_conv(channels, width)
        for k in range(4):
            down = nn.Module()
            down.maxpool_conv = nn.Sequential(nn.MaxPool2d(2),
                                              double_conv(width << k, width << k + 1))
            setattr(self, f"down{k + 1}", down)
            setattr(self, f"up{k + 1}", Up(width << 4 - k, width << 3 - k))
        self.outc = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        before = [self.inc(x)]
        for down in (self.down1, self.down2, self.down3, self.down4):
            before.append(down.maxpool_conv(before[-1]))
        x = before.pop()
        for up in (self.up1, self.up2, self.up3, self.up4):
            x = up(x, before.pop())
        return self.outc(x)


class WordModel(nn.Module):
    """Zaremba, Sutskever, Vinyals, 2014: the scores of the next word."""

    def __init__(self, words, size):
        super().__init__()
        self.encoder = nn.Embedding(words, size)
        self.rnn = nn.LSTM(size, size, 2)
        self.decoder = nn.Linear(size, words)

    def forward(self, ids):
        return self.decoder(self.rnn(self.encoder(ids))[0])


class DLRM(nn.Module):
    """Naumov and others, 2019: a tower for numbers, bags of one word for categories, products of
    all pairs, and a tower on top of them."""

    def __init__(self, counts, size, numbers, bottom, top):
        super().__init__()
        features = len(counts) + 1
        self.emb_l = nn.ModuleList(nn.EmbeddingBag(n, size, mode="sum") for n in counts)
        self.bot_l = self.tower([numbers, *bottom, size], nn.ReLU())
        self.top_l = self.tower([size + features * (features - 1) // 2, *top, 1], nn.Sigmoid())

    @staticmethod
    def tower(sizes, last):
        steps = []
        for i, o in zip(sizes, sizes[1:]):
            steps += [nn.Linear(i, o), nn.ReLU()]
        return nn.Sequential(*steps[:-1], last)

    def forward(self, x, ids):
        x = self.bot_l(x)
        rows = torch.stack([x, *(bag(ids[:, i:i + 1]) for i, bag in enumerate(self.emb_l))], 1)
        i, j = torch.tril_indices(rows.shape[1], rows.shape[1], -1)
        return self.top_l(torch.cat([x, (rows @ rows.mT)[:, i, j]], 1))


class Causal(nn.Module):
    """A convolution of two samples: the present one and that DILATION before it."""

    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, 2, dilation=dilation, padding=dilation)

    def forward(self, x):
        return self.conv(x)[:, :, :x.shape[2]]


class Residual(nn.Module):
    def __init__(self, size, skip, dilation):
        super().__init__()
        self.filter, self.gate = Causal(size, size, dilation), Causal(size, size, dilation)
        self.through, self.aside = nn.Conv1d(size, size, 1), nn.Conv1d(size, skip, 1)

    def forward(self, x):
        z = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        return x + self.through(z), self.aside(z)


class WaveNet(nn.Module):
    """van den Oord and others, 2016: gated convolutions whose dilations double."""

    def __init__(self, size, skip, depth, stacks, levels):
        super().__init__()
        self.start = Causal(1, size, 1)
        self.blocks = nn.ModuleList(Residual(size, skip, 2**k)
                                    for _ in range(stacks) for k in range(depth))
        self.end1, self.end2 = nn.Conv1d(skip, skip, 1), nn.Conv1d(skip, levels, 1)

    def forward(self, x):
        x, aside = self.start(x), []
        for block in self.blocks:
            x, z = block(x)
            aside.append(z)
        return self.end2(torch.relu(self.end1(torch.relu(sum(aside)))))
