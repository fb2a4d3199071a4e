"""How a picture becomes what a vision tower takes, from `preprocessor_config.json`, with numpy and
Pillow alone: resize, crop, rescale, normalise. For scorers that run without transformers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trope.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

BICUBIC = 3
_ELSE = (
    "crop_pct",
    "rescale_offset",
    "include_top",
    "do_pad",
    "do_image_splitting",
    "do_thumbnail",
)
_ELSE_SIZES = ("max_num_patches", "max_pixels", "longest_edge")
"""What some processors do and this one doesn't."""


@dataclass(frozen=True)
class Preparation:
    """The steps, each with its numbers; a step that isn't taken is None."""

    shorter: int | None
    """Resize so that the shorter side is this long."""
    size: tuple[int, int] | None
    """Or resize to this height and width."""
    crop: tuple[int, int] | None
    """Cut this height and width from the middle."""
    scale: float | None
    mean: tuple[float, ...] | None
    std: tuple[float, ...] | None
    resample: int = BICUBIC

    @classmethod
    def read(cls, config: dict[str, Any], path: Path) -> Preparation:
        """From a checkpoint's file; a step this class doesn't know is refused."""
        strange = [key for key in _ELSE if config.get(key)]
        size = config.get("size", 224)
        strange += [key for key in _ELSE_SIZES if config.get(key) or _holds(size, key)]
        if strange:
            raise InputError(
                f"{path} asks for {strange[0]}, which this scorer can't do; use the checkpoint "
                "itself through transformers."
            )
        try:
            return cls._of(config, size)
        except (TypeError, ValueError, KeyError):
            raise InputError(f"{path} doesn't say how pictures are resized.") from None

    @classmethod
    def _of(cls, config: dict[str, Any], size: Any) -> Preparation:
        resizes = config.get("do_resize", True)
        crops = config.get("do_center_crop", "crop_size" in config)
        normal = config.get("do_normalize", True)
        # Older files write CLIP's sizes as bare numbers: a shorter side, a square to cut.
        shorter = size if isinstance(size, int) else size.get("shortest_edge")
        both = None if shorter else (int(size["height"]), int(size["width"]))
        return cls(
            shorter=int(shorter) if resizes and shorter else None,
            size=both if resizes else None,
            crop=_square(config.get("crop_size", 224)) if crops else None,
            scale=float(config.get("rescale_factor", 1 / 255))
            if config.get("do_rescale", True)
            else None,
            mean=tuple(map(float, config["image_mean"])) if normal else None,
            std=tuple(map(float, config["image_std"])) if normal else None,
            resample=int(config.get("resample", BICUBIC)),
        )

    @property
    def facts(self) -> dict[str, Any]:
        """For a fingerprint."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def resolution(self) -> str:
        """Height and width at the end."""
        height, width = self.crop or self.size or (self.shorter or 224, self.shorter or 224)
        return f"{height}x{width}"

    @property
    def longest_side(self) -> int:
        """The longest side that any step asks for."""
        return max(self.shorter or 0, *(self.size or (0, 0)), *(self.crop or (0, 0)))

    def __call__(self, image: Image) -> NDArray[np.float32]:
        """Channels first."""
        width, height = image.size
        if self.shorter:
            short = min(width, height)
            width, height = (self.shorter * side // short for side in (width, height))
            image = image.resize((width, height), self.resample)
        elif self.size:
            image = image.resize(self.size[::-1], self.resample)
        array = np.moveaxis(np.asarray(image), -1, 0)
        if self.crop:
            array = _middle(array, self.crop)
        values = array.astype(np.float32)
        if self.scale is not None:
            values = (array.astype(np.float64) * self.scale).astype(np.float32)
        if self.mean and self.std:
            mean, std = (
                np.array(v, dtype=np.float32)[:, None, None] for v in (self.mean, self.std)
            )
            values = (values - mean) / std
        return np.ascontiguousarray(values)


def _middle(array: NDArray[Any], crop: tuple[int, int]) -> NDArray[Any]:
    """The middle of a picture; black where it is smaller than that."""
    for axis, side in zip((1, 2), crop, strict=True):
        short = side - array.shape[axis]
        if short > 0:
            pad = [(0, 0)] * 3
            pad[axis] = ((short + 1) // 2, short // 2)
            array = np.pad(array, pad)
        start = (array.shape[axis] - side) // 2
        array = array.take(range(start, start + side), axis=axis)
    return array


def _square(size: Any) -> tuple[int, int]:
    if isinstance(size, dict):
        return int(size["height"]), int(size["width"])
    return int(size), int(size)


def _holds(size: Any, key: str) -> bool:
    return isinstance(size, dict) and key in size
