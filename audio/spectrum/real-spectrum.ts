/** Power at `size / 2 + 1` frequencies of a frame of `size` real values; the result is valid until the next call. */
export type RealSpectrum = (frame: Float64Array) => Float64Array;

/** One pass of the transform: joins four transforms of `quarter` values into one, turned by the angles in `turns`. */
interface Pass {
  quarter: number;
  /** For each k from 0: cosine and minus sine of 2πk/n, 4πk/n and 6πk/n, where n is four times `quarter`. */
  turns: Float64Array;
}

/**
 * Power spectrum of real frames by a transform of half their size: even values as real parts, odd ones as imaginary
 * parts, told apart afterwards by symmetry. `size` is a power of two, 8 or more. The passes are of radix 4.
 */
export function createRealSpectrum(size: number): RealSpectrum {
  const half = size / 2;
  const pairsFirst = Math.log2(half) % 2 === 1;
  const order = Uint32Array.from(inputOrder(half), (i) => 2 * i);
  const passes: Pass[] = [];
  for (let quarter = pairsFirst ? 2 : 4; quarter < half; quarter *= 4)
    passes.push({ quarter, turns: turnsOf(quarter) });
  const turns = symmetryTurns(size);
  // Real and imaginary parts in turn.
  const values = new Float64Array(2 * half);
  const power = new Float64Array(half + 1);
  return (frame) => {
    if (pairsFirst) joinPairs(frame, order, values);
    else joinFours(frame, order, values);
    for (let i = 0; i < passes.length; i++)
      joinQuarters(values, (passes[i] as Pass).quarter, (passes[i] as Pass).turns);
    partReal(values, turns, power);
    return power;
  };
}

/**
 * The order in which a transform of `size` values takes them: by their place modulo 4, then again within each quarter.
 */
export function inputOrder(size: number): number[] {
  if (size <= 2) return Array.from({ length: size }, (_, i) => i);
  const quarter = inputOrder(size / 4);
  return [0, 1, 2, 3].flatMap((first) => quarter.map((i) => 4 * i + first));
}

/** For each k of a pass from 0: cosine and minus sine of one, two and three times its angle. */
export function turnsOf(quarter: number): Float64Array {
  return Float64Array.from({ length: 6 * quarter }, (_, i) => {
    const angle = (2 * Math.PI * Math.floor(i / 6) * (Math.floor((i % 6) / 2) + 1)) / (4 * quarter);
    return i % 2 === 0 ? Math.cos(angle) : -Math.sin(angle);
  });
}

/** Half of cosine and minus sine of each step of the full circle of `size`, by which `partReal` turns the odd values. */
export function symmetryTurns(size: number): Float64Array {
  return Float64Array.from({ length: size / 2 + 2 }, (_, i) => {
    const angle = (2 * Math.PI * (i >> 1)) / size;
    return (i % 2 === 0 ? Math.cos(angle) : -Math.sin(angle)) / 2;
  });
}

/** The first pass where the number of values is twice a power of four. */
function joinPairs(frame: Float64Array, order: Uint32Array, values: Float64Array): void {
  for (let i = 0, to = 0; i < order.length; i += 2, to += 4) {
    const a = order[i] as number;
    const b = order[i + 1] as number;
    values[to] = (frame[a] as number) + (frame[b] as number);
    values[to + 1] = (frame[a + 1] as number) + (frame[b + 1] as number);
    values[to + 2] = (frame[a] as number) - (frame[b] as number);
    values[to + 3] = (frame[a + 1] as number) - (frame[b + 1] as number);
  }
}

/** The first pass where the number of values is a power of four: nothing is turned yet. */
function joinFours(frame: Float64Array, order: Uint32Array, values: Float64Array): void {
  for (let i = 0, to = 0; i < order.length; i += 4, to += 8) {
    const a = order[i] as number;
    const b = order[i + 1] as number;
    const c = order[i + 2] as number;
    const d = order[i + 3] as number;
    const sumAcRe = (frame[a] as number) + (frame[c] as number);
    const sumAcIm = (frame[a + 1] as number) + (frame[c + 1] as number);
    const lessAcRe = (frame[a] as number) - (frame[c] as number);
    const lessAcIm = (frame[a + 1] as number) - (frame[c + 1] as number);
    const sumBdRe = (frame[b] as number) + (frame[d] as number);
    const sumBdIm = (frame[b + 1] as number) + (frame[d + 1] as number);
    const lessBdRe = (frame[b] as number) - (frame[d] as number);
    const lessBdIm = (frame[b + 1] as number) - (frame[d + 1] as number);
    values[to] = sumAcRe + sumBdRe;
    values[to + 1] = sumAcIm + sumBdIm;
    values[to + 2] = lessAcRe + lessBdIm;
    values[to + 3] = lessAcIm - lessBdRe;
    values[to + 4] = sumAcRe - sumBdRe;
    values[to + 5] = sumAcIm - sumBdIm;
    values[to + 6] = lessAcRe - lessBdIm;
    values[to + 7] = lessAcIm + lessBdRe;
  }
}

function joinQuarters(values: Float64Array, quarter: number, turns: Float64Array): void {
  const width = 2 * quarter;
  for (let start = 0; start < values.length; start += 4 * width) {
    for (let k = 0, t = 0; k < width; k += 2, t += 6) {
      const a = start + k;
      const b = a + width;
      const c = b + width;
      const d = c + width;
      // Each value is read once: reading is half of the work.
      let re = values[c] as number;
      let im = values[c + 1] as number;
      let cos = turns[t + 2] as number;
      let sin = turns[t + 3] as number;
      const cRe = re * cos - im * sin;
      const cIm = re * sin + im * cos;
      re = values[a] as number;
      im = values[a + 1] as number;
      const sumAcRe = re + cRe;
      const sumAcIm = im + cIm;
      const lessAcRe = re - cRe;
      const lessAcIm = im - cIm;
      re = values[b] as number;
      im = values[b + 1] as number;
      cos = turns[t] as number;
      sin = turns[t + 1] as number;
      const bRe = re * cos - im * sin;
      const bIm = re * sin + im * cos;
      re = values[d] as number;
      im = values[d + 1] as number;
      cos = turns[t + 4] as number;
      sin = turns[t + 5] as number;
      const dRe = re * cos - im * sin;
      const dIm = re * sin + im * cos;
      const sumBdRe = bRe + dRe;
      const sumBdIm = bIm + dIm;
      const lessBdRe = bRe - dRe;
      const lessBdIm = bIm - dIm;
      values[a] = sumAcRe + sumBdRe;
      values[a + 1] = sumAcIm + sumBdIm;
      values[c] = sumAcRe - sumBdRe;
      values[c + 1] = sumAcIm - sumBdIm;
      values[b] = lessAcRe + lessBdIm;
      values[b + 1] = lessAcIm - lessBdRe;
      values[d] = lessAcRe - lessBdIm;
      values[d + 1] = lessAcIm + lessBdRe;
    }
  }
}

/**
 * With Z the transform: the even values' part is (Z[k] + conj Z[-k]) / 2, the odd ones' is (Z[k] - conj Z[-k]) / 2i,
 * turned by k steps of the full circle. The frequency opposite to k has the same two parts, the second with its sign
 * changed.
 */
function partReal(values: Float64Array, turns: Float64Array, power: Float64Array): void {
  const half = values.length / 2;
  const [re, im] = [values[0] as number, values[1] as number];
  power[0] = (re + im) * (re + im);
  power[half] = (re - im) * (re - im);
  for (let low = 2, high = values.length - 2; low <= high; low += 2, high -= 2) {
    const evenRe = ((values[low] as number) + (values[high] as number)) / 2;
    const evenIm = ((values[low + 1] as number) - (values[high + 1] as number)) / 2;
    const oddRe = (values[low + 1] as number) + (values[high + 1] as number);
    const oddIm = (values[high] as number) - (values[low] as number);
    const turnedRe = oddRe * (turns[low] as number) - oddIm * (turns[low + 1] as number);
    const turnedIm = oddRe * (turns[low + 1] as number) + oddIm * (turns[low] as number);
    // Not `** 2`, which costs ten times a product.
    power[low >> 1] = squares(evenRe + turnedRe, evenIm + turnedIm);
    power[high >> 1] = squares(evenRe - turnedRe, evenIm - turnedIm);
  }
}

function squares(re: number, im: number): number {
  return re * re + im * im;
}
