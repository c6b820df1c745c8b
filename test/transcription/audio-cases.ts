import { encode } from "@msgpack/msgpack";
import type { ErrorCode } from "#protocol/errors";
import { ffmpegEncode } from "#audio/testing/ffmpeg";
import { noise, tone } from "#audio/testing/signals";
import { type WavFile, wavFile } from "#audio/testing/wav-file";
import { silentFlac, silentOpus } from "./forged-files.js";

/** An answer that is right: a refusal of the catalogue, or a transcript of about so many seconds. */
export type RightAnswer = ErrorCode | { seconds: number; tolerance?: number } | "any transcript";

export interface AudioCase {
  name: string;
  contentType: string;
  body: Uint8Array;
  right: readonly RightAnswer[];
}

const BOUNDARY = "parley-cases";

/** A form as `curl -F` sends it. */
export function form(
  parts: readonly [name: string, value: string | Uint8Array, filename?: string, type?: string][],
): Buffer {
  const pieces = parts.flatMap(([name, value, filename, type]) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n`,
    ),
    Buffer.from(type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export const formType = `multipart/form-data; boundary=${BOUNDARY}`;

const file = (name: string, audio: Uint8Array, right: readonly RightAnswer[], filename = "sound.bin"): AudioCase => ({
  name,
  right,
  contentType: formType,
  body: form([["audio", audio, filename, "application/octet-stream"]]),
});
const fields = (name: string, right: readonly RightAnswer[], parts: Parameters<typeof form>[0]): AudioCase => ({
  name,
  right,
  contentType: formType,
  body: form(parts),
});
const packed = (name: string, right: readonly RightAnswer[], value: unknown): AudioCase => ({
  name,
  right,
  contentType: "application/msgpack",
  body: value instanceof Uint8Array ? value : encode(value),
});

const RATE = 16_000;
const hum = tone(220, 1.5, RATE);
const short = tone(220, 0.5, RATE);
const wav = (
  format: Partial<WavFile>,
  seconds: number,
  value = (frame: number, rate: number): number => 0.3 * Math.sin((2 * Math.PI * 220 * frame) / rate),
): Buffer => {
  const whole = { sampleRate: RATE, channels: 1, bits: 16, ...format };
  return wavFile(whole, Math.round(seconds * whole.sampleRate), (frame) => value(frame, whole.sampleRate));
};

const encoders: [format: string, args: string[]][] = [
  ["wav", ["-f", "wav"]],
  ["mp3", ["-c:a", "libmp3lame", "-b:a", "32k", "-f", "mp3"]],
  ["flac", ["-c:a", "flac", "-f", "flac"]],
  ["Ogg Opus", ["-c:a", "libopus", "-f", "ogg"]],
  ["Ogg Vorbis", ["-c:a", "libvorbis", "-f", "ogg"]],
  ["Ogg FLAC", ["-c:a", "flac", "-f", "ogg"]],
  ["WebM Opus", ["-c:a", "libopus", "-f", "webm"]],
  ["m4a", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"]],
  ["aac", ["-c:a", "aac", "-f", "adts"]],
  ["au", ["-f", "au"]],
];
const good = encoders.map(([format, args]) => ({ format, bytes: ffmpegEncode(hum, RATE, args) }));
const goodOf = (format: string): Uint8Array => good.find((one) => one.format === format)?.bytes ?? new Uint8Array(0);
const goodWav = goodOf("wav");
const endless = silentFlac({ sampleRate: RATE, seconds: 29 * 3600, claimedSamples: 2 * RATE });
const unusable: readonly RightAnswer[] = ["unusable_audio"];
const either: readonly RightAnswer[] = ["unusable_audio", "any transcript"];
const aboutAsLong: readonly RightAnswer[] = [{ seconds: 1.5, tolerance: 0.15 }];

const readable: AudioCase[] = [
  ...good.map(({ format, bytes }) => file(`good ${format}`, bytes, aboutAsLong)),
  ...[8, 16, 24, 32].flatMap((bits) =>
    [1, 2, 8].map((channels) =>
      file(`wav of ${bits} bits and ${channels} channels`, wav({ bits, channels }, 1.5), aboutAsLong),
    ),
  ),
  ...[32, 64].flatMap((bits) =>
    [1, 8].map((channels) =>
      file(`wav of ${bits}-bit floats and ${channels} channels`, wav({ bits, channels, tag: 3 }, 1.5), aboutAsLong),
    ),
  ),
  ...[8000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000].map((sampleRate) =>
    file(`wav at ${sampleRate} Hz`, wav({ sampleRate }, 1.5), aboutAsLong),
  ),
  file("extensible wav of 8 channels", wav({ channels: 8, bits: 24, extensible: true }, 1.5), aboutAsLong),
  file("wav of exactly one second", wav({}, 1), [{ seconds: 1 }]),
  file(
    "wav of not-a-number",
    wav({ bits: 32, tag: 3 }, 1.5, () => Number.NaN),
    aboutAsLong,
  ),
  file(
    "wav of infinities",
    wav({ bits: 32, tag: 3 }, 1.5, (frame) => (frame % 2 === 0 ? 1 : -1) * Number.POSITIVE_INFINITY),
    aboutAsLong,
  ),
  file(
    "wav of huge floats",
    wav({ bits: 64, tag: 3 }, 1.5, () => 1e300),
    aboutAsLong,
  ),
  file("mp3 called x.wav", goodOf("mp3"), aboutAsLong, "x.wav"),
  file("wav called x.mp3", goodWav, aboutAsLong, "x.mp3"),
  file("flac called ../../etc/passwd", goodOf("flac"), aboutAsLong, "../../etc/passwd"),
  file(
    "wav with a name of 10,000 characters",
    wav({}, 1.5),
    ["any transcript", "malformed_multipart"],
    "a".repeat(10_000),
  ),
];

/** Bytes changed at places that depend on the seed alone. */
function damaged(bytes: Uint8Array, seed: number): Buffer {
  const [copy, random] = [Buffer.from(bytes), noise(80, 1, seed)];
  for (let i = 0; i < 40; i++)
    copy[Math.abs((random[i] as number) * 7919) % copy.length] = (random[40 + i] as number) & 255;
  return copy;
}

const broken: AudioCase[] = good.flatMap(({ format, bytes }, index) => [
  ...[0.01, 0.1, 0.5, 0.9].map((part) =>
    file(`${format}, of which ${part * 100} % came`, bytes.subarray(0, Math.ceil(bytes.length * part)), either),
  ),
  ...[1, 2, 3].map((seed) => file(`${format} with damage ${seed}`, damaged(bytes, seed + 10 * index), either)),
  file(`${format} twice in one`, Buffer.concat([bytes, bytes]), either),
  file(`${format} after a kilobyte of zeros`, Buffer.concat([Buffer.alloc(1000), bytes]), either),
]);

const lengths: AudioCase[] = [
  ...encoders
    .slice(0, 7)
    .map(([format, args]) => file(`half a second of ${format}`, ffmpegEncode(short, RATE, args), unusable)),
  file(
    "wav one sample short of a second",
    wavFile({ sampleRate: RATE, channels: 1, bits: 16 }, RATE - 1, () => 0.1),
    unusable,
  ),
  file("wav of no samples", wav({}, 0), unusable),
  file(
    "wav of one sample",
    wavFile({ sampleRate: RATE, channels: 1, bits: 16 }, 1, () => 0.1),
    unusable,
  ),
  file("sixty minutes and one second", silentFlac({ sampleRate: 8000, seconds: 3601 }), unusable),
  file(
    "20 MB that claim to be two seconds and are more than 29 hours",
    Buffer.concat([endless, Buffer.alloc(20 * 2 ** 20 - endless.length)]),
    unusable,
  ),
  file(
    "five seconds that claim to be 29 hours",
    silentFlac({ sampleRate: RATE, seconds: 5, claimedSamples: 29 * 3600 * RATE }),
    [{ seconds: 5, tolerance: 0.6 }, "unusable_audio"],
  ),
  file("21 MB", Buffer.alloc(21 * 2 ** 20), ["payload_too_large"]),
];

const forged: AudioCase[] = [
  ...[0, 1, 1000, 0x7fffffff, 0xffffffff].map((claimedBytes) =>
    file(`wav that claims ${claimedBytes} bytes`, wav({ claimedBytes }, 1.5), either),
  ),
  ...[0, 1, 7999, 192_001, 4_000_000_000].map((rate) =>
    file(`wav that claims ${rate} Hz`, patched(wav({}, 1.5), 24, rate, 4), unusable),
  ),
  ...[0, 9, 255, 65_535].map((channels) =>
    file(`wav that claims ${channels} channels`, patched(wav({}, 1.5), 22, channels, 2), unusable),
  ),
  ...[0, 1, 7, 48, 65_535].map((bits) =>
    file(`wav that claims ${bits} bits`, patched(wav({}, 1.5), 34, bits, 2), either),
  ),
  ...[0, 2, 0x11, 0x55, 0x161, 0xffff].map((tag) =>
    file(`wav of codec ${tag}`, patched(wav({}, 1.5), 20, tag, 2), either),
  ),
  ...[0, 1, 655_350].map((claimedRate) =>
    file(`flac that claims ${claimedRate} Hz`, silentFlac({ sampleRate: RATE, seconds: 2, claimedRate }), either),
  ),
  ...[0, 3, 255].map((channels) =>
    file(`opus that claims ${channels} channels`, silentOpus({ seconds: 2, channels }), either),
  ),
  file("opus with a pre-skip of a second", silentOpus({ seconds: 2, preSkip: 48_000 }), either),
  file("opus with nothing but pre-skip", silentOpus({ seconds: 1.1, preSkip: 65_535 }), either),
  file("opus that claims to end in a million years", silentOpus({ seconds: 2, claimedGranule: 2 ** 50 }), either),
  file("opus that claims 4 GHz", silentOpus({ seconds: 2, rate: 4_000_000_000 }), either),
  file(
    "an ID3 tag of 256 MB",
    Buffer.concat([Buffer.from("ID3\u0004\0\0\u007f\u007f\u007f\u007f", "latin1"), goodOf("mp3")]),
    unusable,
  ),
];

function patched(bytes: Buffer, offset: number, value: number, width: number): Buffer {
  bytes.writeUIntLE(value, offset, width);
  return bytes;
}

const noAudio: [name: string, bytes: string | Uint8Array][] = [
  ["nothing", ""],
  ["one byte", "\0"],
  ["a sentence", "This is no audio, it only says so. ".repeat(100)],
  ["zeros", Buffer.alloc(100_000)],
  ["ones", Buffer.alloc(100_000, 0xff)],
  ["noise of bytes", Buffer.from(noise(50_000, 1, 3).buffer)],
  ["a PNG", Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(1000)])],
  ["a ZIP", Buffer.from("504b0304140000000800", "hex")],
  ["a gzip", Buffer.from("1f8b0800000000000003", "hex")],
  ["a PDF", "%PDF-1.7\n%âãÏÓ\n"],
  ["a program", Buffer.concat([Buffer.from("7f454c46020101", "hex"), Buffer.alloc(5000)])],
  ["HTML", "<!doctype html><audio src=http://127.0.0.1/>"],
  ["only RIFF", "RIFF"],
  ["only fLaC", "fLaC"],
  ["only OggS", "OggS"],
  ["only EBML", Buffer.from("1a45dfa3", "hex")],
  [
    "a WebM whose header never ends",
    Buffer.concat([Buffer.from("1a45dfa301ffffffffffffff", "hex"), Buffer.alloc(3000, 0x42)]),
  ],
  [
    "an m4a of an endless box",
    Buffer.concat([
      Buffer.from("0000002066747970", "hex"),
      Buffer.from("M4A "),
      Buffer.alloc(20),
      Buffer.from("ffffffff6d6f6f76", "hex"),
      Buffer.alloc(2000),
    ]),
  ],
  ["a video without sound", Buffer.concat([Buffer.from("0000001c6674797069736f6d", "hex"), Buffer.alloc(3000)])],
];

/** Files that ask a decoder to open others. `{canary}` is an address that tells of each call. */
export const enticements: [name: string, text: string][] = [
  ["an HLS playlist", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{canary}\n#EXT-X-ENDLIST\n"],
  ["an HLS playlist of a file", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"],
  ["an HLS playlist with a key", '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="{canary}"\n#EXTINF:10,\n{canary}\n'],
  ["an m3u", "{canary}\nfile:///etc/passwd\n"],
  ["a concat script", "ffconcat version 1.0\nfile '{canary}'\nfile /etc/passwd\n"],
  ["a pls", "[playlist]\nFile1={canary}\nNumberOfEntries=1\n"],
  ["an asx", '<asx version="3.0"><entry><ref href="{canary}"/></entry></asx>'],
  [
    "an XSPF",
    '<?xml version="1.0"?><playlist xmlns="http://xspf.org/ns/0/"><trackList><track><location>{canary}</location></track></trackList></playlist>',
  ],
  [
    "a DASH manifest",
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>{canary}</BaseURL></MPD>',
  ],
  ["a smooth manifest", '<SmoothStreamingMedia MajorVersion="2"><StreamIndex Url="{canary}"/></SmoothStreamingMedia>'],
  ["an SDP", "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n"],
  ["a URL alone", "{canary}"],
  [
    "a QuickTime reference",
    "\0\0\0\u0014ftypqt  \0\0\0\0qt  \0\0\0\u0048moov\0\0\0\u0040rmra\0\0\0\u0038rmda\0\0\0\u0030rdrf\0\0\0\0url \0\0\0\u0020{canary}\0",
  ],
  ["an m4a with a playlist behind it", "\0\0\0\u0010ftypM4A \0\0\0\0#EXTM3U\n#EXTINF:1,\n{canary}\n"],
  ["an mp3 whose tag is a playlist", "ID3\u0004\0\0\0\0\u0001\u0000#EXTM3U\n{canary}\n"],
];

const forms: AudioCase[] = [
  fields(
    "two files",
    ["malformed_multipart"],
    [
      ["audio", goodWav, "a.wav"],
      ["audio", goodWav, "b.wav"],
    ],
  ),
  fields("no file", ["validation"], [["language", "en"]]),
  fields("the file under another name", ["validation"], [["file", goodWav, "a.wav"]]),
  fields(
    "a language nobody speaks",
    ["unknown_language"],
    [
      ["audio", goodWav, "a.wav"],
      ["language", "tlh"],
    ],
  ),
  fields(
    "a language of 1,000 characters",
    ["validation"],
    [
      ["audio", goodWav, "a.wav"],
      ["language", "e".repeat(1000)],
    ],
  ),
  fields("an empty language", aboutAsLong, [
    ["audio", goodWav, "a.wav"],
    ["language", ""],
  ]),
  fields(
    "a timestamp flag that is none",
    ["validation"],
    [
      ["audio", goodWav, "a.wav"],
      ["ignore_timestamps", "perhaps"],
    ],
  ),
  fields("flags in capitals and unknown fields", aboutAsLong, [
    ["audio", goodWav, "a.wav"],
    ["ignore_timestamps", "FALSE"],
    ["prompt", "x"],
  ]),
  fields(
    "a hundred fields",
    ["malformed_multipart"],
    [...Array.from({ length: 100 }, (): [string, string] => ["language", "en"]), ["audio", goodWav, "a.wav"]],
  ),
  {
    name: "JSON",
    contentType: "application/json",
    body: Buffer.from('{"audio":"AAAA"}'),
    right: ["unsupported_media_type"],
  },
  { name: "bare audio", contentType: "audio/wav", body: goodWav, right: ["unsupported_media_type"] },
  { name: "an empty form", contentType: formType, body: Buffer.alloc(0), right: ["unsupported_media_type"] },
  {
    name: "a form without its end",
    contentType: formType,
    body: form([["audio", goodWav, "a.wav"]]).subarray(0, -30),
    right: ["malformed_multipart"],
  },
  packed("MessagePack", aboutAsLong, { audio: goodWav, language: null, ignore_timestamps: null }),
  packed("MessagePack of a number", ["validation"], 7),
  packed("MessagePack of a list", ["validation"], [goodWav]),
  packed("MessagePack of bytes", ["validation"], encode(goodWav)),
  packed("MessagePack without audio", ["validation"], { language: "en" }),
  packed("MessagePack with text for audio", ["validation", "unusable_audio"], { audio: "not audio at all" }),
  packed("MessagePack with two files", ["validation"], { audio: [goodWav, goodWav] }),
  packed("MessagePack with a map for audio", ["validation"], { audio: { length: 1e9 } }),
  packed("MessagePack cut off", ["malformed_msgpack"], Buffer.from(encode({ audio: goodWav })).subarray(0, 500)),
  packed("MessagePack that declares 4 GB", ["malformed_msgpack"], Buffer.from("81a5617564696fc6ffffffff00", "hex")),
];

/** Bad audio, and good audio of every kind beside it. `canary` is the address for `enticements`. */
export function audioCases(canary: string): AudioCase[] {
  return [
    ...readable,
    ...broken,
    ...lengths,
    ...forged,
    ...noAudio.map(([name, bytes]) =>
      file(name, typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, unusable),
    ),
    ...enticements.map(([name, text]) =>
      file(name, Buffer.from(text.replaceAll("{canary}", canary), "latin1"), unusable),
    ),
    ...forms,
  ];
}
