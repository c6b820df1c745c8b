/** Rate of all voice analysis, Hz. */
export const ANALYSIS_RATE = 16_000;
/** 10 ms: one frame of every track below. */
export const HOP_SAMPLES = 160;
export const HOP_SECONDS = HOP_SAMPLES / ANALYSIS_RATE;

/** Below this nothing is taken for speech, dB of full scale. */
const FLOOR_DB = -60;
/** Pauses shorter than this belong to the speech around them. */
const BRIDGED_FRAMES = 15;

/** Level in dB of full scale of each 10 ms, over the 30 ms around it. */
export function levelTrack(samples: Float32Array): Float64Array {
  const frames = Math.floor(samples.length / HOP_SAMPLES);
  const energies = new Float64Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let energy = 0;
    for (let i = frame * HOP_SAMPLES; i < (frame + 1) * HOP_SAMPLES; i++) energy += (samples[i] as number) ** 2;
    energies[frame] = energy / HOP_SAMPLES;
  }
  return energies.map((energy, frame) => {
    const mean = ((energies[frame - 1] ?? energy) + energy + (energies[frame + 1] ?? energy)) / 3;
    return 10 * Math.log10(mean + 1e-12);
  });
}

/** Which frames hold speech rather than pause: within 30 dB of the loud frames and clear of the background noise. */
export function speechFrames(levels: Float64Array): boolean[] {
  const sorted = Float64Array.from(levels).sort();
  const loud = sorted[Math.floor(sorted.length * 0.95)] ?? FLOOR_DB;
  const quiet = sorted[Math.floor(sorted.length * 0.1)] ?? FLOOR_DB;
  const threshold = Math.max(FLOOR_DB, loud - 30, Math.min(quiet + 9, loud - 15));
  const speech = Array.from(levels, (level) => level > threshold);
  bridge(speech);
  return speech;
}

function bridge(speech: boolean[]): void {
  let pauseStart = -1;
  speech.forEach((isSpeech, frame) => {
    if (!isSpeech) return;
    if (pauseStart >= 0 && frame - pauseStart <= BRIDGED_FRAMES) speech.fill(true, pauseStart, frame);
    pauseStart = frame + 1;
  });
}
