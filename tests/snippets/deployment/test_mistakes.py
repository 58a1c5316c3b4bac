"""The mistakes' symptoms: printed by the snippet, and to be found on the page.

That each .out is what its snippet prints today, tests/contract/test_outputs.py shows.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name, symptom, page", [
    ("deployment/wrong_opset.py", "got opset 18", "onnx-export"),
    ("deployment/wrong_fixed_batch.py", "Got invalid dimensions for input: image", "onnx-export"),
    ("deployment/wrong_fixed_batch.py", "Got: 4 Expected: 2", "onnx-export"),
    ("deployment/wrong_dynamic_names.py", "its top-level keys must be the arg names ['input']", "onnx-export"),
    ("deployment/wrong_dynamic_axes.py", "Failed to convert 'dynamic_axes' to 'dynamic_shapes'", "onnx-export"),
    ("deployment/wrong_baked_batch.py", "(2, 6144)", "onnx-export"),
    ("deployment/right_baked_batch.py", "batch 4 -> (4, 3072)", ""),
    ("deployment/wrong_build_none.py", "TypeError: a bytes-like object is required, not 'NoneType'", "tensorrt-build"),
    ("deployment/right_build_none.py",
     "Network has dynamic or shape inputs, but no optimization profile has been defined", "tensorrt-build"),
    ("deployment/wrong_external_data.py", "Failed to open file: scale.onnx.data", "tensorrt-build"),
    ("deployment/right_external_data.py", "parsed: True", ""),
])
def test_the_symptom_is_shown_and_can_be_searched(name, symptom, page):
    assert symptom in (ROOT / "snippets" / name).with_suffix(".out").read_text("utf-8")
    for language in ("zh", "en") if page else ():
        assert symptom in (ROOT / f"docs/{language}/deployment/{page}.md").read_text("utf-8")
