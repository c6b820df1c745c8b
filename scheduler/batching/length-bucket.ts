/** Chunks up to this length share the first bucket: their padding costs nothing worth counting. */
const SMALLEST_BUCKET = 16;
const BUCKET_RATIO = 1.25;

/** The length bucket of a text. Edges grow geometrically, so padding inside a batch stays below a fifth of its work. */
export function lengthBucket(size: number): number {
  if (size <= SMALLEST_BUCKET) return 0;
  return Math.ceil(Math.log(size / SMALLEST_BUCKET) / Math.log(BUCKET_RATIO));
}
