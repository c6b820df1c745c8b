import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { type MelFilters, melFilters, slaneyScale } from "#audio/spectrum/mel-filters";

const STEP_SAMPLES = 160;
const FRAME_SAMPLES = 400;
const HALF = FRAME_SAMPLES / 2;
const POWER_FLOOR = 1e-10;
/** Decades below the loudest at which everything else is cut off. */
const RANGE_DECADES = 8;

/** Frames of the 30 s that Whisper always looks at. */
export const WHISPER_FRAMES = (MAX_AUDIO_SECONDS * RECOGNITION_RATE) / STEP_SAMPLES;

/** Gives `bands` rows of `WHISPER_FRAMES` values for at most 30 s of audio. */
export type WhisperFeatures = (samples: Int16Array) => Float32Array;

/**
 * Makes an extractor of Whisper's features: the audio with silence up to 30 s, mirrored at both ends; frames of 25 ms
 * every 10 ms under a Hann window; power through Slaney's mel filters, its logarithm to base 10 no lower than 8 below
 * the highest, moved and scaled to about -1 to 1.
 */
export function createWhisperFeatures(bands: number): WhisperFeatures {
  const filters = melFilters({
    ...{ scale: slaneyScale, bands, lowHz: 0, highHz: RECOGNITION_RATE / 2, sampleRate: RECOGNITION_RATE },
    ...{ transformSize: FRAME_SAMPLES, straightIn: "hertz" },
  });
  const window = Float64Array.from(
    { length: FRAME_SAMPLES },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME_SAMPLES),
  );
  const spectrum = createSpectrum();
  const frame = new Float64Array(FRAME_SAMPLES);
  const whole = WHISPER_FRAMES * STEP_SAMPLES;
  return (samples) => {
    const values = new Float32Array(bands * WHISPER_FRAMES).fill(Math.log10(POWER_FLOOR));
    // Frames that hold nothing but silence are at the floor already.
    const sounding = Math.min(WHISPER_FRAMES, Math.ceil((samples.length + HALF) / STEP_SAMPLES));
    for (let t = 0; t < sounding; t++) {
      for (let i = 0; i < FRAME_SAMPLES; i++) {
        let at = Math.abs(t * STEP_SAMPLES - HALF + i);
        if (at >= whole) at = 2 * (whole - 1) - at;
        frame[i] = ((samples[at] ?? 0) / 32_768) * (window[i] as number);
      }
      addBands(spectrum(frame), filters, values, t);
    }
    let highest = Number.NEGATIVE_INFINITY;
    for (const value of values) if (value > highest) highest = value;
    for (let i = 0; i < values.length; i++)
      values[i] = (Math.max(values[i] as number, highest - RANGE_DECADES) + 4) / 4;
    return values;
  };
}

function addBands(
  power: Float64Array,
  { starts, offsets, weights }: MelFilters,
  values: Float32Array,
  t: number,
): void {
  for (let m = 0; m < starts.length; m++) {
    const from = offsets[m] as number;
    const to = offsets[m + 1] as number;
    const start = (starts[m] as number) - from;
    let energy = 0;
    for (let i = from; i < to; i++) energy += (weights[i] as number) * (power[start + i] as number);
    values[m * WHISPER_FRAMES + t] = Math.log10(Math.max(energy, POWER_FLOOR));
  }
}

/**
 * The power spectrum of a real frame whose length is no power of two: the plain sum, over the frame folded onto itself,
 * in which cosines see only the even and sines only the odd part.
 */
function createSpectrum(): (frame: Float64Array) => Float64Array {
  const cosines = Float64Array.from({ length: FRAME_SAMPLES }, (_, i) => Math.cos((2 * Math.PI * i) / FRAME_SAMPLES));
  const sines = Float64Array.from({ length: FRAME_SAMPLES }, (_, i) => Math.sin((2 * Math.PI * i) / FRAME_SAMPLES));
  const even = new Float64Array(HALF + 1);
  const odd = new Float64Array(HALF + 1);
  const power = new Float64Array(HALF + 1);
  return (frame) => {
    even[0] = frame[0] as number;
    even[HALF] = frame[HALF] as number;
    for (let i = 1; i < HALF; i++) {
      even[i] = (frame[i] as number) + (frame[FRAME_SAMPLES - i] as number);
      odd[i] = (frame[i] as number) - (frame[FRAME_SAMPLES - i] as number);
    }
    for (let k = 0; k <= HALF; k++) {
      let [real, imaginary, at] = [0, 0, 0];
      for (let i = 0; i <= HALF; i++) {
        real += (even[i] as number) * (cosines[at] as number);
        imaginary += (odd[i] as number) * (sines[at] as number);
        at += k;
        if (at >= FRAME_SAMPLES) at -= FRAME_SAMPLES;
      }
      power[k] = real * real + imaginary * imaginary;
    }
    return power;
  };
}
