/** Identification header of mono Opus, RFC 7845 section 5.1. `preSkip` is in samples at 48 kHz. */
export function opusHead(preSkip: number, originalSampleRate: number): Uint8Array {
  const head = Buffer.alloc(19);
  head.write("OpusHead", 0, "latin1");
  head[8] = 1;
  head[9] = 1;
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(originalSampleRate, 12);
  return head;
}

/** Comment header, RFC 7845 section 5.2: a vendor and no comments. */
export function opusTags(): Uint8Array {
  const vendor = "Parley";
  const tags = Buffer.alloc(16 + vendor.length);
  tags.write("OpusTags", 0, "latin1");
  tags.writeUInt32LE(vendor.length, 8);
  tags.write(vendor, 12, "latin1");
  return tags;
}
