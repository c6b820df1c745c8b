/** The little of protobuf's wire format that an ONNX file needs (https://protobuf.dev/programming-guides/encoding/). */

/** One encoded field. */
export type Field = Uint8Array;

export function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return bytes;
}

export function integerField(number: number, value: number | bigint): Field {
  return Uint8Array.from([...varint(number << 3), ...varint(value)]);
}

export function floatField(number: number, value: number): Field {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return Uint8Array.from([...varint((number << 3) | 5), ...bytes]);
}

export function bytesField(number: number, value: Uint8Array | string): Field {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Buffer.concat([Uint8Array.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

export function message(...fields: Field[]): Uint8Array {
  return Buffer.concat(fields);
}
