"""ONNX files give what torch gives."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sherd.cli import run
from sherd.learn.export import export, fan_parts
from sherd.learn.fan.network import Aggregation, Fan, FanConfig, OtherCandidates
from sherd.learn.matcher.network import Matcher, MatcherConfig, correlate, fragment_spectra

pytest.importorskip("onnx")
onnxruntime: Any = pytest.importorskip("onnxruntime")


def run_onnx(path: Path, **inputs: Any) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    assert all(isinstance(output.shape[0], str) for output in session.get_outputs())  # any number
    return session.run(None, {name: np.asarray(value) for name, value in inputs.items()})


def make_matcher() -> Matcher:
    torch.manual_seed(0)
    model = Matcher(MatcherConfig(size_px=32, features=6, widths=(8, 12), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.shape_head.weight)
    torch.nn.init.normal_(model.fragment_bias.weight)
    torch.nn.init.normal_(model.judge.out.weight)
    return model.eval()


def test_the_matcher_scores_alike_without_torch(tmp_path: Path) -> None:
    model = make_matcher()
    paths = export(model, tmp_path)
    assert [path.name for path in paths] == ["fragments.onnx", "shapes.onnx", "judge.onnx", "network.json"]
    about = json.loads(paths[-1].read_text())
    assert about["network"] == "matcher"
    assert about["parts"]["shapes.onnx"]["inputs"] == ["remaining", "target"]
    images, remaining, target = torch.rand(5, 32, 32), torch.rand(3, 32, 32), torch.rand(3, 32, 32)
    features, bias = run_onnx(paths[0], images=images)
    (shapes,) = run_onnx(paths[1], remaining=remaining, target=target)
    with torch.no_grad():
        spectra = fragment_spectra(model.fragments(images), 1)
        expected = correlate(model.shapes(remaining, target)[None], spectra)[0].numpy()
    # As docs/matcher.md tells it: correlation by FFT, padded to 1.5 times the size.
    half, padded = 16, 24
    at = np.zeros((*shapes.shape[:-2], padded, padded))
    at[..., half // 2 : half // 2 + half, half // 2 : half // 2 + half] = shapes
    product = np.einsum(
        "spfyx,mfyx->smpyx", np.fft.rfft2(at), np.conj(np.fft.rfft2(features, (padded, padded)))
    )
    found = np.fft.irfft2(product, (padded, padded))[..., :half, :half] / (half * features.shape[1] ** 0.5)
    np.testing.assert_allclose(found + bias[None, :, None, None, None], expected, atol=1e-4)
    laid = torch.zeros(3, 32, 32)
    laid[:, 4:12, 8:20] = 1.0
    facts = torch.rand(3, 3)
    (values,) = run_onnx(paths[2], laid=laid, left=remaining, target=target, facts=facts)
    with torch.no_grad():
        judged = model.judge(laid, remaining, target, facts).numpy()
    np.testing.assert_allclose(values, judged, atol=1e-4)


@pytest.mark.parametrize(
    ("rotates", "aggregation", "sees_others"),
    [
        (False, "fram", False),
        (True, "fram", True),
        (False, "none", True),
        (False, "max", True),
        (False, "avg", True),
    ],
)
def test_fan_answers_alike_without_torch(
    rotates: bool, aggregation: Aggregation, sees_others: bool, tiny: FanConfig, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    config = replace(tiny, aggregation=aggregation, pose_sees_others=sees_others, rotates=rotates)
    model = Fan(config).eval()
    torch.nn.init.normal_(model.decoder.logits.weight)
    export(model, tmp_path)
    assert {path.stem for path in tmp_path.glob("*.onnx")} == set(fan_parts(model))
    images = torch.rand(5, 1, 32, 32)
    present = torch.tensor([[True, True, False, True, True]])
    with torch.no_grad():
        chosen, posed = model.select_encoder(images), model.pose_encoder(images[:1])
        logits = model.select(chosen.code[None], chosen.code[:1], present)
        places = model.locate(chosen.code[:1], posed, OtherCandidates(chosen.code[None], present))
        turns = model.rotate(chosen.code[None], chosen.code[:1]) if rotates else None
    codes = run_onnx(tmp_path / "select_encoder.onnx", images=images)[0]
    np.testing.assert_allclose(codes, chosen.code.numpy(), atol=1e-4)
    shape, fine, middle = run_onnx(tmp_path / "pose_encoder.onnx", images=images[:1])
    (found,) = run_onnx(tmp_path / "select.onnx", codes=codes[None], shape_codes=codes[:1], present=present)
    np.testing.assert_allclose(found, logits.numpy(), atol=1e-4)
    among = {"others": codes[None], "present": present} if config.pose_relates else {}
    (where,) = run_onnx(
        tmp_path / "locate.onnx", codes=codes[:1], shape_codes=shape, fine=fine, middle=middle, **among
    )
    np.testing.assert_allclose(where, places.numpy(), atol=1e-3)
    if turns is not None:
        (angles,) = run_onnx(tmp_path / "rotate.onnx", copies=codes[None], shape_codes=codes[:1])
        np.testing.assert_allclose(angles, turns.numpy(), atol=1e-4)


@pytest.mark.parametrize("network", ["fan", "matcher"])
def test_the_files_come_with_how_they_fit_together(network: str, tmp_path: Path) -> None:
    assert run(["export", network, "--out", str(tmp_path)]) == 0
    about = json.loads((tmp_path / "network.json").read_text())
    assert {"images", "step"} <= set(about["together"])
    assert set(about["parts"]) == {path.name for path in tmp_path.glob("*.onnx")}


def test_a_file_in_the_way_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "there").touch()
    assert run(["export", "fan", "--out", str(tmp_path / "there")]) == 2
    assert "there is a file in the way" in capsys.readouterr().err
