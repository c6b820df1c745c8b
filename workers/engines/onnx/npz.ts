import { zipEntries } from "#common/files/zip";
import { ModelProblem } from "../../repository/folder.js";

const ENDING = ".npy";
const MAGIC = "\u0093NUMPY";
/** Arrays of a voice are far smaller: what says more is no voice, and may be made to fill the memory. */
const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Reads arrays of 32-bit floats out of a file that NumPy's `savez` wrote
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), a zip archive of one `.npy` for each name:
 * those that are `wanted`, flat. Throws `ModelProblem` for another file, other numbers, or an array of more than 16 MB.
 */
export async function readNpz(path: string, wanted: (name: string) => boolean): Promise<Map<string, Float32Array>> {
  const arrays = new Map<string, Float32Array>();
  try {
    for await (const { name: fileName, bytes, content } of zipEntries(path)) {
      const name = fileName.slice(0, -ENDING.length);
      if (!fileName.endsWith(ENDING) || !wanted(name)) continue;
      if (bytes > MOST_BYTES) throw new RangeError(`${fileName} has ${bytes} bytes`);
      const pieces: Uint8Array[] = [];
      for await (const piece of content()) pieces.push(piece);
      arrays.set(name, floatsOf(Buffer.concat(pieces), fileName));
    }
  } catch (cause) {
    throw new ModelProblem(`no .npz file: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return arrays;
}

/** The numbers behind an array's header; their shape is the reader's to know. */
function floatsOf(bytes: Buffer, name: string): Float32Array {
  if (bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) throw new RangeError(`${name} is no array`);
  const isFirstVersion = bytes.readUInt8(6) === 1;
  const headerStart = isFirstVersion ? 10 : 12;
  const headerEnd = headerStart + (isFirstVersion ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  const header = bytes.toString("latin1", headerStart, headerEnd);
  if (!/'descr': *'<f4'/.test(header) || !/'fortran_order': *False/.test(header))
    throw new RangeError(`${name} has no 32-bit floats in rows`);
  const numbers = bytes.subarray(headerEnd);
  if (numbers.length % Float32Array.BYTES_PER_ELEMENT !== 0) throw new RangeError(`${name} is cut off`);
  return new Float32Array(Uint8Array.from(numbers).buffer);
}
