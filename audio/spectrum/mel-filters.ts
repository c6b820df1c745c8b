/**
 * Triangular filters over the power spectrum: filter `m` weighs the bins from `starts[m]` with
 * `weights[offsets[m]..offsets[m + 1]]`.
 */
export interface MelFilters {
  starts: Int32Array;
  offsets: Int32Array;
  weights: Float64Array;
}

export interface MelScale {
  toMel(hertz: number): number;
  toHertz(mel: number): number;
}

/** The scale of HTK and Kaldi. */
export const htkScale: MelScale = {
  toMel: (hertz) => 1127 * Math.log(1 + hertz / 700),
  toHertz: (mel) => 700 * (Math.exp(mel / 1127) - 1),
};

const SLANEY_STEP_HZ = 200 / 3;
const SLANEY_KNEE_HZ = 1000;
const SLANEY_KNEE_MEL = SLANEY_KNEE_HZ / SLANEY_STEP_HZ;
const SLANEY_LOG_STEP = Math.log(6.4) / 27;

/** Slaney's Auditory Toolbox scale, as librosa has it: straight up to 1 kHz, logarithmic above. */
export const slaneyScale: MelScale = {
  toMel: (hertz) =>
    hertz < SLANEY_KNEE_HZ
      ? hertz / SLANEY_STEP_HZ
      : SLANEY_KNEE_MEL + Math.log(hertz / SLANEY_KNEE_HZ) / SLANEY_LOG_STEP,
  toHertz: (mel) =>
    mel < SLANEY_KNEE_MEL ? mel * SLANEY_STEP_HZ : SLANEY_KNEE_HZ * Math.exp(SLANEY_LOG_STEP * (mel - SLANEY_KNEE_MEL)),
};

export interface MelFilterOptions {
  scale: MelScale;
  bands: number;
  lowHz: number;
  highHz: number;
  sampleRate: number;
  transformSize: number;
  /** Triangles straight in `mel`, each with height 1; or straight in `hertz`, each with area 1. */
  straightIn: "mel" | "hertz";
}

/** Builds filters whose centres are evenly spaced on the scale. */
export function melFilters(options: MelFilterOptions): MelFilters {
  const { scale, bands, sampleRate, transformSize, straightIn } = options;
  const low = scale.toMel(options.lowHz);
  const step = (scale.toMel(options.highHz) - low) / (bands + 1);
  const place = (mel: number): number => (straightIn === "mel" ? mel : scale.toHertz(mel));
  const bins = Array.from({ length: transformSize / 2 + 1 }, (_, k) => {
    const hertz = (k * sampleRate) / transformSize;
    return straightIn === "mel" ? scale.toMel(hertz) : hertz;
  });
  const starts = new Int32Array(bands);
  const offsets = new Int32Array(bands + 1);
  const weights: number[] = [];
  for (let m = 0; m < bands; m++) {
    const [left, centre, right] = [place(low + m * step), place(low + (m + 1) * step), place(low + (m + 2) * step)];
    const height = straightIn === "mel" ? 1 : 2 / (right - left);
    const row = bins.map(
      (bin) => Math.max(0, Math.min((bin - left) / (centre - left), (right - bin) / (right - centre))) * height,
    );
    const first = row.findIndex((weight) => weight > 0);
    const last = row.findLastIndex((weight) => weight > 0);
    starts[m] = Math.max(0, first);
    if (first >= 0) weights.push(...row.slice(first, last + 1));
    offsets[m + 1] = weights.length;
  }
  return { starts, offsets, weights: Float64Array.from(weights) };
}
