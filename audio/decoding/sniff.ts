/** What the first bytes of a file are. */
export type Sniffed =
  | { format: "wav" | "flac" | "opus" | "vorbis" | "ogg-flac" | "webm"; offset: number }
  | { format: "mp3"; offset: number; channels: number }
  /** Nothing of ours reads it; `demuxer` is the only one that ffmpeg may use. */
  | { format: string; offset: number; demuxer: string };

/** Bytes searched for the first MPEG frame: encoders and cutters leave junk before it. */
const MP3_SEARCH_BYTES = 8192;

/**
 * Tells the format from the content alone; null when it is none that is known. Names and declared types of strangers
 * are not looked at.
 */
export function sniffAudio(bytes: Uint8Array): Sniffed | null {
  const offset = skipId3(bytes);
  const at = (position: number, text: string): boolean => startsWith(bytes, offset + position, text);
  if ((at(0, "RIFF") || at(0, "RF64")) && at(8, "WAVE")) return { format: "wav", offset };
  if (at(0, "fLaC")) return { format: "flac", offset };
  if (at(0, "OggS")) return sniffOgg(bytes, offset);
  if (at(0, "\x1aE\xdf\xa3")) return { format: "webm", offset };
  if (at(4, "ftyp")) return { format: "m4a", offset, demuxer: "mov" };
  if (at(0, "FORM") && (at(8, "AIFF") || at(8, "AIFC"))) return { format: "aiff", offset, demuxer: "aiff" };
  if (at(0, "caff")) return { format: "caf", offset, demuxer: "caf" };
  if (at(0, ".snd")) return { format: "au", offset, demuxer: "au" };
  if (at(0, "#!AMR")) return { format: "amr", offset, demuxer: "amr" };
  if (at(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11")) return { format: "wma", offset, demuxer: "asf" };
  if (isAdts(bytes, offset)) return { format: "aac", offset, demuxer: "aac" };
  return findMpegFrames(bytes, offset);
}

function startsWith(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Length of the ID3v2 tags in front (id3.org, ID3v2.4 section 3.1), which may hold pictures of any size. */
function skipId3(bytes: Uint8Array): number {
  let offset = 0;
  while (startsWith(bytes, offset, "ID3") && offset + 10 <= bytes.length) {
    const [a, b, c, d] = [6, 7, 8, 9].map((place) => (bytes[offset + place] as number) & 0x7f) as [
      number,
      number,
      number,
      number,
    ];
    const footer = (bytes[offset + 5] as number) & 0x10 ? 10 : 0;
    offset += 10 + footer + ((a << 21) | (b << 14) | (c << 7) | d);
  }
  return offset;
}

/** The codec is named in the first packet, which starts the first page's body (RFC 3533, RFC 7845, Vorbis I 4.2). */
function sniffOgg(bytes: Uint8Array, offset: number): Sniffed {
  const body = offset + 27 + (bytes[offset + 26] ?? 0);
  if (startsWith(bytes, body, "OpusHead")) return { format: "opus", offset };
  if (startsWith(bytes, body, "\x01vorbis")) return { format: "vorbis", offset };
  if (startsWith(bytes, body, "\x7fFLAC")) return { format: "ogg-flac", offset };
  return { format: "ogg", offset, demuxer: "ogg" };
}

/** ADTS: the sync word with layer 0, and a second header where the first says it is. */
function isAdts(bytes: Uint8Array, offset: number): boolean {
  const isHeader = (at: number): boolean => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0;
  if (!isHeader(offset) || offset + 7 > bytes.length) return false;
  const [a, b, c] = [3, 4, 5].map((place) => bytes[offset + place] as number) as [number, number, number];
  const frameBytes = ((a & 3) << 11) | (b << 3) | (c >> 5);
  return frameBytes >= 7 && isHeader(offset + frameBytes);
}

function findMpegFrames(bytes: Uint8Array, start: number): Sniffed | null {
  const end = Math.min(bytes.length - 4, start + MP3_SEARCH_BYTES);
  for (let at = start; at <= end; at++) {
    const first = mpegFrame(bytes, at);
    if (first === null) continue;
    // A lone sync word is common in any data; a frame right behind the frame is not.
    const next = at + first.frameBytes;
    const second = mpegFrame(bytes, next);
    if (second === null && next < bytes.length) continue;
    if (second !== null && second.sampleRate !== first.sampleRate) continue;
    return { format: "mp3", offset: at, channels: first.channels };
  }
  return null;
}

const layer3Kilobits = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const mpeg1SampleRates = [44100, 48000, 32000];

/** Header of an MPEG-1, 2 or 2.5 layer III frame (ISO 11172-3 2.4.1.3), or null. */
function mpegFrame(bytes: Uint8Array, at: number): { frameBytes: number; sampleRate: number; channels: number } | null {
  const [b0, b1, b2, b3] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (b0 !== 0xff || b1 === undefined || b2 === undefined || b3 === undefined || (b1 & 0xe6) !== 0xe2) return null;
  const version = (b1 >> 3) & 3;
  const baseRate = mpeg1SampleRates[(b2 >> 2) & 3];
  const kilobits = layer3Kilobits[version === 3 ? 0 : 1]?.[b2 >> 4];
  if (version === 1 || baseRate === undefined || kilobits === undefined || kilobits === 0) return null;
  const sampleRate = version === 3 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const frameBytes = Math.floor(((version === 3 ? 144 : 72) * kilobits * 1000) / sampleRate) + ((b2 >> 1) & 1);
  return { frameBytes, sampleRate, channels: b3 >> 6 === 3 ? 1 : 2 };
}
