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

/** What a field of a message is written with; nothing is written for null, "", 0 and false, which are the defaults. */
export type FieldValue = string | number | bigint | boolean | Buffer | Record<string, string> | null;

/**
 * A message of fields by their numbers: texts, integers (negative ones as 64 bits), messages as their bytes, and maps
 * of text. The inverse of `fieldsOf`.
 */
export function messageOf(fields: Readonly<Record<number, FieldValue>>): Buffer {
  const parts = Object.entries(fields).flatMap(([number, value]) => fieldBytes(Number(number), value));
  return Buffer.concat(parts);
}

function fieldBytes(number: number, value: FieldValue): Buffer[] {
  if (value === null || value === "" || value === false || value === 0 || value === 0n) return [];
  if (typeof value === "string") return delimited(number, Buffer.from(value));
  if (Buffer.isBuffer(value)) return delimited(number, value);
  if (typeof value === "object")
    return Object.entries(value).flatMap(([key, text]) => delimited(number, messageOf({ 1: key, 2: text })));
  return [varintBytes(BigInt(number) << 3n), varintBytes(BigInt(value))];
}

function delimited(number: number, bytes: Buffer): Buffer[] {
  return [varintBytes((BigInt(number) << 3n) | 2n), varintBytes(BigInt(bytes.length)), bytes];
}

function varintBytes(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Reads single fields of a message; the default where it lacks one. */
export class MessageReader {
  readonly #fields: readonly Field[];

  constructor(message: Buffer) {
    this.#fields = fieldsOf(message);
  }

  text(number: number): string {
    return this.bytes(number).toString();
  }

  bytes(number: number): Buffer {
    return this.#fields.findLast((field) => field.number === number)?.bytes ?? Buffer.alloc(0);
  }

  integer(number: number): number {
    return Number(BigInt.asIntN(64, this.#fields.findLast((field) => field.number === number)?.value ?? 0n));
  }

  flag(number: number): boolean {
    return this.integer(number) !== 0;
  }

  message(number: number): MessageReader {
    return new MessageReader(this.bytes(number));
  }

  map(number: number): Record<string, string> {
    const entries = this.#fields
      .filter((field) => field.number === number)
      .map(({ bytes }) => new MessageReader(bytes));
    return Object.fromEntries(entries.map((entry) => [entry.text(1), entry.text(2)]));
  }
}
