import { type BitReader, DamagedBits } from "./bit-reader.js";

const CONSTANT = 0;
const VERBATIM = 1;
const FIXED = 8;
const LINEAR = 32;
const MOST_FIXED_ORDER = 4;

/** The weights of the samples before, nearest first, by order (RFC 9639 section 9.2.5). */
const fixedWeights: readonly (readonly number[])[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

/**
 * Decodes one channel of a frame: whole numbers of `width` bits into all of `values` (RFC 9639 section 9.2). Sums are made of doubles, in
 * which those of 32-bit samples, too, are exact. Throws `DamagedBits`.
 */
export function readSubframe(bits: BitReader, values: Float64Array, width: number): void {
  if (bits.bits(1) !== 0) throw new DamagedBits("a subframe's head");
  const kind = bits.bits(6);
  const wasted = bits.bits(1) === 1 ? bits.zeros() + 1 : 0;
  const used = width - wasted;
  if (used < 1) throw new DamagedBits("a subframe's width");
  if (kind === CONSTANT) values.fill(bits.signed(used));
  else if (kind === VERBATIM) for (let i = 0; i < values.length; i++) values[i] = bits.signed(used);
  else if (kind >= LINEAR) readLinear(bits, values, used, kind - LINEAR + 1);
  else if (kind >= FIXED && kind <= FIXED + MOST_FIXED_ORDER) readFixed(bits, values, used, kind - FIXED);
  else throw new DamagedBits("a subframe's kind");
  if (wasted > 0) for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) * 2 ** wasted;
}

function readFixed(bits: BitReader, values: Float64Array, width: number, order: number): void {
  readStart(bits, values, width, order);
  readResidual(bits, values, order);
  predict(values, fixedWeights[order] ?? [], 1);
}

function readLinear(bits: BitReader, values: Float64Array, width: number, order: number): void {
  readStart(bits, values, width, order);
  const precision = bits.bits(4) + 1;
  const shift = bits.signed(5);
  if (precision === 16 || shift < 0) throw new DamagedBits("a predictor");
  const weights = Array.from({ length: order }, () => bits.signed(precision));
  readResidual(bits, values, order);
  predict(values, weights, 2 ** -shift);
}

/** The samples that nothing can predict. */
function readStart(bits: BitReader, values: Float64Array, width: number, order: number): void {
  if (order > values.length) throw new DamagedBits("a predictor");
  for (let i = 0; i < order; i++) values[i] = bits.signed(width);
}

/** What the prediction misses, for every sample from `order` on (RFC 9639 section 9.2.7). */
function readResidual(bits: BitReader, values: Float64Array, order: number): void {
  const method = bits.bits(2);
  if (method > 1) throw new DamagedBits("a residual's method");
  const parameterBits = method === 0 ? 4 : 5;
  const raw = 2 ** parameterBits - 1;
  const parts = 2 ** bits.bits(4);
  const size = values.length / parts;
  if (!Number.isInteger(size) || size < order) throw new DamagedBits("a residual's parts");
  for (let part = 0; part < parts; part++) {
    const from = part === 0 ? order : part * size;
    const to = (part + 1) * size;
    const parameter = bits.bits(parameterBits);
    if (parameter !== raw) bits.rice(values, from, to, parameter);
    else {
      const width = bits.bits(5);
      for (let i = from; i < to; i++) values[i] = bits.signed(width);
    }
  }
}

/** Adds to each value the weighted sum of those before it, times `scale` and rounded down. */
function predict(values: Float64Array, weights: readonly number[], scale: number): void {
  const order = weights.length;
  if (order === 0) return;
  // Turned round, so that both arrays are walked forwards; in two sums, so that no addition waits for the one before.
  const turned = Float64Array.from(weights.toReversed());
  const even = order & ~1;
  for (let i = order; i < values.length; i++) {
    const from = i - order;
    let one = 0;
    let other = 0;
    for (let k = 0; k < even; k += 2) {
      one += (turned[k] as number) * (values[from + k] as number);
      other += (turned[k + 1] as number) * (values[from + k + 1] as number);
    }
    if (even < order) one += (turned[even] as number) * (values[i - 1] as number);
    values[i] = (values[i] as number) + Math.floor((one + other) * scale);
  }
}
