"""The vocoder's frames: sizes, bands, and where each parameter stands. A frame is HOP samples.

Parameters are, in this order: log F0 (natural log of Hz), voiced (0 or 1), the log envelope in BANDS bands, and the periodic share of
the power in APERIODIC bands.
"""

import numpy as np

RATE, HOP, WINDOW = 22_050, 176, 704
BINS = WINDOW // 2 + 1
BANDS, APERIODIC = 64, 8
PARAMETERS = 2 + BANDS + APERIODIC
ENVELOPE, PERIODIC = slice(2, 2 + BANDS), slice(2 + BANDS, PARAMETERS)

BAND_HZ = 1400 * (np.exp(np.linspace(0, np.log(1 + RATE / 2 / 1400), BANDS)) - 1)
"""Centres of the envelope's bands: 48 Hz apart at the bottom, 430 Hz at the top."""
APERIODIC_HZ = np.array([300, 900, 1700, 2700, 3900, 5400, 7200, 9400.0])

NOISE_PERIODS = (37, 41)
"""Frames after which each of the two tables of noise repeats."""

NEUTRAL = (0.667, 1.0, 0.8, 0.0)
"""What the graph's `scales` are when nothing is asked for: noise, length, pitch range, mean pitch in semitones."""


def triangles(at_hz: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Linear interpolation from values at `centres` to `at_hz`, as a matrix [centres, at_hz]."""
    return np.stack([np.interp(at_hz, centres, row) for row in np.eye(len(centres))])
