"""Cases of layers, losses, initial values, optimizers, and the training of a network."""

import inspect

import kael
from kael import nn, optim
from kael.nn import functional
from kael.reproduce.cases import case, gradients, normal, spread

DRAWS = ("kaiming_normal_", "kaiming_uniform_", "xavier_normal_", "xavier_uniform_")


@case("functional.gelu", "functional.relu", "functional.sigmoid", "functional.tanh",
      "functional.softmax", "functional.log_softmax", "functional.layer_norm",
      name="functional forms")  # fmt: skip
def functions(dtype):
    x = normal(81, 20, 31, dtype=dtype) * 3
    for name in ("relu", "gelu", "sigmoid", "tanh"):
        yield from gradients(getattr(functional, name), x)
    for function in (functional.softmax, functional.log_softmax):
        yield from gradients(lambda x, f=function: f(x, 1), x)
    yield from gradients(lambda x: functional.layer_norm(x, (31,)), x)


@case("functional.dropout", "functional.embedding", name="dropout and embedding")
def masks_and_tables(dtype):
    x, at = normal(82, 33, 50, dtype=dtype), kael.arange(60).reshape(4, 15) % 33
    for p in (0.1, 0.5, 1.0):
        yield from gradients(
            lambda x, p=p: functional.dropout(x, p, generator=kael.Generator(3)), x
        )
    yield from gradients(lambda x: functional.embedding(at, x, padding_idx=2), x)


@case("functional.cross_entropy", "functional.nll_loss", "functional.mse_loss",
      "functional.l1_loss", name="losses")  # fmt: skip
def losses(dtype):
    x, y = normal(83, 30, 7, 3, dtype=dtype) * 4, normal(84, 30, 7, 3, dtype=dtype)
    target = kael.randint(0, 7, (30, 3), generator=kael.Generator(5))
    weight = normal(85, 7, dtype=dtype).abs()
    for reduction in ("mean", "sum", "none"):
        for loss in (functional.mse_loss, functional.l1_loss):
            yield from gradients(lambda x, f=loss, r=reduction: f(x, y, reduction=r), x)
        options = {"weight": weight, "ignore_index": 3, "reduction": reduction}
        for loss in (functional.cross_entropy, functional.nll_loss):
            yield from gradients(lambda x, f=loss, o=options: f(x, target, **o), x)
            yield from gradients(lambda x, f=loss, r=reduction: f(x, target, reduction=r), x)
        yield from gradients(
            lambda x, o=options: functional.cross_entropy(x, target, **o, label_smoothing=0.1), x
        )
        yield from gradients(
            lambda x, r=reduction: functional.cross_entropy(x, y.softmax(1), reduction=r), x
        )


@case(*(f"init.{name}" for name in (*DRAWS, "constant_", "normal_", "ones_", "uniform_", "zeros_")),
      "init.calculate_gain", name="initial values")  # fmt: skip
def initial(dtype):
    x = kael.empty(30, 50, dtype=getattr(kael, dtype))
    generator = kael.Generator(17)
    for name in (*DRAWS, "normal_", "uniform_"):
        yield name, getattr(nn.init, name)(x, generator=generator)
    yield "constant", nn.init.constant_(x, nn.init.calculate_gain("relu"))
    yield "ones and zeros", nn.init.ones_(x) + nn.init.zeros_(x.clone())


@case(*(f"nn.{name}" for name in (
    "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "GELU", "Identity", "L1Loss",
    "LayerNorm", "Linear", "LogSoftmax", "MSELoss", "NLLLoss", "RMSNorm", "ReLU", "Sequential",
    "Sigmoid", "Softmax", "Tanh",
)), name="modules")  # fmt: skip
def modules(dtype):
    kael.manual_seed(19)
    body = nn.Sequential(
        nn.Embedding(50, 12), nn.RMSNorm(12), nn.Linear(12, 16), nn.GELU(), nn.Dropout(0.2),
        nn.LayerNorm(16), nn.Linear(16, 16, bias=False), nn.ReLU(), nn.Tanh(), nn.Sigmoid(),
        nn.Identity(), nn.Softmax(-1), nn.Flatten(), nn.Linear(16 * 6, 9),
    )  # fmt: skip
    body.to(getattr(kael, dtype))
    x = kael.randint(0, 50, (40, 6), generator=kael.Generator(2))
    y = kael.randint(0, 9, (40,), generator=kael.Generator(3))
    scores = body(x)
    yield "scores", scores
    loss = nn.CrossEntropyLoss()(scores, y) + nn.NLLLoss()(nn.LogSoftmax(1)(scores), y)
    half, double = scores.detach() * 0.5, scores.detach() * 2
    loss = loss + nn.MSELoss()(scores, half) + nn.L1Loss()(scores, double)
    yield "loss", loss
    loss.backward()
    yield from ((name, p.grad) for name, p in body.named_parameters())


# ---- optimizers ----


def _optimizer(name, kind):
    """Steps with the default settings and, where it is known, with weight decay."""

    @case(f"optim.{name}")
    def steps(dtype):
        known = inspect.signature(kind).parameters
        for options in ({}, {"weight_decay": 0.01}):
            if not set(options) <= set(known):
                continue
            start = [spread(91, 37, 50, dtype=dtype) * 2.0**-30, normal(92, 70_001, dtype=dtype)]
            if name == "Muon":  # matrices only
                start[1] = start[1][:70_000].reshape(700, 100)
            leaves = [x.clone().requires_grad_() for x in start]
            optimizer = kind(leaves, **options)
            for number in range(5):

                def closure(number=number, leaves=leaves, optimizer=optimizer):
                    optimizer.zero_grad()
                    loss = sum(
                        ((x - normal(93 + number, *x.shape, dtype=dtype)) ** 2).sum()
                        for x in leaves
                    )
                    loss.backward()
                    return loss

                optimizer.step(closure)
            yield from enumerate(leaves)


for _name in optim.__all__:
    _kind = getattr(optim, _name)
    if isinstance(_kind, type) and _name not in ("Optimizer", "SparseAdam"):
        _optimizer(_name, _kind)


OPTIONS = {
    "ASGD": {"t0": 2, "weight_decay": 0.1},
    "Adafactor": {"weight_decay": 0.1},
    "Adagrad": {"lr_decay": 0.1},
    "Adam": {"amsgrad": True},
    "RAdam": {"betas": (0.9, 0.95)},
    "RMSprop": {"centered": True, "momentum": 0.9},
    "SGD": {"momentum": 0.9, "nesterov": True},
}


@case(name="optimizers with options")
def options(dtype):
    """A matrix and its state after ten steps."""
    for name, given in OPTIONS.items():
        p = normal(97, 33, 17, dtype=dtype).clone().requires_grad_()
        optimizer = getattr(optim, name)([p], **given)
        for number in range(10):
            p.grad = normal(98 + number, 33, 17, dtype=dtype).clone()
            optimizer.step()
        yield name, p
        yield from ((f"{name} {key}", x) for key, x in optimizer.state[p].items())


@case("optim.clip_grad_norm_", "optim.clip_grad_value_", "optim.clip_grads_with_norm_",
      "optim.get_total_norm", name="clipping")  # fmt: skip
def clipping(dtype):
    def fresh():
        leaves = [kael.zeros(*s, dtype=getattr(kael, dtype)) for s in ((40, 50), (30_001,), ())]
        for number, leaf in enumerate(leaves):
            leaf.requires_grad_().grad = spread(94 + number, *leaf.shape, dtype=dtype).clone()
        return leaves

    for p in (1.0, 2.0, 3.0, float("inf")):
        leaves = fresh()
        yield f"norm {p}", optim.clip_grad_norm_(leaves, 0.5, p)
        yield from ((f"norm {p}", leaf.grad) for leaf in leaves)
    leaves = fresh()
    total = optim.get_total_norm([leaf.grad for leaf in leaves])
    optim.clip_grads_with_norm_(leaves, 0.5, total)
    yield from (("total", x) for x in (total, *(leaf.grad for leaf in leaves)))
    optim.clip_grad_value_(leaves, 0.01)
    yield from (("value", leaf.grad) for leaf in leaves)


@case(name="training")
def training(dtype):
    """The weights after 100 steps of an MLP with Adam and gradient clipping."""
    kael.manual_seed(12)
    model = nn.Sequential(nn.Linear(20, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 5))
    model.to(dtype)
    optimizer = optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-3)
    x = kael.randn(96, 20, dtype=getattr(kael, dtype))
    y = kael.randint(0, 5, (96,))
    for _ in range(100):
        optimizer.zero_grad()
        functional.cross_entropy(model(x), y).backward()
        optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    yield from model.state_dict().items()
