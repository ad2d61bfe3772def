"""Only what every supported PyTorch has is used: those from 2.6 on, not just the newest."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import sherd.learn

LEARN = Path(sherd.learn.__file__).parent
SOURCES = [
    *sorted(LEARN.rglob("*.py")),
    *(LEARN.parent / "solvers" / "learned" / f"{name}.py" for name in ("fan", "matcher")),
]
# All are long-standing names, to our knowledge in PyTorch 2.6 already. Look a new one up before adding it.
KNOWN = """
OutOfMemoryError Tensor arange autocast autograd.Function bfloat16 bool cat clamp compiler.set_stance
cuda.CUDAGraph cuda.Stream cuda.current_stream cuda.device_count cuda.get_device_name cuda.graph
cuda.is_available cuda.is_bf16_supported cuda.mem_get_info cuda.set_device cuda.stream device distributed
dtype empty eye finfo float16 float32 float64 from_numpy full full_like iinfo int64 kron long manual_seed
maximum minimum nn nn.functional nn.parallel.DistributedDataParallel nn.utils.clip_grad_norm_ no_grad
ones ones_like optim.Adam optim.Optimizer pi rand randn rsqrt short stack tensor uint8
utils.tensorboard.SummaryWriter where zeros zeros_like channels_last inference_mode
distributed.ReduceOp.MAX distributed.all_reduce distributed.barrier distributed.broadcast
distributed.destroy_process_group distributed.get_rank distributed.get_world_size
distributed.init_process_group distributed.is_available distributed.is_initialized nn.Conv2d
nn.ConvTranspose2d nn.Dropout nn.Identity nn.LayerNorm nn.Linear nn.Module nn.ModuleList nn.Parameter
nn.ReLU nn.Sequential nn.init.kaiming_normal_ nn.init.xavier_uniform_ nn.init.zeros_
nn.functional.avg_pool2d nn.functional.conv2d nn.functional.cross_entropy nn.functional.dropout
nn.functional.max_pool2d nn.functional.pad nn.functional.pixel_shuffle nn.functional.pixel_unshuffle
nn.functional.relu nn.functional.binary_cross_entropy_with_logits nn.functional.softplus
nn.functional.interpolate nn.functional.one_hot nn.functional.log_softmax nn.functional.softmax
nn.functional.gelu nn.BatchNorm1d nn.BatchNorm2d nn.Embedding nn.GELU nn.LeakyReLU nn.MaxPool2d
nn.Flatten nn.init.normal_ nn.init.ones_ randint randperm rand_like randn_like linspace exp log sqrt
einsum matmul fft.rfft2 fft.irfft2 optim.AdamW optim.SGD Generator int32 get_num_threads set_num_threads
cuda.synchronize cuda.manual_seed Size broadcast_tensors is_grad_enabled lerp meshgrid onnx.export
set_float32_matmul_precision compile backends.cudnn.benchmark inf
""".split()  # noqa: SIM905


def names_used(source: Path) -> set[str]:
    """Dotted names below torch, through whatever ``import`` made them known."""
    tree = ast.parse(source.read_text())
    known_as: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            known_as |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            known_as |= {n.asname or "torch": "torch" for n in node.names if n.name.split(".")[0] == "torch"}
    found = {name for name in known_as.values() if name != "torch"}
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in inner:
            parts, at = [], node
            while isinstance(at, ast.Attribute):
                inner.add(at)
                parts.append(at.attr)
                at = at.value
            if isinstance(at, ast.Name) and at.id in known_as:
                found.add(".".join([known_as[at.id], *reversed(parts)]))
    return {name.removeprefix("torch.") for name in found}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_only_known_names_of_torch_are_used(source: Path) -> None:
    assert names_used(source) <= set(KNOWN)


def test_the_names_are_found() -> None:
    used = set[str]().union(*map(names_used, SOURCES))
    assert {"compiler.set_stance", "nn.functional.pixel_shuffle", "distributed.all_reduce"} <= used


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_module_can_be_imported(source: Path) -> None:
    parts = source.relative_to(LEARN.parent).with_suffix("").parts
    assert importlib.import_module(".".join(("sherd", *parts))).__doc__
