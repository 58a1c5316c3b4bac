"""profiles.py: each fault is caught, where the text says and with those words."""

import importlib
import itertools

import pytest


@pytest.fixture(scope="module")
def profiles(trt):
    return importlib.import_module("profiles")


ORDER = ("ValueError: Invalid optimization profiles for input tensors image, "
         "please ensure that the optimization profiles satisfy MIN<=OPT<=MAX")


@pytest.mark.claim(
    zh="profile 的七种写错方式都在构建时被拒绝，报错与文中一字不差；写对的能建成",
    en="Seven ways to get a profile wrong are all refused when building, with the messages of the text; the right one builds",
    against_zh="TensorRT for RTX 1.7 的构建器",
    against_en="the builder of TensorRT for RTX 1.7",
)
@pytest.mark.parametrize("fault, message", [
    ("no profile", "RuntimeError: Network has dynamic or shape inputs, but no optimization profile has been defined"),
    ("MIN > OPT", ORDER),
    ("OPT > MAX", ORDER),
    ("ranks differ", ORDER),
    ("wrong name", "RuntimeError: Dynamic input tensor image is missing dimensions in profile 0"),
    ("network's rank", "RuntimeError: Dynamic-shaped input tensor image has 4 dimensions but profile 0 has 3 dimensions"),
    ("fixed axis", "RuntimeError: Dimension mismatch for tensor image and profile 0. At dimension axis 1, "
                   "profile has min=1, opt=1, max=1 but tensor has 3"),
])
def test_each_fault_and_its_message(profiles, fault, message):
    assert set(profiles.FAULTS) >= {fault} and len(profiles.FAULTS) == 7
    assert profiles.symptom(profiles.FAULTS[fault]) == message
    right = {"image": (profiles.LOW, profiles.USUAL, profiles.HIGH)}
    assert profiles.symptom([right]) == "builds"


def test_the_profile_says_so_itself_and_the_config_gives_minus_one(trt, build_engine):
    """set_shape accepts nonsense; bool(profile) and add_optimization_profile don't."""
    builder = trt.Builder(build_engine.BuildLog())
    profile = builder.create_optimization_profile()
    assert profile.set_shape("image", (8, 3, 9, 9), (1, 3, 9, 9), (9, 3, 9, 9)) is None
    assert not profile
    assert builder.create_builder_config().add_optimization_profile(profile) == -1
    with pytest.raises(RuntimeError, match="Shape provided for min is inconsistent"):
        profile.set_shape("image", (-1, 3, 9, 9), (1, 3, 9, 9), (9, 3, 9, 9))


def test_a_name_too_many_is_not_noticed(profiles):
    right = (profiles.LOW, profiles.USUAL, profiles.HIGH)
    assert profiles.symptom([{"image": right, "other": right}]) == "builds"


def test_which_shapes_a_profile_accepts(profiles):
    """Against brute force: the set of all whole-number shapes between the corners."""
    profile = {"image": ((1, 3, 2), (2, 3, 2), (3, 3, 4))}
    inside = set(itertools.product(range(1, 4), [3], range(2, 5)))
    for shape in itertools.product(range(6), repeat=3):
        assert profiles.accepts(profile, {"image": shape}) == (shape in inside)
    for shape in ((2, 3), (2, 3, 2, 2)):
        assert not profiles.accepts(profile, {"image": shape})
    two = profile | {"mask": ((1,), (1,), (2,))}
    assert profiles.accepts(two, {"image": (1, 3, 2), "mask": (2,)})
    assert not profiles.accepts(two, {"image": (1, 3, 2), "mask": (3,)})
