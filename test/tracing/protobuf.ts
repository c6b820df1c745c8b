/** One field of a protobuf message: `bytes` for length-delimited ones, `value` for the others. */
export interface Field {
  number: number;
  value: bigint;
  bytes: Buffer;
}

/** Splits a message into its fields (https://protobuf.dev/programming-guides/encoding/). */
export function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    const bytes = message.subarray(at, at + length);
    at += length;
    return bytes;
  };
  while (at < message.length) {
    const key = varint();
    const number = Number(key >> 3n);
    const wire = Number(key & 7n);
    if (wire === 0) fields.push({ number, value: varint(), bytes: Buffer.alloc(0) });
    else if (wire === 1) fields.push({ number, value: take(8).readBigUInt64LE(), bytes: Buffer.alloc(0) });
    else if (wire === 2) fields.push({ number, value: 0n, bytes: take(Number(varint())) });
    else if (wire === 5) fields.push({ number, value: BigInt(take(4).readUInt32LE()), bytes: Buffer.alloc(0) });
    else throw new RangeError(`unknown wire type ${wire}`);
  }
  return fields;
}
