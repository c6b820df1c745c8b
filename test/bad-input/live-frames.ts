import { encode } from "@msgpack/msgpack";
import type { Case } from "./case.js";
import { goodStart, rawCase, rawHead, stop } from "./requests.js";
import { upgrade } from "./heads.js";

interface Frame {
  opcode: number;
  payload?: Uint8Array;
  /** Final fragment; true when absent. */
  final?: boolean;
  /** Reserved bits, 0x40, 0x20, 0x10. */
  reserved?: number;
  masked?: boolean;
  /** Length as it stands in the head, instead of the truth. */
  length?: bigint;
}

/** A client's frame (RFC 6455 section 5.2). */
function frameBytes({
  opcode,
  payload = new Uint8Array(0),
  final = true,
  reserved = 0,
  masked = true,
  length,
}: Frame): Buffer {
  const size = length ?? BigInt(payload.byteLength);
  const mask = masked ? 0x80 : 0;
  const first = (final ? 0x80 : 0) | reserved | opcode;
  const head = size < 126n && length === undefined ? Buffer.of(first, mask | Number(size)) : Buffer.alloc(10);
  if (head.length === 10) {
    head.set([first, mask | 127]);
    head.writeBigUInt64BE(size, 2);
  }
  const key = Buffer.of(1, 2, 3, 4);
  const body = masked ? payload.map((byte, index) => byte ^ (key[index % 4] ?? 0)) : payload;
  return Buffer.concat([head, masked ? key : Buffer.alloc(0), body]);
}

const BINARY = 2;
const start = encode(goodStart);
const [TEXT, CONTINUATION, CLOSE, PING, PONG] = [1, 0, 8, 9, 10];
const close = (code: number, reason = ""): Buffer =>
  Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason, "latin1")]);

/** What ends a WebSocket: protocol errors, and closes that are none. */
const endings: [name: string, frames: Frame[]][] = [
  ["opcode 3", [{ opcode: 3, payload: start }]],
  ["opcode 15", [{ opcode: 15 }]],
  ["the first reserved bit", [{ opcode: BINARY, payload: start, reserved: 0x40 }]],
  ["the second reserved bit", [{ opcode: BINARY, payload: start, reserved: 0x20 }]],
  ["a ping in fragments", [{ opcode: PING, final: false }]],
  ["a ping of 126 bytes", [{ opcode: PING, payload: Buffer.alloc(126), length: 126n }]],
  ["a continuation of nothing", [{ opcode: CONTINUATION, payload: start }]],
  [
    "a frame inside another's fragments",
    [
      { opcode: BINARY, payload: start, final: false },
      { opcode: BINARY, payload: start },
    ],
  ],
  ["a length of 2^63", [{ opcode: BINARY, length: 2n ** 63n }]],
  ["a length of 2^64-1", [{ opcode: BINARY, length: 2n ** 64n - 1n }]],
  ["a length of 1 GB", [{ opcode: BINARY, length: 2n ** 30n }]],
  ["text that is no UTF-8", [{ opcode: TEXT, payload: Buffer.of(0xff, 0xfe) }]],
  ["text", [{ opcode: TEXT, payload: Buffer.from("hello") }]],
  ["a close", [{ opcode: CLOSE, payload: close(1000, "bye") }]],
  ["a close without a code", [{ opcode: CLOSE }]],
  ["a close of one byte", [{ opcode: CLOSE, payload: Buffer.of(3) }]],
  ["a close with code 0", [{ opcode: CLOSE, payload: close(0) }]],
  ["a close with code 1005", [{ opcode: CLOSE, payload: close(1005) }]],
  ["a close with code 65535", [{ opcode: CLOSE, payload: close(65_535) }]],
  ["a close whose reason is no UTF-8", [{ opcode: CLOSE, payload: close(1000, "\u00ff\u00fe") }]],
  [
    "pongs that nobody asked for, and a close",
    [{ opcode: PONG }, { opcode: PONG, payload: Buffer.from("x") }, { opcode: CLOSE, payload: close(1001) }],
  ],
  [
    "frames after a close",
    [
      { opcode: CLOSE, payload: close(1000) },
      { opcode: BINARY, payload: start },
    ],
  ],
  [
    "a start in fragments of a byte, and stop",
    [
      ...[...start].map(
        (byte, index): Frame => ({
          opcode: index === 0 ? BINARY : CONTINUATION,
          payload: Buffer.of(byte),
          final: index === start.length - 1,
        }),
      ),
      { opcode: BINARY, payload: encode(stop) },
    ],
  ],
  [
    "pings between the fragments of a start, and stop",
    [
      { opcode: BINARY, payload: start.subarray(0, 5), final: false },
      { opcode: PING },
      { opcode: CONTINUATION, payload: start.subarray(5) },
      { opcode: BINARY, payload: encode(stop) },
    ],
  ],
];

const handshake = rawHead(
  "GET /v1/tts/live HTTP/1.1",
  ...Object.entries(upgrade).map(([name, value]) => `${name}: ${value}`),
).replace("Connection: close\r\n", "");

/** Handshakes that RFC 6455 section 4.2.1 does not allow; both refusing and serving them are right. */
const handshakes: [name: string, text: string, statuses: number[]][] = [
  ["a short key", handshake.replace(upgrade["sec-websocket-key"], "abc"), [101, 400, 426]],
  ["an empty key", handshake.replace(upgrade["sec-websocket-key"], ""), [101, 400, 426]],
  ["a key of 8,000 characters", handshake.replace(upgrade["sec-websocket-key"], "k".repeat(8000)), [101, 400, 426]],
  ["no key", handshake.replace(/sec-websocket-key.*\r\n/, ""), [400, 426]],
  ["version 8", handshake.replace("version: 13", "version: 8"), [101, 400, 426]],
  ["version x", handshake.replace("version: 13", "version: x"), [101, 400, 426]],
  ["no version", handshake.replace(/sec-websocket-version.*\r\n/, ""), [101, 400, 426]],
  [
    "an unknown protocol",
    handshake.replace("upgrade: websocket", "upgrade: websocket\r\nsec-websocket-protocol: x, y"),
    [101, 400],
  ],
  [
    "unknown extensions",
    handshake.replace("upgrade: websocket", 'upgrade: websocket\r\nsec-websocket-extensions: permessage-deflate; x="y'),
    [101, 400],
  ],
  ["POST", handshake.replace("GET", "POST"), [400, 405, 426]],
  ["another path", handshake.replace("/live", "/dead"), [404]],
  ["a query", handshake.replace("/live", "/live?token=x&%zz"), [101]],
  ["HTTP/1.0", handshake.replace("HTTP/1.1", "HTTP/1.0"), [101, 400, 426, 505]],
];

export function liveFrameCases(): Case[] {
  const opened = (frames: Buffer[]): Buffer => Buffer.concat([Buffer.from(handshake), ...frames]);
  return [
    ...endings.map(([name, frames]) => ({
      ...rawCase(`frames: ${name}`, "", [101]),
      bytes: opened([]),
      afterUpgrade: Buffer.concat(frames.map(frameBytes)),
    })),
    ...handshakes.map(([name, text, statuses]) =>
      rawCase(`handshake with ${name}`, text, statuses, { leaveAfterAnswer: true }),
    ),
    rawCase(
      "handshake with a control character",
      handshake.replace("websocket", "websocket\r\nsec-websocket-protocol: \u0001"),
      [400],
      { halfClose: true },
    ),
    ...[1, 2, 5, 8].map((bytes) => ({
      ...rawCase(`a frame cut after ${bytes} bytes`, "", [101]),
      bytes: opened([]),
      halfClose: true,
      afterUpgrade: frameBytes({ opcode: BINARY, payload: start }).subarray(0, bytes),
    })),
    {
      ...rawCase("the client's side shut down after text", "", [101]),
      bytes: opened([]),
      halfClose: true,
      afterUpgrade: Buffer.concat(
        [
          { opcode: BINARY, payload: start },
          { opcode: BINARY, payload: encode({ event: "text", text: "Go on. ".repeat(100) }) },
        ].map(frameBytes),
      ),
    },
    // The server's engine takes four bytes of an unmasked frame for a mask, and waits for four more.
    {
      ...rawCase("an unmasked frame", "", [101]),
      bytes: opened([]),
      halfClose: true,
      afterUpgrade: frameBytes({ opcode: BINARY, payload: start, masked: false }),
    },
    {
      ...rawCase("HTTP after the upgrade", "", [101]),
      bytes: opened([]),
      halfClose: true,
      afterUpgrade: Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    },
    {
      ...rawCase("random bytes after the upgrade", "", [101]),
      bytes: opened([]),
      halfClose: true,
      afterUpgrade: Buffer.from("b1946ac92492d2347c6235b4d2611184".repeat(20), "hex"),
    },
  ];
}
