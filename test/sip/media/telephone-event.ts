/** RFC 4733: the digits in the order of their event numbers. */
const DIGITS = "0123456789*#ABCD";

/** A digit that is held down, or with `isEnd` let go. */
export interface TelephoneEvent {
  digit: string;
  isEnd: boolean;
  /** Since it began, in samples. */
  durationSamples: number;
}

/** -10 dBm0. */
const VOLUME = 10;

/** The event number of a digit; null where it has none. */
export function eventNumberOf(digit: string): number | null {
  const number = DIGITS.indexOf(digit.toUpperCase());
  return digit.length === 1 && number >= 0 ? number : null;
}

export function eventPayload({ digit, isEnd, durationSamples }: TelephoneEvent): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt8(eventNumberOf(digit) ?? 0, 0);
  bytes.writeUInt8((isEnd ? 0x80 : 0) | VOLUME, 1);
  bytes.writeUInt16BE(durationSamples, 2);
  return bytes;
}

/** Null for events that are no digits, such as the tones of a fax. */
export function parseEvent(payload: Uint8Array): TelephoneEvent | null {
  const bytes = Buffer.from(payload);
  const digit = bytes.length >= 4 ? DIGITS[bytes.readUInt8(0)] : undefined;
  if (digit === undefined) return null;
  return { digit, isEnd: bytes.readUInt8(1) >= 0x80, durationSamples: bytes.readUInt16BE(2) };
}
