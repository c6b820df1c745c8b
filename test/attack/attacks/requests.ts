import type { Attack } from "../attack.js";
import { authorized, openRaw, repeatedly } from "../connection.js";

const head = (line: string, ...fields: string[]): string => [line, "Host: a", ...fields, "", ""].join("\r\n");

/** Every answer that waits to be read would be one more copy in memory. */
export const pipelinedRequests: Attack = {
  name: "pipelines requests for large pages and never reads",
  needsKey: false,
  async run(target, signal) {
    await repeatedly(4, signal, async () => {
      const connection = openRaw(target, signal, true);
      const requests = head("GET /openapi.json HTTP/1.1").repeat(13_000);
      await connection.send(requests);
      await connection.closed;
    });
  },
};

/** A body that nobody wants must not be kept, nor read for ever. */
export const unwantedBodies: Attack = {
  name: "sends 62 MB to routes that take no body",
  needsKey: false,
  async run(target, signal) {
    const piece = Buffer.alloc(256 * 1024, "a");
    const paths = [
      "/v1/agent/agents/00000000-0000-0000-0000-000000000000/widget",
      "/health",
      "/openapi.json",
      "/model",
      "/nowhere",
    ];
    await repeatedly(10, signal, async (lane) => {
      const connection = openRaw(target, signal);
      const path = paths[lane % paths.length] ?? "/";
      let isTaken = await connection.send(
        head(`GET ${path} HTTP/1.1`, "Content-Length: 62000000", `Authorization: Bearer ${target.apiKey}`),
      );
      for (let sent = 0; isTaken && sent < 62_000_000; sent += piece.length) isTaken = await connection.send(piece);
      connection.socket.end();
      await connection.closed;
    });
  },
};

/** A method is a stranger's word. */
export const inventedMethods: Attack = {
  name: "invents methods, paths, models and keys",
  needsKey: false,
  async run(target, signal) {
    let count = 0;
    await repeatedly(4, signal, async () => {
      const connection = openRaw(target, signal);
      for (let isTaken = true; isTaken && !signal.aborted; ) {
        const requests = Array.from({ length: 50 }, () => {
          const word = `X${(count++).toString(36)}`;
          return head(`${word} /v1/${word} HTTP/1.1`, `Authorization: Bearer ${word}`, `model: ${word}`);
        });
        isTaken = await connection.send(requests.join(""));
      }
      connection.socket.destroy();
    });
  },
};

/** Two parsers that read a head in two ways smuggle requests. */
export const malformedHeads: Attack = {
  name: "sends heads that no parser should take",
  needsKey: false,
  async run(target, signal) {
    const heads = [
      head("POST /v1/tts HTTP/1.1", "Transfer-Encoding: xchunked"),
      head("POST /v1/tts HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 4"),
      head("GET / HTTP/1.1", "Host: b"),
      head("GET / HTTP/1.1", `X-Long: ${"a".repeat(100_000)}`),
      head("GET / HTTP/1.1", ...Array.from({ length: 500 }, (_, index) => `X-${index}: a`)),
      "GET / HTTP/1.1\nHost: a\n\n",
      "\u0000\u0001\u0002\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX",
    ];
    await repeatedly(8, signal, async () => {
      const connection = openRaw(target, signal);
      await connection.send(heads[Math.floor(target.random() * heads.length)] ?? "");
      const timer = setTimeout(() => connection.socket.destroy(), 500);
      await connection.closed;
      clearTimeout(timer);
    });
  },
};

/** A connection that gives a byte now and then holds what it has taken. */
export const slowBodies: Attack = {
  name: "sends bodies a byte at a time",
  needsKey: true,
  async run(target, signal) {
    const fields = Object.entries(authorized(target)).map(([name, value]) => `${name}: ${value}`);
    await repeatedly(50, signal, async (lane) => {
      const connection = openRaw(target, signal);
      const line = lane % 2 === 0 ? "POST /v1/asr HTTP/1.1" : "POST /v1/tts HTTP/1.1";
      await connection.send(
        head(line, ...fields, "Content-Type: multipart/form-data; boundary=b", "Content-Length: 15000000"),
      );
      const timer = setInterval(() => void connection.send("-"), 100);
      await connection.closed;
      clearInterval(timer);
    });
  },
};
