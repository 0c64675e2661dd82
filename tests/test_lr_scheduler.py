"""The schedulers against torch.optim.lr_scheduler: the same rates to the last bit, the same
warnings and errors; and continuing a saved training equals never having stopped."""

import copy
import math
import pickle
import re
import warnings

import numpy as np
import pytest

import kael

EPOCHS = 60


class Wave:
    """A callable object with state of its own."""

    def __init__(self, width):
        self.width = width
        self.calls = 0

    def __call__(self, epoch):
        self.calls += 1
        return 0.5 + 0.5 * math.cos(epoch / self.width)


def half_life(epoch):
    return 0.5 ** (epoch / 10)


def nearly(epoch):
    return 0.95 if epoch % 3 else 1.02


def sine(x):
    return 0.5 * (1 + math.sin(x * math.pi / 2.0))


def sequence(s, o, *parts, milestones):
    return s.SequentialLR(o, [part(s, o) for part in parts], milestones=milestones)


def chain(s, o, *parts):
    return s.ChainedScheduler([part(s, o) for part in parts])


def linear(s, o):
    return s.LinearLR(o, start_factor=0.1, total_iters=7)


def cosine(s, o):
    return s.CosineAnnealingLR(o, T_max=15, eta_min=1e-5)


def exponential(s, o):
    return s.ExponentialLR(o, gamma=0.93)


def constant(s, o):
    return s.ConstantLR(o, factor=0.3, total_iters=9)


def warm(s, o):
    return s.CosineAnnealingWarmRestarts(o, T_0=5, T_mult=2)


def one_cycle(s, o):
    return s.OneCycleLR(o, 0.5, total_steps=60)


# Every scheduler with several settings: (module of schedulers, optimizer) to a scheduler.
CASES = {
    "lambda": lambda s, o: s.LambdaLR(o, half_life),
    "lambda_list": lambda s, o: s.LambdaLR(o, [half_life, nearly]),
    "lambda_object": lambda s, o: s.LambdaLR(o, Wave(9)),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, nearly),
    "multiplicative_list": lambda s, o: s.MultiplicativeLR(o, (nearly, Wave(30))),
    "step": lambda s, o: s.StepLR(o, 7),
    "step_gamma": lambda s, o: s.StepLR(o, step_size=1, gamma=0.97),
    "multi_step": lambda s, o: s.MultiStepLR(o, [3, 5, 5, 20]),
    "multi_step_gamma": lambda s, o: s.MultiStepLR(o, (40, 2), gamma=0.3),
    "constant": lambda s, o: s.ConstantLR(o),
    "constant_factor": constant,
    "linear": lambda s, o: s.LinearLR(o),
    "linear_down": lambda s, o: s.LinearLR(o, 0.9, 0.0, 33),
    "linear_up": linear,
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9),
    "polynomial": lambda s, o: s.PolynomialLR(o),
    "polynomial_power": lambda s, o: s.PolynomialLR(o, total_iters=45, power=2.5),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 10),
    "cosine_floor": cosine,
    "cosine_one": lambda s, o: s.CosineAnnealingLR(o, 1, eta_min=0.001),
    "warm": lambda s, o: s.CosineAnnealingWarmRestarts(o, 7),
    "warm_longer": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, T_mult=2, eta_min=1e-4),
    "cyclic": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=8),
    "cyclic_halved": lambda s, o: s.CyclicLR(o, [0.01, 0.02], [0.1, 0.3], 5, 9, "triangular2"),
    "cyclic_exp": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, 6, mode="exp_range", gamma=0.97, base_momentum=[0.7, 0.75]
    ),
    "cyclic_function": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, 6, scale_fn=sine, scale_mode="iterations"
    ),
    "cyclic_object": lambda s, o: s.CyclicLR(
        o, 0.01, 0.1, 4, scale_fn=Wave(5), cycle_momentum=False
    ),
    "one_cycle": lambda s, o: s.OneCycleLR(o, 0.5, total_steps=60),
    "one_cycle_linear": lambda s, o: s.OneCycleLR(
        o, [0.5, 0.1], epochs=12, steps_per_epoch=5, anneal_strategy="linear", pct_start=0.2
    ),
    "one_cycle_three": lambda s, o: s.OneCycleLR(
        o, 0.5, 70, three_phase=True, div_factor=10.0, final_div_factor=100.0
    ),
    "one_cycle_rate_only": lambda s, o: s.OneCycleLR(o, 0.5, 60, cycle_momentum=False),
    "sequence": lambda s, o: sequence(s, o, linear, cosine, milestones=[7]),
    "sequence_of_three": lambda s, o: sequence(
        s, o, constant, exponential, warm, milestones=[10, 25]
    ),
    "sequence_from_zero": lambda s, o: sequence(s, o, constant, exponential, milestones=[0]),
    "chain": lambda s, o: chain(s, o, constant, exponential),
    "chain_of_three": lambda s, o: chain(s, o, linear, exponential, cosine),
    "chain_of_sequence": lambda s, o: chain(
        s, o, exponential, lambda s, o: sequence(s, o, linear, constant, milestones=[7])
    ),
}
PLATEAUS = [
    {"patience": 2},
    {"patience": 1, "factor": 0.5, "threshold_mode": "abs", "cooldown": 3},
    {"mode": "max", "patience": 0, "threshold": 0.01, "min_lr": [1e-3, 2e-3]},
    {"mode": "max", "threshold_mode": "abs", "patience": 3, "min_lr": 1e-2, "eps": 1e-3},
]


def kael_optimizer(kind="SGD", **options):
    groups = [
        {"params": [kael.ones(3, requires_grad=True)]},
        {"params": [kael.ones(2, requires_grad=True)], "lr": 0.02},
    ]
    return getattr(kael.optim, kind)(groups, lr=0.1, **options)


def torch_optimizer(torch, kind="SGD", **options):
    groups = [
        {"params": [torch.ones(3, requires_grad=True)]},
        {"params": [torch.ones(2, requires_grad=True)], "lr": 0.02},
    ]
    return getattr(torch.optim, kind)(groups, lr=0.1, **options)


def momentum(optimizer):
    return [g["betas"] if "betas" in g else g["momentum"] for g in optimizer.param_groups]


def snapshot(optimizer, scheduler):
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    assert [float(lr) for lr in scheduler.get_last_lr()] == rates
    return rates, momentum(optimizer)


def follow(optimizer, scheduler, epochs=EPOCHS, start=0):
    """(rates, momentum) at every epoch; a scheduler of a measure sees the same one each time."""
    seen = []
    for epoch in range(start, start + epochs):
        seen.append(snapshot(optimizer, scheduler))
        optimizer.step()
        if type(scheduler).__name__ == "ReduceLROnPlateau":
            scheduler.step(math.cos(epoch * 0.7) / (1 + epoch))
        else:
            scheduler.step()
    return seen


def both(kind="SGD"):
    torch = pytest.importorskip("torch")
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return (
        (kael.optim.lr_scheduler, kael_optimizer(kind, **options)),
        (torch.optim.lr_scheduler, torch_optimizer(torch, kind, **options)),
    )


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:.*epoch parameter:UserWarning")
def test_rates_and_momentum_equal_torchs(case, kind):
    (mine, my_optimizer), (theirs, their_optimizer) = both(kind)
    a, b = CASES[case](mine, my_optimizer), CASES[case](theirs, their_optimizer)
    assert follow(my_optimizer, a) == follow(their_optimizer, b)
    assert keys(a.state_dict()) == keys(b.state_dict())


def keys(state):
    """The keys of a state, those of the parts too."""
    return {key: [keys(s) for s in state[key]] if key == "_schedulers" else None for key in state}


@pytest.mark.parametrize("options", PLATEAUS)
def test_plateaus_equal_torchs(options):
    (mine, my_optimizer), (theirs, their_optimizer) = both()
    a = mine.ReduceLROnPlateau(my_optimizer, **options)
    b = theirs.ReduceLROnPlateau(their_optimizer, **options)
    assert follow(my_optimizer, a) == follow(their_optimizer, b)
    assert a.state_dict() == b.state_dict()
    assert a.in_cooldown == b.in_cooldown


@pytest.mark.parametrize(
    "case", ["lambda", "step", "linear_up", "cosine_floor", "sequence", "warm"]
)
def test_rates_that_are_tensors_keep_their_place(case):
    torch = pytest.importorskip("torch")
    p, t = kael.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    lr, their_lr = kael.tensor(0.1), torch.tensor(0.1)
    a_optimizer = kael.optim.SGD([p], lr=lr)
    b_optimizer = torch.optim.SGD([t], lr=their_lr)
    a = CASES[case](kael.optim.lr_scheduler, a_optimizer)
    b = CASES[case](torch.optim.lr_scheduler, b_optimizer)
    for _ in range(25):
        assert a_optimizer.param_groups[0]["lr"] is lr
        assert lr.item() == their_lr.item()
        (last,) = a.get_last_lr()
        assert last is not lr and last.item() == lr.item()
        a_optimizer.step(), b_optimizer.step()
        a.step(), b.step()


@pytest.mark.parametrize("case", ["step", "multi_step", "constant_factor", "linear_up",
                                  "exponential", "polynomial_power", "cosine_floor", "lambda",
                                  "cyclic", "warm_longer"])  # fmt: skip
def test_a_given_epoch_as_torch(case):
    (mine, my_optimizer), (theirs, their_optimizer) = both()
    a, b = CASES[case](mine, my_optimizer), CASES[case](theirs, their_optimizer)
    warned = "warm" not in case
    for epoch in (4, 11, 2, 0, 40):
        for scheduler, optimizer in ((a, my_optimizer), (b, their_optimizer)):
            optimizer.step()
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                scheduler.step(epoch)
            assert [w.category for w in seen] == [UserWarning] * warned
        assert snapshot(my_optimizer, a) == snapshot(their_optimizer, b)


def test_steps_within_an_epoch():
    (mine, my_optimizer), (theirs, their_optimizer) = both()
    a = mine.CosineAnnealingWarmRestarts(my_optimizer, 4, T_mult=3)
    b = theirs.CosineAnnealingWarmRestarts(their_optimizer, 4, T_mult=3)
    for quarter in range(100):
        a.step(quarter / 4), b.step(quarter / 4)
        assert snapshot(my_optimizer, a) == snapshot(their_optimizer, b)
    # pytorch/pytorch#60265 and its like: torch's logarithm misses the restart at an exact power
    for mult in (3, 5, 6, 7):
        for cycle in range(6):
            a = mine.CosineAnnealingWarmRestarts(my_optimizer, 1, T_mult=mult)
            a.step((mult**cycle - 1) // (mult - 1))
            assert a.get_last_lr() == a.base_lrs


def scheduler_of(case, optimizer):
    if isinstance(case, dict):
        return kael.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **case)
    return CASES[case](kael.optim.lr_scheduler, optimizer)


def make(case):
    optimizer = kael_optimizer(momentum=0.9)
    return optimizer, scheduler_of(case, optimizer)


@pytest.mark.parametrize("case", [*CASES, *PLATEAUS], ids=str)
@pytest.mark.parametrize("order", ["optimizer last", "scheduler last", "made after loading"])
def test_continuing_equals_never_stopping(case, order):
    # pytorch/pytorch#65342, #119168, #162591, #60265, #78003
    optimizer, scheduler = make(case)
    whole = follow(optimizer, scheduler, 20)
    optimizer, scheduler = make(case)
    begun = follow(optimizer, scheduler, 7)
    saved = pickle.loads(pickle.dumps((optimizer.state_dict(), scheduler.state_dict())))
    if order == "made after loading":
        optimizer = kael_optimizer(momentum=0.9)
        optimizer.load_state_dict(saved[0])
        scheduler = scheduler_of(case, optimizer)
        scheduler.load_state_dict(saved[1])
    else:
        optimizer, scheduler = make(case)
        if order == "optimizer last":
            scheduler.load_state_dict(saved[1])
        optimizer.load_state_dict(saved[0])
        if order == "scheduler last":
            scheduler.load_state_dict(saved[1])
    assert begun + follow(optimizer, scheduler, 13, start=7) == whole


@pytest.mark.parametrize("case", CASES)
def test_states_are_interchanged_with_torch(case):
    (mine, my_optimizer), (theirs, their_optimizer) = both()
    b = CASES[case](theirs, their_optimizer)
    follow(their_optimizer, b, 7)
    a = CASES[case](mine, my_optimizer)
    for group, other in zip(my_optimizer.param_groups, their_optimizer.param_groups, strict=True):
        group.update({k: v for k, v in other.items() if k != "params"})
    a.load_state_dict(copy.deepcopy(b.state_dict()))
    assert follow(my_optimizer, a, 13) == follow(their_optimizer, b, 13)


@pytest.mark.parametrize("case", [*CASES, PLATEAUS[0]], ids=str)
def test_copies_and_pickles_go_on_alike(case):
    optimizer, scheduler = make(case)
    follow(optimizer, scheduler, 5)
    copies = [copy.deepcopy(scheduler)]
    copies.append(pickle.loads(pickle.dumps(scheduler)))
    expected = follow(optimizer, scheduler, 10, start=5)
    for other in copies:
        assert other.optimizer is not optimizer
        assert follow(other.optimizer, other, 10, start=5) == expected


def test_parts_may_be_composed_themselves():
    """A chain after a milestone starts from the initial rate, as alone."""
    s, o = kael.optim.lr_scheduler, kael_optimizer(momentum=0.9)
    scheduler = sequence(
        s, o, constant, lambda s, o: chain(s, o, linear, exponential), milestones=[4]
    )
    seen = follow(o, scheduler, 20)
    o = kael_optimizer(momentum=0.9)
    alone = follow(o, chain(s, o, linear, exponential), 16)
    assert seen[4:] == alone
    o = kael_optimizer(momentum=0.9)
    nested = sequence(
        s, o, constant, lambda s, o: sequence(s, o, linear, warm, milestones=[6]), milestones=[4]
    )
    seen = follow(o, nested, 20)
    o = kael_optimizer(momentum=0.9)
    assert seen[4:] == follow(o, sequence(s, o, linear, warm, milestones=[6]), 16)


def test_a_constant_factor_of_zero_ends():
    s, o = kael.optim.lr_scheduler, kael_optimizer(momentum=0.9)
    seen = follow(o, s.ConstantLR(o, factor=0.0, total_iters=3), 5)
    assert [rates for rates, _ in seen] == [[0.0, 0.0]] * 3 + [[0.1, 0.02]] * 2


def warnings_of(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [(w.category, str(w.message)[:60]) for w in seen]


def test_warnings_as_torchs():
    (mine, my_optimizer), (theirs, their_optimizer) = both()
    my_optimizer.step(), their_optimizer.step()
    a, b = mine.StepLR(my_optimizer, 2), theirs.StepLR(their_optimizer, 2)
    assert len(warnings_of(a.step)) == 1
    assert warnings_of(a.step) == []
    assert warnings_of(mine.StepLR(my_optimizer, 2).step) == warnings_of(b.step)  # order
    my_optimizer.step(), their_optimizer.step()
    a, b = mine.StepLR(my_optimizer, 2), theirs.StepLR(their_optimizer, 2)
    assert warnings_of(a.step) == warnings_of(b.step) == []
    assert warnings_of(a.get_lr) == warnings_of(b.get_lr) != []
    a, b = mine.StepLR(my_optimizer, 2), theirs.StepLR(their_optimizer, 2)
    my_optimizer.step = their_optimizer.step = lambda: None
    assert warnings_of(a.step) == warnings_of(b.step) != []


ERRORS = {
    "no optimizer": lambda s, o: s.StepLR(3, 1),
    "no optimizer for a plateau": lambda s, o: s.ReduceLROnPlateau("x"),
    "no optimizer for a cycle": lambda s, o: s.CyclicLR(None, 0.1, 0.2),
    "no initial rate": lambda s, o: s.StepLR(o, 1, last_epoch=3),
    "three lambdas": lambda s, o: s.LambdaLR(o, [nearly] * 3),
    "three factors": lambda s, o: s.MultiplicativeLR(o, [nearly] * 3),
    "no function": lambda s, o: s.MultiplicativeLR(o, 0.5),
    "constant factor": lambda s, o: s.ConstantLR(o, 1.5),
    "start factor": lambda s, o: s.LinearLR(o, 0.0),
    "end factor": lambda s, o: s.LinearLR(o, 1.0, -0.5),
    "no schedulers": lambda s, o: s.SequentialLR(o, [], []),
    "nothing to chain": lambda s, o: s.ChainedScheduler([]),
    "milestones": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]),
    "plateau in a sequence": lambda s, o: s.SequentialLR(o, [s.ReduceLROnPlateau(o)], []),
    "plateau in a chain": lambda s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)]),
    "no scheduler": lambda s, o: s.SequentialLR(o, [3], []),
    "other optimizer": lambda s, o: s.SequentialLR(o, [s.StepLR(copy.deepcopy(o), 1)], []),
    "factor": lambda s, o: s.ReduceLROnPlateau(o, factor=1.0),
    "min_lrs": lambda s, o: s.ReduceLROnPlateau(o, min_lr=[0.1]),
    "mode": lambda s, o: s.ReduceLROnPlateau(o, mode="up"),
    "threshold mode": lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="up"),
    "base_lr": lambda s, o: s.CyclicLR(o, [0.1], 0.2),
    "max_lr": lambda s, o: s.CyclicLR(o, 0.1, [0.2] * 3),
    "cyclic mode": lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="square"),
    "T_0": lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
    "T_0 type": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1.5),
    "T_mult": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 0),
    "eta_min": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 1, "x"),
    "epoch": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1).step(-1),
    "total_steps": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=-1),
    "epochs": lambda s, o: s.OneCycleLR(o, 0.1, epochs=1.5, steps_per_epoch=3),
    "steps_per_epoch": lambda s, o: s.OneCycleLR(o, 0.1, epochs=1, steps_per_epoch=0),
    "no steps": lambda s, o: s.OneCycleLR(o, 0.1, epochs=1),
    "pct_start": lambda s, o: s.OneCycleLR(o, 0.1, 10, pct_start=1),
    "strategy": lambda s, o: s.OneCycleLR(o, 0.1, 10, anneal_strategy="square"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_as_torchs(case):
    for_mine, for_theirs = both()
    with pytest.raises(Exception) as expected:
        ERRORS[case](*for_theirs)
    opening = str(expected.value)[:60]
    with pytest.raises(type(expected.value)) as found:
        ERRORS[case](*for_mine)
    assert str(found.value)[:40].replace("kael", "torch") == opening[:40]


def test_errors_of_steps_as_torchs():
    for s, o in both():
        scheduler = s.OneCycleLR(o, 0.1, 3)
        for _ in range(3):
            o.step()
            scheduler.step()
        with pytest.raises(ValueError, match=re.escape("Tried to step 4 times. The specified")):
            scheduler.step()
        plateau = s.ReduceLROnPlateau(o, patience=0, min_lr=[0.01, 0.01])
        group = {"params": [o.param_groups[0]["params"][0].detach().clone().requires_grad_()]}
        o.add_param_group(group)
        plateau.step(1.0)
        with pytest.raises(RuntimeError, match="The number of param groups in the `optimizer`"):
            plateau.step(1.0)


@pytest.mark.parametrize("case", ["cyclic", "one_cycle"])
def test_momentum_needs_an_optimizer_that_has_it(case):
    for s, o in both("Adam"):
        o.defaults.pop("betas")
        with pytest.raises(ValueError, match="optimizer must support momentum or beta1"):
            CASES[case](s, o)


def test_a_scheduler_of_the_users_own():
    class Inverse(kael.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [lr / (1 + self.last_epoch) for lr in self.base_lrs]

        def _get_closed_form_lr(self):
            return [-1.0 for _ in self.base_lrs]

    optimizer = kael_optimizer()
    scheduler = Inverse(optimizer)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    assert scheduler.get_last_lr() == [0.1 / 4, 0.02 / 4]
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(2)
    assert scheduler.get_last_lr() == [-1.0, -1.0]
    with pytest.raises(NotImplementedError):
        kael.optim.lr_scheduler.LRScheduler(optimizer)


def test_a_step_uses_the_rate():
    optimizer, scheduler = make("step_gamma")
    p = optimizer.param_groups[0]["params"][0]
    expected = np.ones(3, np.float32)
    buffer = np.zeros(3, np.float32)
    for epoch in range(3):
        p.grad = kael.ones(3)
        optimizer.step()
        buffer = np.ones(3, np.float32) if epoch == 0 else np.float32(0.9) * buffer + 1
        expected = expected - np.float32(scheduler.get_last_lr()[0]) * buffer
        scheduler.step()
        assert (np.asarray(p.detach()) == expected).all()
