/** A filter that goes along with a stream. */
export interface SampleFilter {
  /** Gives as many samples as it takes, in new memory. */
  process(samples: Int16Array): Int16Array;
}

/**
 * Corners of the shelves, an octave apart: together they tilt the spectrum from about 300 Hz to 5 kHz and leave it flat
 * outside.
 */
const SHELF_HZ = [212, 424, 849, 1697, 3394, 6788];
/** Loudness of speech lies around here; the filter leaves it as it is. */
const PIVOT_HZ = 500;
/** Steeper shelves would no longer add up to a straight line. */
const MAX_TILT_DB = 6;
/** Samples above this part of full scale are bent towards it instead of cut. */
const KNEE = 0.8;

interface Shelf {
  b0: number;
  b1: number;
  a1: number;
}

/**
 * Makes audio brighter (positive) or darker (negative) by `deltaDbPerOctave`, at most 6, with the level around 500 Hz
 * kept. Without delay; the output depends on the samples alone, not on how they are split. Peaks that the tilt would
 * push past full scale are bent under it.
 */
export function tiltFilter(deltaDbPerOctave: number, sampleRate: number): SampleFilter {
  const tilt = Math.max(-MAX_TILT_DB, Math.min(MAX_TILT_DB, deltaDbPerOctave));
  if (tilt === 0) return { process: (samples) => samples.slice() };
  const shelves = SHELF_HZ.filter((corner) => corner < sampleRate * 0.4).map((corner) =>
    designShelf(tilt, corner, sampleRate),
  );
  const scale = 1 / (32768 * shelves.reduce((gain, shelf) => gain * gainAt(shelf, PIVOT_HZ, sampleRate), 1));
  const inputs = new Float64Array(shelves.length);
  const outputs = new Float64Array(shelves.length);
  return {
    process: (samples) =>
      samples.map((sample) => {
        let value = sample * scale;
        for (let i = 0; i < shelves.length; i++) {
          const { b0, b1, a1 } = shelves[i] as Shelf;
          const next = b0 * value + b1 * (inputs[i] as number) - a1 * (outputs[i] as number);
          inputs[i] = value;
          outputs[i] = next;
          value = next;
        }
        return Math.round(bent(value) * 32767);
      }),
  };
}

/**
 * (1 + s/zero) / (1 + s/pole) with pole and zero `tilt` dB apart around the corner, by the bilinear transform with the
 * corner kept.
 */
function designShelf(tiltDb: number, cornerHz: number, sampleRate: number): Shelf {
  const corner = Math.tan((Math.PI * cornerHz) / sampleRate);
  const half = 10 ** (tiltDb / 40);
  const zero = corner / half;
  const pole = corner * half;
  const norm = 1 + 1 / pole;
  return { b0: (1 + 1 / zero) / norm, b1: (1 - 1 / zero) / norm, a1: (1 - 1 / pole) / norm };
}

function gainAt({ b0, b1, a1 }: Shelf, frequencyHz: number, sampleRate: number): number {
  const angle = (2 * Math.PI * frequencyHz) / sampleRate;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return Math.hypot(b0 + b1 * c, b1 * s) / Math.hypot(1 + a1 * c, a1 * s);
}

/** The identity up to the knee, then a hyperbola that never reaches 1. */
function bent(value: number): number {
  const over = (Math.abs(value) - KNEE) / (1 - KNEE);
  if (over <= 0) return value;
  return Math.sign(value) * (KNEE + (1 - KNEE) * (over / (1 + over)));
}
