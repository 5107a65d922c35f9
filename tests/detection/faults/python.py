"""Faults of the installed package, of what a variant promises, and of what Python computes."""

from __future__ import annotations

from tests.detection.edits import model, variant
from tests.detection.fault import Fault
from tests.support.faults import METADATA, added
from tests.support.wheel_draft import Draft

_INIT = "minirt/__init__.py"

# Within every tolerance, and yet other numbers than C++ has.
_ROUNDS = """
_Exact = Method
class Method:
    def __init__(self, path): self._exact = _Exact(path)
    def execute(self, inputs):
        return [Tensor(one.shape, [round(value, 6) for value in one.values]) for one in self._exact.execute(inputs)]
"""


def _copy_in_front(draft: Draft) -> None:
    """What an editable install leaves: a .pth file, and the package once more where it points."""
    draft.files["minirt_checkout.pth"] = b"minirt_checkout\n"
    draft.files["minirt_checkout/minirt/__init__.py"] = draft.files[draft.find(_INIT)]


def _leaked_requirement(draft: Draft) -> None:
    """A requirement of another Python, so that this one lacks nothing."""
    draft.replace(METADATA, "\nVersion: ", '\nRequires-Dist: heavy; python_version < "3.9"\nVersion: ')


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="a checkout that a .pth file puts on the path",
        owners=("A20",),
        says="is not in the site folder alone",
        edit=_copy_in_front,
        places=("python",),
    ),
    Fault(
        name="metadata of an older installation",
        owners=("A20",),
        says="is not one distribution, in the site folder",
        edit=added("minirt.egg-info/PKG-INFO", "Metadata-Version: 1.0\nName: minirt\nVersion: 1.1.0\n"),
        places=("python",),
    ),
    Fault(
        name="requirement that leaked into the minimal variant",
        owners=("A18",),
        says="heavy",
        edit=_leaked_requirement,
        places=("python",),
    ),
    Fault(
        name="requirement that the variant lost",
        owners=("A18",),
        says="is not required any more",
        recipe=variant("cpu", only_requires=("numpy>=2",)),
        places=("python",),
    ),
    Fault(
        name="folder that the variant must not ship",
        owners=("A18",),
        says="this variant must not have it",
        recipe=variant("cpu", forbids=("minirt/share/*",)),
        places=("python",),
    ),
    Fault(
        name="program of the variant that does not run",
        owners=("A18",),
        says="No module named 'minirt.tool'",
        recipe=variant("cpu", runs=(("-c", "import minirt.tool"),)),
        places=("python",),
    ),
    Fault(
        name="model that was exported without quantization",
        owners=("G4",),
        says="does not hold the operator 'linear_q8'",
        recipe=model("mlp", operators=("linear_q8",)),
        places=("environment", "python"),
    ),
    Fault(
        name="Python that rounds",
        owners=("G4",),
        says="C++ and Python print different outputs",
        edit=lambda draft: draft.append(_INIT, _ROUNDS),
        places=("environment", "python"),
    ),
    Fault(
        name="optional delegate that computes wrong",
        owners=("G8",),
        says="does not match its reference",
        base=model("mlp_blocked", optional="math"),
        recipe=model("mlp_blocked", tolerance=1e-30),
        places=("python",),
    ),
)
