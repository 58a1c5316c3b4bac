"""A language model of two layers, with a cache, and greedy generation."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as attend

DIM, HEAD, HEADS, LAYERS, VOCAB, CONTEXT = 48, 12, 4, 2, 256, 64


# --8<-- [start:attention]
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(DIM, DIM)
        self.k = nn.Linear(DIM, DIM)
        self.v = nn.Linear(DIM, DIM)
        self.out = nn.Linear(DIM, DIM)

    def forward(self, x, cache):
        """x: (batch, time, DIM). `cache` holds this layer's keys, values."""
        batch, time, _ = x.shape
        # -1, not HEADS: a rank has as many heads as its slice of q holds.
        q, k, v = (
            part(x).view(batch, time, -1, HEAD).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        if cache:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        seen = torch.ones(time, k.shape[2], dtype=torch.bool, device=x.device)
        y = attend(q, k, v, seen.tril(k.shape[2] - time))
        cache[:] = [k, v]
        return self.out(y.transpose(1, 2).reshape(batch, time, -1))


# --8<-- [end:attention]


# --8<-- [start:model]
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(DIM)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(DIM)
        self.up = nn.Linear(DIM, 4 * DIM)
        self.down = nn.Linear(4 * DIM, DIM)

    def forward(self, x, cache):
        x = x + self.attention(self.norm1(x), cache)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, DIM)
        self.positions = nn.Embedding(CONTEXT, DIM)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(DIM, VOCAB, bias=False)

    def forward(self, tokens, caches):
        """Logits (batch, time, VOCAB) of tokens that follow the cached ones.

        `caches` has a list for each layer, empty at first; it is extended.
        """
        past = caches[0][0].shape[2] if caches[0] else 0
        places = torch.arange(tokens.shape[1], device=tokens.device) + past
        x = self.tokens(tokens) + self.positions(places)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cache)
        return self.head(x)


# --8<-- [end:model]


# --8<-- [start:generate]
def make_model():
    torch.manual_seed(0)
    return LanguageModel().double()


@torch.no_grad()
def generate(model, prompt, count):
    """Return `count` greedy tokens, and the logits that each came from."""
    caches, logits, new = [[] for _ in range(LAYERS)], [], []
    tokens = prompt  # (1, time); after the first pass one token at a time
    for _ in range(count):
        logits.append(model(tokens, caches)[:, -1])
        tokens = logits[-1].argmax(-1, keepdim=True)
        new.append(tokens.item())
    return new, torch.cat(logits)


# --8<-- [end:generate]


if __name__ == "__main__":
    print(generate(make_model(), torch.tensor([[5, 6, 7]]), 12)[0])
