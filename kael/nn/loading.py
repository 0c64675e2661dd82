"""Loading saved tensors into a module: every key is checked before anything is written."""

from collections import namedtuple
from collections.abc import Mapping

from kael._kernels.graph import can_be_written
from kael.autograd import no_grad
from kael.checks import flag
from kael.tensor import Tensor

__all__ = ["load"]


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What loading leaves out: keys of the module, keys of the file."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"


def load(module, state_dict, strict):
    """See :meth:`kael.nn.Module.load_state_dict`."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    strict = flag("load_state_dict", "strict", strict)
    own = module.state_dict()
    missing = [key for key in own if key not in state_dict]
    unexpected = [key for key in state_dict if key not in own]
    errors = []
    if strict:
        for what, keys in (("Missing", missing), ("Unexpected", unexpected)):
            if keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.append(f"{what} key(s) in state_dict: {names}. ")
    shared = [key for key in own if key in state_dict]
    for key in shared:
        errors += _mismatch(key, state_dict[key], own[key])
    if errors:
        details = "\n\t".join(errors)
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{details}"
        )
    with no_grad():
        for key in shared:
            own[key].copy_(state_dict[key])
    return IncompatibleKeys(missing, unexpected)


def _mismatch(key, value, target):
    """The error of loading value into target: a list of one text, or of none."""
    if not isinstance(value, Tensor):
        return [
            f'While copying the parameter named "{key}", expected kael.Tensor from checkpoint but '
            f"received {type(value).__name__}"
        ]
    if value.shape == target.shape:
        return [] if can_be_written(target) else [f"{key} is read-only or expanded in the model."]
    return [
        f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the "
        f"shape in current model is {target.shape}."
    ]
