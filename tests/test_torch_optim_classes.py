"""What holds of every class of kael.torch.optim: a refused step changes nothing, a GradScaler's
infinity skips all of it, gradients of bfloat16 need no conversion; the lock of L-BFGS."""

import copy
import itertools
import threading

import pytest
from conftest import run_script

torch = pytest.importorskip("torch")

import kael.torch.optim as mine  # noqa: E402

OPTIONS = {
    "ASGD": {"t0": 1},
    "Adadelta": {},
    "Adafactor": {},
    "Adagrad": {},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "Adamax": {},
    "Lion": {},
    "Muon": {},
    "NAdam": {},
    "RAdam": {},
    "RMSprop": {"momentum": 0.9, "centered": True},
    "Rprop": {},
    "SGD": {"momentum": 0.9},
}
LISTED = {
    name
    for name in mine.__all__
    if isinstance(getattr(mine, name), type) and name not in ("Optimizer", "LBFGS")
}
NUMBERS = ("step", "eta", "mu", "mu_product")
every_class = pytest.mark.parametrize("name", OPTIONS)


def test_every_class_is_listed():
    assert {*OPTIONS} == LISTED


def parts(dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    made = [torch.randn(shape, generator=generator).to(dtype) for shape in ((4, 5), (3, 3), (6, 2))]
    return [p.requires_grad_() for p in made]


def give(params, step=0, dtype=None):
    generator = torch.Generator().manual_seed(10 + step)
    for p in params:
        p.grad_dtype = None
        p.grad = torch.randn(p.shape, generator=generator).to(dtype or p.dtype)


def make(name, params, **more):
    return getattr(mine, name)(params, **{**OPTIONS[name], **more})


def snapshot(optimizer):
    params = [p for group in optimizer.param_groups for p in group["params"]]
    groups = [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups]
    return copy.deepcopy(
        (
            [p.detach() for p in params],
            [None if p.grad is None or p.grad.is_sparse else p.grad.clone() for p in params],
            {id(p): dict(state) for p, state in optimizer.state.items()},
            groups,
        )
    )


def equal(a, b):
    if torch.is_tensor(a):
        same = torch.is_tensor(b) and a.dtype == b.dtype and a.shape == b.shape
        return same and (a.is_meta or torch.equal(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    return a == b


def refused(optimizer, errors, **arguments):
    before = snapshot(optimizer)
    with pytest.raises(errors):
        optimizer.step(**arguments)
    assert equal(before, snapshot(optimizer))


def bad_gradients(shape):
    """Gradients of the last parameter that no step can take, and arguments."""
    yield torch.ones(shape).to_sparse(), {}
    yield torch.empty(shape, device="meta"), {}
    yield torch.ones(shape, dtype=torch.float64), {}
    yield torch.ones(shape, dtype=torch.int32), {}
    yield torch.ones(shape).to(torch.float8_e4m3fn), {}
    yield torch.ones(1).expand(shape), {"zero_grad": True}


@every_class
@pytest.mark.parametrize("stepped", [False, True])
def test_a_gradient_that_is_refused_changes_nothing(name, stepped):
    params = parts()
    optimizer = make(name, params)
    if stepped:
        give(params)
        optimizer.step()
    shape = params[-1].shape
    for g, arguments in bad_gradients(shape):
        give(params, 1)
        params[-1].grad = None
        params[-1].grad_dtype = None
        try:
            params[-1].grad = g
        except (TypeError, RuntimeError):  # PyTorch itself refuses it
            continue
        refused(optimizer, (TypeError, RuntimeError, ValueError), **arguments)
    give(params, 1)
    optimizer.step()


@every_class
def test_state_that_is_refused_changes_nothing(name):
    params = parts()
    optimizer = make(name, params)
    give(params)
    optimizer.step()
    give(params, 1)
    state = optimizer.state[params[-1]]
    for key, value in dict(state).items():
        if key in NUMBERS:
            if key == "step" and name == "Adafactor":
                continue
            state[key] = torch.zeros(2)
            refused(optimizer, ValueError)
        else:
            for bad in (
                torch.zeros(77),
                value.double(),
                value.to(torch.int64),
                torch.empty(value.shape, device="meta"),
                value[:1, :1].expand(value.shape) if value.numel() > 1 else torch.zeros(77),
            ):
                state[key] = bad
                refused(optimizer, (ValueError, TypeError, RuntimeError))
            state[key] = "text"
            refused(optimizer, (TypeError, ValueError))
        state[key] = value
    optimizer.step()


@every_class
def test_a_parameter_that_is_refused_changes_nothing(name):
    params = parts()
    optimizer = make(name, params)
    give(params)
    for bad in (
        torch.ones(1, 1).expand(6, 2),
        torch.ones(6, 2, dtype=torch.int32),
        torch.ones(6, 2, dtype=torch.bool),
    ):
        changed = [*optimizer.param_groups[0]["params"][:2], bad]
        optimizer.param_groups[0]["params"] = changed
        bad.grad_dtype = None
        bad.grad = torch.ones(6, 2)
        refused(optimizer, (TypeError, RuntimeError))
    optimizer.param_groups[0]["params"] = params
    optimizer.step()


@every_class
def test_a_group_that_is_refused_changes_nothing(name):
    params = parts()
    optimizer = make(name, params[:1])
    for error, group in (
        (TypeError, {"params": [torch.empty(3, 3, device="meta")]}),
        (TypeError, {"params": [torch.eye(3).to_sparse()]}),
        (NotImplementedError, {"params": params[1:2], "differentiable": True}),
        (ValueError, {"params": params[:1]}),
    ):
        with pytest.raises(error):
            optimizer.add_param_group(group)
        assert len(optimizer.param_groups) == 1
    optimizer.add_param_group({"params": params[1:]})
    give(params)
    optimizer.step()


@every_class
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_infinity_that_a_scaler_found_skips_the_whole_step(name, dtype):
    # LibreYOLO/libreyolo#771
    params = parts(dtype)
    optimizer = make(name, params)
    for step in range(2):
        give(params, step)
        before = snapshot(optimizer)
        optimizer.found_inf, optimizer.grad_scale = torch.tensor(1.0), torch.tensor(8.0)
        optimizer.step(max_norm=1.0, zero_grad=True)
        assert equal(before, snapshot(optimizer))
        del optimizer.found_inf, optimizer.grad_scale
        optimizer.step()


@every_class
@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_a_grad_scaler_scales_and_skips(name, options):
    p = torch.linspace(-1, 1, 33).reshape(3, 11).requires_grad_()
    q = p.detach().clone().requires_grad_()
    if options and name not in ("Adam", "AdamW", "SGD", "Adagrad"):
        options = {}
    a, b = make(name, [p], **options), make(name, [q])
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for factor in (1.0, float("inf"), 2.0):
        a.zero_grad()
        before = snapshot(a)
        scaler.scale((p * p * factor).sum()).backward()
        scaler.step(a)
        scaler.update()
        if factor == float("inf"):
            after = snapshot(a)
            assert equal([before[0], before[2]], [after[0], after[2]])
            continue
        b.zero_grad()
        (q * q * factor).sum().backward()
        b.step()
        assert torch.equal(p, q)


@every_class
@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_16_bit_gradients_of_float32_parameters(name, half):
    """The offload case: the bits of the widened gradient, whose memory stays as it is."""
    params, twins = parts(), parts()
    a, b = make(name, params), make(name, twins)
    for step in range(3):
        give(params, step, half)
        for p, q in zip(params, twins, strict=True):
            q.grad = p.grad.float()
        kept = [p.grad.clone() for p in params]
        a.step(), b.step()
        assert equal(kept, [p.grad for p in params])
    assert equal([p.detach() for p in params], [q.detach() for q in twins])
    for p, q in zip(params, twins, strict=True):
        assert equal(a.state[p], b.state[q])


@every_class
def test_gradients_that_are_none_and_parameters_that_are_empty(name):
    params = [*parts(), torch.zeros(0, 3, requires_grad=True)]
    optimizer = make(name, params)
    give(params)
    params[1].grad = None
    before = params[1].detach().clone()
    optimizer.step()
    assert torch.equal(params[1], before) and not (
        optimizer.state.get(params[1]) and name != "Adagrad"
    )
    assert optimizer.state[params[3]]


def quadratic(optimizer, p):
    def closure():
        optimizer.zero_grad()
        loss = ((p - 1) * (p - 1) * torch.arange(1, 1 + p.numel())).sum()
        loss.backward()
        return loss

    return closure


def lbfgs(start, state=None, **options):
    p = start.detach().clone().requires_grad_()
    optimizer = mine.LBFGS([p], lr=0.3, max_iter=3, history_size=4, **options)
    if state is not None:
        optimizer.load_state_dict(state)
    return p, optimizer


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_lbfgs_five_steps_saved_and_five_more_equal_ten(search, dtype, tmp_path):
    start = torch.linspace(-2, 3, 9, dtype=dtype)
    whole, optimizer = lbfgs(start, line_search_fn=search)
    for _ in range(10):
        optimizer.step(quadratic(optimizer, whole))
    p, optimizer = lbfgs(start, line_search_fn=search)
    for _ in range(5):
        optimizer.step(quadratic(optimizer, p))
    torch.save(optimizer.state_dict(), tmp_path / "state")
    q, other = lbfgs(p, torch.load(tmp_path / "state"), line_search_fn=search)
    for _ in range(5):
        other.step(quadratic(other, q))
    assert torch.equal(q, whole)


def test_steps_of_lbfgs_take_turns():
    p, optimizer = lbfgs(torch.zeros(50))
    inside, most = itertools.count(), []
    lock = threading.Lock()
    running = 0

    def closure():
        nonlocal running
        with lock:
            running += 1
            most.append(running)
        loss = quadratic(optimizer, p)()
        next(inside)
        with lock:
            running -= 1
        return loss

    threads = [
        threading.Thread(target=lambda: [optimizer.step(closure) for _ in range(3)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    twin, other = lbfgs(torch.zeros(50))
    for _ in range(12):
        other.step(quadratic(other, twin))
    assert torch.equal(p, twin)


def test_pytorchs_compiler_is_not_imported():
    """It takes seconds, and torch.optim imports it at the first construction of an optimizer."""
    script = """
    import sys, torch, kael.torch.optim as optim
    before = "torch._dynamo" in sys.modules
    for name in ("AdamW", "Adafactor", "Adagrad", "Lion"):
        p = torch.ones(3, 3, requires_grad=True)
        p.grad = torch.ones(3, 3)
        optimizer = getattr(optim, name)([p])
        optimizer.step()
        optimizer.zero_grad()
        optimizer.load_state_dict(optimizer.state_dict())
    print(before or "torch._dynamo" not in sys.modules)
    """
    assert run_script(script).split()[-1] == "True"


@pytest.mark.parametrize("library", ["kael", "torch"])
def test_the_first_step_starts_no_process_and_writes_no_file(library, tmp_path):
    # deepspeedai/DeepSpeed#889, #1127, #3094, #5677 and #7556: a compiler at the first use
    script = f"""
    import os, sys
    import {library}, kael, kael.{"torch." if library == "torch" else ""}optim as optim

    forbidden = []

    def listen(event, arguments):
        writes = event == "open" and (arguments[1] or "r")[0] not in "r"
        made = event.split(".")[0] in ("subprocess", "ctypes") or event in (
            "os.exec", "os.fork", "os.forkpty", "os.mkdir", "os.posix_spawn", "os.system"
        )
        if writes or made:
            forbidden.append((event, arguments))

    sys.addaudithook(listen)
    for name in ("Adam", "AdamW", "SGD", "Adagrad", "RMSprop", "Lion"):
        p = {library}.ones(3, 3, requires_grad=True)
        p.grad = {library}.ones(3, 3)
        getattr(optim, name)([p], lr=0.1).step()
    print(forbidden, "torch._dynamo" in sys.modules)
    """
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    environment = {"PATH": "", "HOME": str(home), "TMPDIR": str(home)}
    assert run_script(script, environment).split("\n")[-2] == "[] False"
