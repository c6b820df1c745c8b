/** One part of a form: field name, value, and a file name where it is a file. */
export type Part = [name: string, value: string | Uint8Array, fileName?: string];

/** A `multipart/form-data` body of these parts. */
export function form(...parts: Part[]): { contentType: string; body: Uint8Array } {
  const pieces = parts.flatMap(([name, value, fileName]) => [
    Buffer.from(
      `--B\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  return { contentType: "multipart/form-data; boundary=B", body: Buffer.concat([...pieces, Buffer.from("--B--\r\n")]) };
}
