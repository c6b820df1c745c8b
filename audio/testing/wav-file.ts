export interface WavFile {
  sampleRate: number;
  channels: number;
  bits: number;
  /** 1 PCM, 3 float. */
  tag?: number;
  extensible?: boolean;
  /** What the header claims, instead of the truth. */
  claimedBytes?: number;
}

/** Writes a RIFF/WAVE file with an odd chunk in front of its samples. `value` gives frame and channel, -1 to 1. */
export function wavFile(file: WavFile, frames: number, value: (frame: number, channel: number) => number): Buffer {
  const { sampleRate, channels, bits, tag = 1, extensible = false } = file;
  const width = bits / 8;
  const data = Buffer.alloc(frames * channels * width);
  for (let frame = 0; frame < frames; frame++) {
    for (let channel = 0; channel < channels; channel++)
      writeSample(data, (frame * channels + channel) * width, value(frame, channel), bits, tag);
  }
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * channels * width, 8);
  format.writeUInt16LE(channels * width, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(tag, 24);
  }
  const oddChunk = chunk("junk", Buffer.from("abc\0"), 3);
  const body = Buffer.concat([
    Buffer.from("WAVE"),
    chunk("fmt ", format),
    oddChunk,
    chunk("data", data, file.claimedBytes ?? data.length),
  ]);
  return chunk("RIFF", body);
}

function chunk(id: string, body: Buffer, claimedBytes = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 0, "latin1");
  head.writeUInt32LE(claimedBytes, 4);
  return Buffer.concat([head, body]);
}

function writeSample(data: Buffer, offset: number, value: number, bits: number, tag: number): void {
  if (tag === 3 && bits === 32) data.writeFloatLE(value, offset);
  else if (tag === 3) data.writeDoubleLE(value, offset);
  else if (bits === 8) data.writeUInt8(Math.round(value * 127) + 128, offset);
  else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), offset, bits / 8);
}
