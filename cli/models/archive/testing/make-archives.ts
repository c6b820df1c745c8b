import type { MadeZipEntry } from "#common/testing/make-zip";

/** An entry as an archive for a test is to have it, whatever it says. */
export interface MadeEntry extends MadeZipEntry {
  /** tar: the type flag; `0` is a file, `2` a symbolic link, `5` a folder. */
  type?: string;
  /** tar: what overwrites the beginning of the size's field. */
  sizeField?: Uint8Array;
}

const bytesOf = ({ content = "" }: MadeEntry): Buffer => Buffer.from(content as string);

/** A tar archive of ustar headers. */
export function makeTar(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = bytesOf(entry);
    const header = Buffer.alloc(512);
    header.write(entry.name, 0, 100);
    header.write("0000644\0", 100);
    header.write(`${(entry.statedBytes ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
    header.set(entry.sizeField ?? [], 124);
    header.write("        ", 148);
    header.write(entry.type ?? "0", 156);
    header.write("ustar\u000000", 257, "latin1");
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
