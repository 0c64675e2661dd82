"""The epoch of compare.py by hand in NumPy: 784-128-10, ReLU, cross entropy, Adam."""

import numpy as np

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


def gradients(x, labels, w1, b1, w2, b2):
    """Of the mean cross entropy, for the four parameters."""
    hidden = np.maximum(x @ w1.T + b1, 0)
    scores = hidden @ w2.T + b2
    g = np.exp(scores - scores.max(1, keepdims=True))
    g /= g.sum(1, keepdims=True)
    g[np.arange(len(labels)), labels] -= 1
    g /= len(labels)
    g_hidden = (g @ w2) * (hidden > 0)
    return g_hidden.T @ x, g_hidden.sum(0), g.T @ hidden, g.sum(0)


def epoch(images, labels, hidden, classes, batch):
    """A function without arguments that trains for one epoch."""
    random = np.random.default_rng(0)

    def uniform(rows, columns):
        return random.uniform(-1, 1, (rows, columns)).astype(np.float32) / np.float32(columns**0.5)

    inputs = images.shape[1]
    weights = uniform(hidden, inputs), uniform(classes, hidden)
    parameters = [
        *(weights[0], np.zeros(hidden, np.float32)),
        *(weights[1], np.zeros(classes, np.float32)),
    ]
    moments = [(np.zeros_like(p), np.zeros_like(p)) for p in parameters]
    steps = 0

    def run():
        nonlocal steps
        order = random.permutation(len(labels))
        for start in range(0, len(labels), batch):
            rows = order[start : start + batch]
            steps += 1
            size = RATE / (1 - BETA1**steps)
            scale = (1 - BETA2**steps) ** -0.5
            found = gradients(images[rows], labels[rows], *parameters)
            for p, (m, v), g in zip(parameters, moments, found, strict=True):
                m += (1 - BETA1) * (g - m)
                v += (1 - BETA2) * (g * g - v)
                p -= size * m / (np.sqrt(v) * scale + EPSILON)

    return run
