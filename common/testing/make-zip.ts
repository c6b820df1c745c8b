import { crc32, deflateRawSync } from "node:zlib";

/** An entry as a zip archive for a test is to have it, whatever it says. */
export interface MadeZipEntry {
  name: string;
  content?: string | Uint8Array;
  /** The Unix mode. */
  mode?: number;
  /** Size that the archive states instead of the true one. */
  statedBytes?: number;
}

/** A zip archive whose entries are deflated. */
export function makeZip(entries: readonly MadeZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from((entry.content ?? "") as string);
    const packed = deflateRawSync(content);
    const name = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.statedBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name, packed]);
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, central, name);
    locals.push(local);
    offset += local.length;
  }
  const bytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(bytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, bytes, end]);
}
