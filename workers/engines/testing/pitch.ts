/** Median fundamental frequency of the voiced parts, Hz; null when nothing is voiced. */
export function medianPitchHz(samples: Int16Array, sampleRate: number): number | null {
  const pitches = pitchesHz(samples, sampleRate).sort((a, b) => a - b);
  return pitches[pitches.length >> 1] ?? null;
}

/**
 * Fundamental frequencies of the voiced ones of windows of 45 ms, Hz, by normalised autocorrelation. Plain, not fast:
 * for tests.
 */
export function pitchesHz(samples: Int16Array, sampleRate: number): number[] {
  const windowSamples = Math.round(sampleRate * 0.045);
  const [minLag, maxLag] = [Math.floor(sampleRate / 500), Math.ceil(sampleRate / 55)];
  const pitches: number[] = [];
  for (let start = 0; start + windowSamples + maxLag < samples.length; start += windowSamples) {
    const lag = bestLag(samples.subarray(start, start + windowSamples + maxLag), windowSamples, minLag, maxLag);
    if (lag !== null) pitches.push(sampleRate / lag);
  }
  return pitches;
}

/**
 * The pitch that is heard last, however softly, Hz: the median of the last four windows with one, of 73 ms each and
 * 23 ms apart; null where nothing is voiced.
 */
export function lastPitchHz(samples: Int16Array, sampleRate: number): number | null {
  const [windowSamples, hopSamples] = [Math.round(sampleRate * 0.073), Math.round(sampleRate * 0.023)];
  const last: number[] = [];
  for (let from = samples.length - windowSamples; last.length < 4 && from > 0; from -= hopSamples) {
    const window = samples.subarray(from, from + windowSamples);
    const peak = window.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const hz =
      peak < 200
        ? null
        : medianPitchHz(
            window.map((sample) => (sample * 20_000) / peak),
            sampleRate,
          );
    if (hz !== null) last.push(hz);
  }
  last.sort((a, b) => a - b);
  return last[last.length >> 1] ?? null;
}

function bestLag(frame: Int16Array, windowSamples: number, minLag: number, maxLag: number): number | null {
  const energy = (from: number): number => {
    let sum = 0;
    for (let i = 0; i < windowSamples; i++) sum += (frame[from + i] ?? 0) ** 2;
    return sum;
  };
  const own = energy(0);
  if (own / windowSamples < 200_000) return null;
  const scores: number[] = [];
  for (let lag = minLag; lag <= maxLag; lag++) {
    let product = 0;
    for (let i = 0; i < windowSamples; i++) product += (frame[i] ?? 0) * (frame[i + lag] ?? 0);
    scores.push(product / Math.sqrt(own * energy(lag) + 1));
  }
  const top = Math.max(...scores);
  if (top < 0.6) return null;
  // The first peak nearly as high as the highest: later ones are its multiples.
  const first = scores.findIndex(
    (score, i) => score >= 0.9 * top && score >= (scores[i - 1] ?? 0) && score >= (scores[i + 1] ?? 0),
  );
  return first < 0 ? null : minLag + first;
}
