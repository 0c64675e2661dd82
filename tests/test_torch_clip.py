"""kael.torch.nn.utils, the fused clipping and zeroing of a step, and the scale of a GradScaler."""

import copy

import pytest

import kael

torch = pytest.importorskip("torch")

import kael.torch.optim as optim  # noqa: E402
from kael.torch.nn import utils  # noqa: E402

ALL = [
    "ASGD", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Lion", "Muon",
    "NAdam", "RAdam", "RMSprop", "Rprop",
]  # fmt: skip


def made(dtype=torch.float32):
    """Matrices, so that Muon takes them: contiguous, transposed, strided, empty."""
    generator = torch.Generator().manual_seed(0)
    params = [
        torch.randn(5, 7, generator=generator).to(dtype),
        torch.randn(6, 4, generator=generator).to(dtype).t(),
        torch.randn(8, 9, generator=generator).to(dtype)[::2, ::3],
        torch.randn(0, 3, generator=generator).to(dtype),
        torch.randn(130, 130, generator=generator).to(dtype),
    ]
    for p in params:
        p.requires_grad_()
        p.grad = 3 * torch.randn(p.shape, generator=generator).to(dtype)
    params[1].grad = params[1].grad[:, :1].clone().expand(params[1].shape)
    return params


def gradients(params):
    return [p.grad.clone() for p in params]


@pytest.mark.parametrize("norm_type", [2, 1, 3.5, float("inf"), -float("inf")])
def test_norms_agree_with_torch_and_have_kaels_bits(norm_type):
    params = made()
    twins = [kael.from_dlpack(p.grad) for p in params]
    found = utils.get_total_norm([p.grad for p in params], norm_type)
    assert found.item() == kael.optim.get_total_norm(twins, norm_type).item()
    full = [p.grad for p in params if p.numel()]
    expected = torch.nn.utils.get_total_norm(full, norm_type)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=0)
    assert utils.clip_grad_norm_(params[0], 1e9, norm_type).shape == ()


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64]
)
def test_clipping_agrees_with_torch(dtype):
    a, b = made(dtype), made(dtype)
    for params in (a, b):
        params[1].grad = params[1].grad.clone()
    found = utils.clip_grad_norm_(a, 1.0)
    expected = torch.nn.utils.clip_grad_norm_(b, 1.0)
    bound = 1e-2 if dtype.itemsize == 2 else 1e-5
    assert found.dtype == expected.dtype
    torch.testing.assert_close(found, expected, rtol=bound, atol=0)
    for p, q in zip(a, b, strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=bound, atol=bound)
        assert p.grad._version == 1 or p.numel() == 0


def test_16_bit_norms_are_those_of_their_float32_values():
    for dtype in (torch.bfloat16, torch.float16):
        bits = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)
        finite = bits[bits.isfinite()]
        for t in (finite, finite[::3], finite.reshape(-1, 2).t()):
            narrow = utils.get_total_norm([t.float()]).to(dtype)
            for isa in kael.usable_isas():
                with kael.isa(isa):
                    assert torch.equal(utils.get_total_norm([t]), narrow)


def test_values_and_the_second_half():
    a, b = made()[2:], made()[2:]
    utils.clip_grad_value_(a, 0.5), torch.nn.utils.clip_grad_value_(b, 0.5)
    assert all(torch.equal(p.grad, q.grad) for p, q in zip(a, b, strict=True))
    utils.clip_grads_with_norm_(a, 1.0, torch.tensor(4.0))
    torch.nn.utils.clip_grads_with_norm_(b, 1.0, torch.tensor(4.0))
    for p, q in zip(a, b, strict=True):
        torch.testing.assert_close(p.grad, q.grad)


def test_a_refused_clipping_changes_nothing():
    params = made()
    before = gradients(params)
    with pytest.raises(RuntimeError, match="one element at several places"):
        utils.clip_grad_norm_(params, 1.0)
    params[1].grad = None
    params[0].grad[0, 0] = float("nan")
    before = gradients([p for p in params if p.grad is not None])
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    for p, old in zip([p for p in params if p.grad is not None], before, strict=True):
        torch.testing.assert_close(p.grad, old, rtol=0, atol=0, equal_nan=True)
    with pytest.raises(TypeError, match=r"clip_grad_norm_: strided CPU tensors"):
        params[0].grad = torch.ones(5, 7).to_sparse()
        utils.clip_grad_norm_(params, 1.0)
    with pytest.warns(UserWarning, match="empty generator"):
        utils.clip_grad_norm_((p for p in ()), 1.0)


@pytest.mark.parametrize("name", ALL)
def test_a_step_that_clips_and_zeroes_equals_three_calls(name):
    a, b = made(), made()
    fused, plain = getattr(optim, name)(a), getattr(optim, name)(b)
    for p in (a[1], b[1]):
        p.grad = p.grad.clone()
    kept = gradients(a)
    for _ in range(2):
        for params in (a, b):
            for p, g in zip(params, kept, strict=True):
                p.grad = g.clone()
        fused.step(max_norm=2.0, zero_grad=True)
        norm = utils.clip_grad_norm_(b, 2.0)
        plain.step()
        assert torch.tensor(fused.total_norm).float() == norm
        assert all((p.grad == 0).all() for p in a)
        assert all(torch.equal(p, q) for p, q in zip(a, b, strict=True))


@pytest.mark.parametrize("name", ALL)
def test_the_scale_and_the_skipped_step_of_a_grad_scaler(name):
    # LibreYOLO/libreyolo#771
    a, b = made(), made()
    scaled, plain = getattr(optim, name)(a), getattr(optim, name)(b)
    for p in a:
        p.grad = p.grad * 1024
    kept = gradients(a)
    for _ in range(2):
        scaled.grad_scale, scaled.found_inf = torch.tensor(1024.0), torch.tensor(0.0)
        scaled.step()
        plain.step()
        assert all(torch.equal(p.grad, g) for p, g in zip(a, kept, strict=True))
        assert all(torch.equal(p, q) for p, q in zip(a, b, strict=True))
        values, state = [p.detach().clone() for p in a], copy.deepcopy(scaled.state_dict())
        scaled.found_inf = torch.tensor(1.0)
        scaled.step(max_norm=1.0, zero_grad=True)
        assert all(torch.equal(p, v) for p, v in zip(a, values, strict=True))
        assert all(torch.equal(p.grad, g) for p, g in zip(a, kept, strict=True))
        for number, entries in state["state"].items():
            for key, value in entries.items():
                assert torch.equal(scaled.state_dict()["state"][number][key], value)


def test_clipping_is_of_the_unscaled_gradients():
    a, b = made(), made()
    for p in a:
        p.grad = p.grad * 1024
    scaled, plain = optim.AdamW(a), optim.AdamW(b)
    scaled.grad_scale = torch.tensor(1024.0)
    scaled.step(max_norm=2.0), plain.step(max_norm=2.0)
    assert scaled.total_norm == pytest.approx(plain.total_norm, rel=1e-15)
    for p, q in zip(a, b, strict=True):
        torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-7)


def test_a_gradient_that_two_parameters_share_is_zeroed_after_both():
    p, q = torch.ones(9, requires_grad=True), torch.ones(9, requires_grad=True)
    p.grad = q.grad = torch.ones(9)
    optim.SGD([p, q], lr=0.25).step(zero_grad=True)
    assert p.tolist() == q.tolist() == [0.75] * 9 and p.grad.tolist() == [0] * 9
    a, b = kael.ones(9, requires_grad=True), kael.ones(9, requires_grad=True)
    a.grad = b.grad = kael.ones(9)
    kael.optim.SGD([a, b], lr=0.25).step(zero_grad=True)
    assert a.tolist() == b.tolist() == [0.75] * 9 and a.grad.tolist() == [0] * 9


def test_expanded_parameters_and_gradients_to_be_zeroed_are_refused():
    good = torch.ones(2, 3, requires_grad=True)
    bad = torch.ones(2, 1).expand(2, 3).requires_grad_()
    good.grad, bad.grad = torch.ones(2, 3), torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="one of the parameters shows one element at several"):
        optim.SGD([good, bad]).step()
    good.grad = torch.ones(2, 1).expand(2, 3)
    with pytest.raises(RuntimeError, match="one of the gradients, which are to be zeroed"):
        optim.SGD([good]).step(zero_grad=True)
    assert (good == 1).all()
