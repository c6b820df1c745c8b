/**
 * Walks one MessagePack value without building it (https://github.com/msgpack/msgpack/blob/master/spec.md "Formats"). A
 * decoder allocates arrays by their declared length, so a few nested five-byte headers could claim gigabytes: this walk
 * refuses, in time linear in the input, what is truncated, declares more items than there are bytes, nests deeper than
 * `maxDepth`, or has more than `maxItems` items in all. Throws RangeError.
 */
export function assertMsgpackShape(bytes: Uint8Array, maxDepth: number, maxItems: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Items still to come in each open container, innermost last. */
  const open: number[] = [];
  let [at, items] = [0, 0];
  do {
    const header = readHeader(view, at);
    at += header.bytes;
    if (++items > maxItems) throw new RangeError(`MessagePack with more than ${maxItems} items`);
    if (at + header.items > bytes.byteLength) throw new RangeError("truncated MessagePack");
    if (open.length > 0) open.push(open.pop()! - 1);
    if (header.items > 0) {
      if (open.length >= maxDepth) throw new RangeError(`MessagePack nested deeper than ${maxDepth} levels`);
      open.push(header.items);
    }
    while (open.at(-1) === 0) open.pop();
  } while (open.length > 0);
}

/** Size of an item with its payload, and how many items follow inside it. */
interface ItemHeader {
  bytes: number;
  items: number;
}

/** Fixed-size types: payload bytes after the type byte. */
const fixedPayload: Readonly<Record<number, number>> = {
  0xc0: 0,
  0xc2: 0,
  0xc3: 0,
  0xca: 4,
  0xcb: 8,
  0xcc: 1,
  0xcd: 2,
  0xce: 4,
  0xcf: 8,
  0xd0: 1,
  0xd1: 2,
  0xd2: 4,
  0xd3: 8,
  0xd4: 2,
  0xd5: 3,
  0xd6: 5,
  0xd7: 9,
  0xd8: 17,
};

function readHeader(view: DataView, at: number): ItemHeader {
  // DataView throws RangeError past the end, which is the truncation error wanted here.
  const type = view.getUint8(at);
  if (type <= 0x7f || type >= 0xe0) return { bytes: 1, items: 0 };
  if (type <= 0x8f) return { bytes: 1, items: (type & 0x0f) * 2 };
  if (type <= 0x9f) return { bytes: 1, items: type & 0x0f };
  if (type <= 0xbf) return { bytes: 1 + (type & 0x1f), items: 0 };
  const payload = fixedPayload[type];
  if (payload !== undefined) return { bytes: 1 + payload, items: 0 };
  switch (type) {
    case 0xc4:
    case 0xd9:
      return { bytes: 2 + view.getUint8(at + 1), items: 0 };
    case 0xc5:
    case 0xda:
      return { bytes: 3 + view.getUint16(at + 1), items: 0 };
    case 0xc6:
    case 0xdb:
      return { bytes: 5 + view.getUint32(at + 1), items: 0 };
    case 0xc7:
      return { bytes: 3 + view.getUint8(at + 1), items: 0 };
    case 0xc8:
      return { bytes: 4 + view.getUint16(at + 1), items: 0 };
    case 0xc9:
      return { bytes: 6 + view.getUint32(at + 1), items: 0 };
    case 0xdc:
      return { bytes: 3, items: view.getUint16(at + 1) };
    case 0xdd:
      return { bytes: 5, items: view.getUint32(at + 1) };
    case 0xde:
      return { bytes: 3, items: view.getUint16(at + 1) * 2 };
    case 0xdf:
      return { bytes: 5, items: view.getUint32(at + 1) * 2 };
    default:
      throw new RangeError("0xc1 is no MessagePack type");
  }
}
