"""What a step needs of PyTorch: kinds of tensors, new state, dense copies, version counters."""

import torch
from torch import Tensor
from torch.nn import Parameter

from kael.optim.optimizer import NUMBERS

__all__ = [
    "HALVES", "Parameter", "Tensor", "address", "check_kind", "check_place", "check_storing",
    "clear", "dense_copy", "element_type", "exchange_api", "increment_version", "new_array",
    "new_master", "new_number", "put_back", "real", "refuse", "renew", "restore",
    "rounding_state",
]  # fmt: skip

SUPPORTED = (
    "strided CPU tensors of float32, float64, float16, bfloat16, complex64 and complex128 are "
    "supported"
)
HALVES = (torch.float16, torch.bfloat16)
# By dtype, (code, bits) of DLPack.
ELEMENT_TYPES = {
    torch.float32: (2, 32),
    torch.float64: (2, 64),
    torch.float16: (2, 16),
    torch.bfloat16: (4, 16),
    torch.complex64: (5, 64),
    torch.complex128: (5, 128),
    torch.int64: (0, 64),
    torch.int32: (0, 32),
    torch.uint8: (1, 8),
}
_no_dispatch = torch._C._disabled_torch_dispatch_impl

# Of a list of tensors; the public function asks first whether it is one.
increment_version = torch._C._increment_version


def exchange_api():
    """The capsule of DLPack's C exchange API; None before PyTorch 2.10."""
    return getattr(Tensor, "__dlpack_c_exchange_api__", None)


def element_type(t):
    """Code and bits of DLPack's element type; (3, 8), an opaque one, for all that is not ours."""
    return ELEMENT_TYPES.get(t.dtype, (3, 8))


def refuse(t, op, what):
    """Raises the TypeError of a tensor that a step cannot take."""
    facts = [str(t.dtype)]
    if type(t) is not Tensor and type(t) is not Parameter:
        facts.append(f"of class {type(t).__name__}")
    if t.device.type != "cpu":
        facts.append(f"on {t.device}")
    elif t.layout is not torch.strided:
        facts.append(str(t.layout))
    elif t.is_nested:
        facts.append("nested")
    elif t.is_neg() or t.is_conj():
        facts.append("a negated or conjugated view")
    elif t.dtype in ELEMENT_TYPES:
        facts.append("without memory of its own")
    raise TypeError(f"{op}: {SUPPORTED}; among the {what} is one of {', '.join(facts)}")


def check_kind(t, op, what):
    """Refuses subclasses of Tensor that are not memory of their own: fake, distributed, lazy."""
    if not isinstance(t, Tensor):
        raise TypeError(f"{op}: the {what} must be Tensors, got {type(t).__name__}")
    if type(t).__torch_dispatch__ is not _no_dispatch or torch.nn.parameter.is_lazy(t):
        raise TypeError(f"{op}: {SUPPORTED}; among the {what} is one of {type(t).__name__}")


def check_place(t, op, what):
    """Refuses what has no memory that the CPU can walk."""
    if t.layout is not torch.strided or t.device.type != "cpu" or t.is_nested:
        refuse(t, op, what)


def address(t):
    """Of the first element; 0 where there is no memory."""
    try:
        return t.data_ptr()
    except RuntimeError:
        return 0


def real(t, op, what):
    """A complex tensor as pairs of real numbers, in the same memory."""
    t = t.detach()
    if t.is_conj():
        t = t.resolve_conj() if what == "gradients" else refuse(t, op, what)
    return torch.view_as_real(t)


def new_number(value):
    """A number of the state: as in PyTorch, of the default dtype, but that only if it is double."""
    double = torch.get_default_dtype() == torch.float64
    return torch.tensor(value, dtype=torch.float64 if double else torch.float32)


def new_array(p, value, wide=False):
    """An array of the state: like its parameter, or of float32, filled."""
    dtype = torch.float32 if wide else p.dtype
    if value == 0.0:
        return torch.zeros_like(p, dtype=dtype, memory_format=torch.preserve_format)
    value = complex(value, value) if p.is_complex() else value
    return torch.full_like(p, value, dtype=dtype, memory_format=torch.preserve_format)


def new_master(p):
    """The float32 parameter of which one of 16 bits is the rounding."""
    return p.detach().to(torch.float32, memory_format=torch.preserve_format)


@torch.no_grad()
def renew(master, p):
    """A master starts anew from every element that is no longer its rounding."""
    changed = master.to(p.dtype).view(torch.int16) != p.view(torch.int16)
    master.copy_(torch.where(changed, p, master))


def restore(state, saved, p, masters):
    """Puts into a loaded state what is not to have the dtype of its parameter."""
    for key, value in saved.items():
        if not torch.is_tensor(value) or key == "step":
            continue
        if key in NUMBERS:
            state[key] = value.clone()
        elif masters and p.dtype in HALVES and value.is_floating_point():
            state[key] = value.to(torch.float32, copy=True)


def check_storing(group):
    """Refuses both ways of storing parameters of 16 bits at once."""
    if group.get("master_weights") and group.get("stochastic_rounding"):
        raise ValueError("`master_weights` and `stochastic_rounding` cannot be `True` together.")


def rounding_state(number):
    """Seed and position with which group ``number`` begins its random numbers."""
    return (torch.initial_seed() + number) % 2**64, 0


@torch.no_grad()
def dense_copy(t, like, packed=False):
    """t without gaps, in the order of memory in which ``like`` is, or would be without gaps; or
    packed, in the order of its indices."""
    order = torch.contiguous_format if packed else torch.preserve_format
    return torch.empty_like(like, dtype=t.dtype, memory_format=order).copy_(t)


@torch.no_grad()
def clear(several):
    """Leaves zeros in them."""
    for t in several:
        t.zero_()


@torch.no_grad()
def put_back(pairs):
    """Copies each second tensor into the first."""
    for target, source in pairs:
        target.copy_(source)
