import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { STEP_SAMPLES } from "#transcription/segmentation/vad-windows";
import { NoiseFloor } from "./noise-floor.js";
import { Voicing } from "./voicing.js";

/** What the gate makes of one frame of 10 ms. */
export interface GateFrame {
  /** Level above 150 Hz, dB of full scale. */
  levelDb: number;
  /** Stands out of the background, whatever it is. */
  isAudible: boolean;
  /** Has the period of a voice, and stands out of the background. */
  isVoiced: boolean;
  /** Most of the last frames are voiced, or hiss as an "s" does: somebody speaks, though nobody was known to. */
  isSure: boolean;
  /** Part of what somebody says who spoke a moment ago: loud enough, voiced or not. */
  isSpeech: boolean;
}

/** Level of a frame without any signal. */
const SILENT_DB = -90;
/** Frames below are not speech, however quiet it is around. */
const QUIETEST_VOICED_DB = -65;
const QUIETEST_SPEECH_DB = -70;
/** How far speech stands above the background: where it starts, and while it goes on. */
const VOICED_ABOVE_FLOOR_DB = 8;
const SPEECH_ABOVE_FLOOR_DB = 6;
/** What is so far below the loudest speech of late is its echo in the room. */
const SPEECH_BELOW_PEAK_DB = 34;
const PEAK_FALL_DB = 0.1;
const VOICED_PERIODICITY = 0.6;
/** A hum or a tone repeats itself more exactly than a voice, and stays as loud as it is. */
const TONE_PERIODICITY = 0.97;
const TONE_CHANGE_DB = 0.7;
/** So many of the last frames are voiced where somebody surely speaks. */
const SURE_VOICED = 4;
const SURE_OF = 6;
/** Sounds without a voice are speech for so long after one. */
const UNVOICED_FRAMES = 25;
/**
 * An "s" or "sh" before the first vowel takes up to 200 ms, and an agent that is interrupted would talk on so long. Its
 * samples are unlike the ones before, those of noise of all frequencies independent of them (0), those of breath or wind
 * like them: the mean correlation of so many frames that stand out of the background by so much.
 */
const HISS_FRAMES = 7;
const HISS_CORRELATION = -0.15;
const HISS_ABOVE_FLOOR_DB = 12;
const QUIETEST_HISS_DB = -50;

/**
 * Says of each 10 ms whether somebody speaks, from level and periodicity alone, without looking ahead: quick, and good
 * enough until a detector has answered. It takes most whispering for silence, and music with voices in it for speech.
 */
export class EnergyGate {
  readonly #filter = new HighPass();
  readonly #floor = new NoiseFloor();
  readonly #voicing = new Voicing();
  readonly #filtered = new Float64Array(STEP_SAMPLES);
  /** Of the latest frames, newest first. */
  #levelsDb: number[] = [];
  #voiced: boolean[] = [];
  /** Correlation of each sample with the one before; 1 in frames that do not stand out. */
  #correlations: number[] = [];
  #peakDb = SILENT_DB;
  #sinceVoice = Number.POSITIVE_INFINITY;

  /** Takes the next `STEP_SAMPLES`. */
  next(samples: Int16Array): GateFrame {
    const levelDb = this.#level(samples);
    this.#voicing.push(this.#filtered);
    const floorDb = this.#floor.next(levelDb);
    const isVoiced =
      levelDb >= Math.max(QUIETEST_VOICED_DB, floorDb + VOICED_ABOVE_FLOOR_DB) && this.#hasVoice(levelDb);
    this.#levelsDb = [levelDb, ...this.#levelsDb.slice(0, 1)];
    this.#voiced = [isVoiced, ...this.#voiced.slice(0, SURE_OF - 1)];
    const isOutstanding = levelDb >= Math.max(QUIETEST_HISS_DB, floorDb + HISS_ABOVE_FLOOR_DB);
    this.#correlations = [
      isOutstanding ? correlation(this.#filtered) : 1,
      ...this.#correlations.slice(0, HISS_FRAMES - 1),
    ];
    const isSure = (isVoiced && this.#voiced.filter(Boolean).length >= SURE_VOICED) || this.#beginsWithHiss();
    this.#sinceVoice = isSure ? 0 : this.#sinceVoice + 1;
    this.#peakDb = isSure ? Math.max(this.#peakDb, levelDb) : this.#peakDb - PEAK_FALL_DB;
    const isAudible = levelDb >= Math.max(QUIETEST_SPEECH_DB, floorDb + SPEECH_ABOVE_FLOOR_DB);
    const isLoud = isAudible && levelDb >= this.#peakDb - SPEECH_BELOW_PEAK_DB;
    const isSpeech = isSure || (isLoud && this.#sinceVoice <= UNVOICED_FRAMES);
    return { levelDb, isAudible, isVoiced, isSure, isSpeech };
  }

  #level(samples: Int16Array): number {
    let power = 0;
    for (let i = 0; i < STEP_SAMPLES; i++) {
      const value = this.#filter.next((samples[i] ?? 0) / 32768);
      this.#filtered[i] = value;
      power += value * value;
    }
    return Math.max(SILENT_DB, 10 * Math.log10(power / STEP_SAMPLES + 1e-12));
  }

  /** While somebody speaks, a hiss is speech anyway. */
  #beginsWithHiss(): boolean {
    if (this.#sinceVoice <= UNVOICED_FRAMES || this.#correlations.length < HISS_FRAMES) return false;
    if (this.#correlations.includes(1)) return false;
    return this.#correlations.reduce((sum, one) => sum + one, 0) / HISS_FRAMES <= HISS_CORRELATION;
  }

  #hasVoice(levelDb: number): boolean {
    const periodicity = this.#voicing.periodicity();
    const isFlat =
      this.#levelsDb.length === 2 && this.#levelsDb.every((past) => Math.abs(past - levelDb) < TONE_CHANGE_DB);
    return periodicity >= VOICED_PERIODICITY && !(isFlat && periodicity >= TONE_PERIODICITY);
  }
}

function correlation(samples: Float64Array): number {
  let together = 0;
  let power = 1e-12;
  for (let i = 1; i < samples.length; i++) {
    const value = samples[i] as number;
    together += value * (samples[i - 1] as number);
    power += value * value;
  }
  return together / power;
}

/** Coefficients of the filter below, by the bilinear transform. */
const WARPED = Math.tan((Math.PI * 150) / RECOGNITION_RATE);
const GAIN = 1 / (1 + Math.SQRT2 * WARPED + WARPED ** 2);
const A1 = 2 * (WARPED ** 2 - 1) * GAIN;
const A2 = (1 - Math.SQRT2 * WARPED + WARPED ** 2) * GAIN;

/** Takes away what is below 150 Hz (Butterworth, second order): offsets, hum, wind, steps. */
class HighPass {
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  next(x: number): number {
    const y = GAIN * (x - 2 * this.#x1 + this.#x2) - A1 * this.#y1 - A2 * this.#y2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    this.#y2 = this.#y1;
    this.#y1 = y;
    return y;
  }
}
