/** Reads samples of 16 bits, little endian, as the service streams them. */
export function readSamples(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(Math.floor(bytes.byteLength / 2));
  for (let index = 0; index < samples.length; index++) samples[index] = view.getInt16(index * 2, true) / 0x8000;
  return samples;
}

/** Writes samples as 16 bits, little endian; what is too loud is cut at full scale. */
export function writeSamples(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, sample] of samples.entries())
    view.setInt16(index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true);
  return bytes;
}

/** One array of all samples. */
export function joinSamples(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Means of `factor` neighbours: as many times fewer samples. Those left over at the end are dropped. */
export function decimate(samples: Float32Array, factor: number): Float32Array<ArrayBuffer> {
  const fewer = new Float32Array(Math.floor(samples.length / factor));
  for (let index = 0; index < fewer.length; index++) {
    let sum = 0;
    for (let offset = 0; offset < factor; offset++) sum += samples[index * factor + offset] ?? 0;
    fewer[index] = sum / factor;
  }
  return fewer;
}

/** Root mean square, 1 is full scale. */
export function loudnessOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}

/** A WAV file of one channel with samples of 16 bits (RIFF WAVE). */
export function wavFile(samples: Float32Array, sampleRate: number): Blob {
  const data = writeSamples(samples);
  const header = new DataView(new ArrayBuffer(44));
  const name = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index++) header.setUint8(at + index, text.charCodeAt(index));
  };
  name(0, "RIFF");
  header.setUint32(4, 36 + data.byteLength, true);
  name(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  name(36, "data");
  header.setUint32(40, data.byteLength, true);
  return new Blob([header.buffer, data], { type: "audio/wav" });
}
