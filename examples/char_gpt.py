"""Trains a small GPT to write text, character by character.

    python examples/char_gpt.py                     the documents of this checkout
    python examples/char_gpt.py FILE...             other text, in UTF-8

Prints the loss on the text's last tenth, which is not trained on, a few lines that the model makes
up, and the SHA-256 digest of the weights. The digest depends on the text and the options, never on
--threads, KAEL_ISA or the machine.
"""

import argparse
import sys
from pathlib import Path

from mnist_mlp import digest, positive
from tqdm import trange

import kael
from kael import nn
from kael.optim.lr_scheduler import OneCycleLR

CHECKOUT = Path(__file__).parents[1]


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path, nargs="*", help="default: README.md and docs/*.md")
    parser.add_argument("--steps", type=positive, default=500)
    parser.add_argument("--batch-size", type=positive, default=32)
    parser.add_argument("--context", type=positive, default=64, help="characters seen at once")
    parser.add_argument("--layers", type=positive, default=4)
    parser.add_argument("--heads", type=positive, default=4)
    parser.add_argument("--width", type=positive, default=128, help="a multiple of --heads")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--length", type=positive, default=400, help="characters to write")
    parser.add_argument("--threads", type=positive, help="default: the cores that may be used")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


class Attention(nn.Module):
    """Each character looks at those before it, in several heads at once."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.projections = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        heads = self.projections(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        scores = (query * query.shape[-1] ** -0.5) @ key.mT
        mixed = kael.causal_softmax(scores) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention, then two layers for each character; both are added to what comes in."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.Sequential(nn.LayerNorm(width), Attention(width, heads))
        self.layers = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.layers(x)


class GPT(nn.Module):
    """Of codes (batch, length), the scores (batch, length, vocabulary) of what comes next."""

    def __init__(self, vocabulary, options):
        super().__init__()
        width = options.width
        self.codes = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(options.context, width)
        self.blocks = nn.Sequential(*(Block(width, options.heads) for _ in range(options.layers)))
        self.scores = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, vocabulary))

    def forward(self, codes):
        x = self.codes(codes) + self.places(kael.arange(codes.shape[1]))
        return self.scores(self.blocks(x))


def read(paths):
    """The text of all files, its characters in order, and their codes as one tensor."""
    paths = paths or [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
    text = "\n".join(path.read_text("utf-8") for path in paths)
    characters = sorted(set(text))
    code = {character: number for number, character in enumerate(characters)}
    return characters, kael.tensor([code[character] for character in text])


def loss_at(model, codes, starts, context):
    """The mean loss of windows of the text, each character guessing the next one."""
    windows = codes[starts.unsqueeze(1) + kael.arange(context + 1)]
    scores = model(windows[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())


def fit(model, codes, options):
    """Trains on windows drawn from the text."""
    optimizer = kael.optim.AdamW(model.parameters(), lr=options.lr, weight_decay=0.1)
    schedule = OneCycleLR(optimizer, options.lr, total_steps=options.steps)
    choices = len(codes) - options.context
    with trange(options.steps, unit="step", leave=False) as bar:
        for _ in bar:
            starts = kael.randint(0, choices, (options.batch_size,))
            optimizer.zero_grad()
            loss = loss_at(model, codes, starts, options.context)
            loss.backward()
            optimizer.step(max_norm=1.0)
            schedule.step()
            bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)


def write(model, codes, length, context):
    """Continues `codes` by `length` characters, each drawn by the chances the model gives it."""
    for _ in range(length):
        chances = model(codes[-context:].unsqueeze(0))[0, -1].softmax(0)
        following = (chances.cumsum(0) < kael.rand(1)).sum().clamp(max=len(chances) - 1)
        codes = kael.cat([codes, following.reshape(1)])
    return codes[-length:]


def train(options):
    """Everything between the options and the printed digest."""
    if options.threads:
        kael.set_num_threads(options.threads)
    kael.manual_seed(options.seed)
    if options.width % options.heads:
        raise ValueError(f"a width of {options.width} cannot be split into {options.heads} heads")
    characters, codes = read(options.text)
    model = GPT(len(characters), options)
    training, testing = codes[: -len(codes) // 10], codes[-len(codes) // 10 :]
    if len(testing) <= options.context:
        raise ValueError(f"{len(codes)} characters are too few for a context of {options.context}")
    fit(model, training, options)
    with kael.no_grad():
        starts = kael.arange(0, len(testing) - options.context, options.context)
        loss = loss_at(model, testing, starts, options.context).item()
        written = write(model, testing[: options.context], options.length, options.context)
    print(f"{len(training)} characters, {sum(p.numel() for p in model.parameters())} parameters")
    print(f"loss on the last {len(testing)}: {loss:.4f}", end="\n\n")
    print("".join(characters[code] for code in written.tolist()), end="\n\n")
    print(f"sha256 of the weights: {digest(model)}")


def main(arguments=None):
    options = parse_options(arguments)
    try:
        train(options)
    except (OSError, ValueError) as error:
        sys.exit(f"char_gpt: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
