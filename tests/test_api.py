"""The public names, locked: a name that comes or goes must be meant."""

import importlib
import inspect
import types

import numpy as np
import pytest

import kael

NAMES = {
    "kael": """
        AllocatorStats Generator Tensor abs acos add add_relu addmm all allclose allocator_stats
        amax amin any arange argmax argmin as_tensor asin atan atan2 autograd baddbmm
        bernoulli bitwise_and bitwise_not bitwise_or bitwise_xor bmm bool bool_
        broadcast_shapes broadcast_to caching_allocator_enabled cat causal_softmax cbrt
        ceil chunk clamp cos cosh cross_entropy_losses cumsum default_generator diagonal
        div dot einsum empty empty_cache empty_like enable_grad eq equal erf erfc exp exp2
        expm1 eye flatten flip float32 float64 floor floor_divide from_dlpack from_numpy
        full full_like gather ge gelu gelu_tanh get_isa get_num_threads get_rng_state gt
        hypot index_select initial_seed inner int32 int64 is_grad_enabled isa isclose
        isfinite isinf isnan le linear linspace load log log10 log1p log2 log_softmax
        logical_and logical_not logical_or logical_xor logsumexp lt manual_seed
        masked_fill masked_select matmul matmul_versions max maximum mean min minimum mm
        movedim mul mv narrow ne neg nn no_grad nonzero norm num_threads ones ones_like
        optim outer parallel_for permute pow prod rand rand_like randint randint_like
        randn randn_like random randperm reciprocal relu remainder reshape rms_norm round
        rsqrt save seed select set_caching_allocator_enabled set_grad_enabled
        set_num_threads set_rng_state show_config sigmoid sign sin sinh softmax split sqrt
        square squeeze stack standardize std std_mean sub sum t take_along_dim tan tanh
        tensor transpose trunc uint8 unbind unsqueeze usable_isas var var_mean vdot where
        zeros zeros_like
    """,
    "kael.data": """
        DataLoader TensorDataset digits idx_digits read_idx
    """,
    "kael.matmul_versions": """
        blas blas_available direct multiply multiply_exact packed panels stream v1_ijk v2_ikj
        v3_tiled v4_packed v5_simd v6_threaded way
    """,
    "kael.nn": """
        CrossEntropyLoss Dropout Embedding Flatten GELU Identity L1Loss LayerNorm Linear
        LogSoftmax MSELoss Module ModuleDict ModuleList NLLLoss Parameter ParameterDict
        ParameterList RMSNorm ReLU Sequential Sigmoid Softmax Tanh functional init utils
    """,
    "kael.nn.functional": """
        causal_softmax cross_entropy dropout embedding flatten gelu l1_loss layer_norm linear
        log_softmax mse_loss nll_loss relu rms_norm sigmoid softmax tanh
    """,
    "kael.nn.init": """
        calculate_gain constant_ kaiming_normal_ kaiming_uniform_ normal_ ones_ uniform_
        xavier_normal_ xavier_uniform_ zeros_
    """,
    "kael.nn.utils": """
        clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm
        parameters_to_vector vector_to_parameters
    """,
    "kael.optim.clip": """
        clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm
    """,
    "kael.optim": """
        ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Lion Muon NAdam Optimizer RAdam
        RMSprop Rprop SGD SparseAdam clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_
        functional get_total_norm lr_scheduler swa_utils
    """,
    "kael.optim.functional": """
        adadelta adafactor adagrad adam adamax adamw asgd lion muon nadam radam rmsprop rprop
        sgd
    """,
    "kael.optim.lr_scheduler": """
        ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR
        ExponentialLR LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR
        PolynomialLR ReduceLROnPlateau SequentialLR StepLR
    """,
    "kael.optim.swa_utils": """
        AveragedModel SWALR get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn
        get_swa_multi_avg_fn update_bn
    """,
    "kael.profiler": """
        Event Row Table profile
    """,
    "kael.testing": """
        GradcheckError assert_bits_equal gradcheck
    """,
}
TENSOR = """
        T abs abs_ acos acos_ add add_ add_relu add_relu_
        addmm all allclose amax amin any argmax argmin asin
        asin_ atan atan2 atan2_ atan_ backward baddbmm bernoulli_ bitwise_and bitwise_and_
        bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_xor bitwise_xor_ bmm bool
        broadcast_to cbrt cbrt_ ceil ceil_ chunk clamp clamp_ clone contiguous copy_ cos
        cos_ cosh cosh_ cumsum data_ptr detach diagonal dim dims div div_ dot double dtype
        dtype_code dtype_object eq equal erf erf_ erfc erfc_ exp exp2 exp2_ exp_ expand
        expm1 expm1_ fill_ flatten flip float floor floor_ floor_divide floor_divide_
        gather ge gelu gelu_ gelu_tanh gelu_tanh_ grad grad_fn gt hypot hypot_
        index_select inner int is_contiguous is_leaf is_writable isclose isfinite isinf
        isnan item le log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax
        logical_and logical_not logical_or logical_xor logsumexp long lt mT masked_fill
        masked_select matmul max maximum maximum_ mean min minimum minimum_ mm movedim mul
        mul_ mv narrow ndim ne neg neg_ nonzero norm normal_ numel numpy outer permute pow
        pow_ prod reciprocal reciprocal_ register_hook relu relu_ remainder remainder_
        requires_grad requires_grad_ reshape retain_grad round round_ rsqrt rsqrt_ select
        shape sigmoid sigmoid_ sign sign_ sin sin_ sinh sinh_ size softmax split sqrt
        sqrt_ square square_ squeeze std storage_offset stride sub sub_ sum t
        take_along_dim tan tan_ tanh tanh_ to tolist transpose trunc trunc_ type_as unbind
        uniform_ unsqueeze var vdot view where zero_
"""


@pytest.mark.parametrize("module", NAMES)
def test_public_names_are_these(module):
    assert sorted(set(importlib.import_module(module).__all__)) == NAMES[module].split()


@pytest.mark.parametrize("module", NAMES)
def test_every_public_name_is_there_and_documented(module):
    for name in NAMES[module].split():
        thing = getattr(importlib.import_module(module), name)
        documented = not callable(thing) or (thing.__doc__ or "").strip()
        assert documented, name


def test_kael_shows_nothing_but_its_names_and_modules():
    visible = {name for name in dir(kael) if not name.startswith("_")}
    others = visible - set(NAMES["kael"].split())
    assert [name for name in others if not isinstance(getattr(kael, name), types.ModuleType)] == []


def test_public_attributes_of_a_tensor_are_these():
    assert sorted(name for name in dir(kael.Tensor) if name[0] != "_") == TENSOR.split()


STRANGERS = [None, "text", [1.0, 2.0], np.ones((2, 2), "float32"), object()]

# Parameters, by their names all over kael, that take tensors (or numbers), and sequences of them.
OPERANDS = {
    "a", "b", "batch1", "batch2", "condition", "indices", "input", "logits", "mask", "mat1", "mat2",
    "probabilities", "target", "targets", "tensor", "weight", "x",
}  # fmt: skip
SEQUENCES = {"inputs", "outputs", "parameters", "tensors"}


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda x: type(x).__name__)
def test_a_method_takes_no_other_object_for_a_tensor(stranger):
    """Cython's functions would read its memory as a tensor's. github: cython/cython#1903,
    numpy/numpy#28785."""
    count = 0
    for name in TENSOR.split():
        method = getattr(kael.Tensor, name)
        if not callable(method):
            continue
        others = [kael.ones(1) for _ in required(method)[1:]]
        with pytest.raises(TypeError):
            method(stranger, *others)
        count += 1
    assert count > 150


def required(function):
    """The names of the parameters without a default."""
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(
    "module", ["kael", "kael.nn.functional", "kael.nn.init", "kael.optim.clip", "kael.autograd"]
)
def test_what_is_no_tensor_is_a_type_error_that_names_the_operation(module, stranger):
    count = 0
    for name in NAMES.get(module, "backward grad").split():
        function = getattr(importlib.import_module(module), name)
        if isinstance(function, type) or not callable(function) or name == "linear":
            continue
        names = required(function)
        for k in (k for k, name in enumerate(names) if name in OPERANDS | SEQUENCES):
            given = [kael.ones(1, requires_grad=True) for _ in names]
            given[k] = [stranger] if names[k] in SEQUENCES else stranger
            with pytest.raises(TypeError, match=f"^{name}: .*{type(stranger).__name__}"):
                function(*given)
            count += 1
    assert count >= 3
