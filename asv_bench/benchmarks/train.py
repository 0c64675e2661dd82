"""The main job: one epoch of the MLP of examples/mnist_mlp.py, on made-up digits; and one layer."""

import kael
from kael import nn
from kael.data import DataLoader, TensorDataset

from .common import THREADS, operand

SAMPLES, BATCH = 4000, 64


class Epoch:
    params = (THREADS,)
    param_names = ("threads",)

    def setup(self, threads):
        kael.set_num_threads(threads)
        kael.manual_seed(0)
        self.data = TensorDataset(operand(SAMPLES, 784), kael.randint(0, 10, (SAMPLES,)))
        self.model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        self.optimizer = kael.optim.Adam(self.model.parameters())
        self.criterion = nn.CrossEntropyLoss()

    def time_epoch(self, threads):
        for images, labels in DataLoader(self.data, BATCH, shuffle=True):
            self.optimizer.zero_grad()
            self.criterion(self.model(images), labels).backward()
            self.optimizer.step()


class Linear:
    """A training step of one layer, with and without bias."""

    params = ([True, False], THREADS)
    param_names = ("bias", "threads")

    def setup(self, bias, threads):
        kael.set_num_threads(threads)
        self.layer = nn.Linear(784, 128, bias=bias)
        self.optimizer = kael.optim.SGD(self.layer.parameters(), lr=1e-3)
        self.x, self.g = operand(BATCH, 784), operand(BATCH, 128)
        self.time_step(bias, threads)

    def time_step(self, bias, threads):
        self.optimizer.zero_grad()
        self.layer(self.x).backward(self.g)
        self.optimizer.step()
