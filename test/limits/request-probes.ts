import { connect } from "node:net";
import WebSocket from "ws";
import { type LimitName, limits } from "#protocol/limit-table";
import { speechLike } from "#audio/testing/speech-like";
import { wavFile } from "#audio/testing/wav-file";
import { sendHttp } from "../bad-input/send.js";
import type { TestCluster } from "../harness/cluster.js";
import { form, type Part } from "../knowledge/form.js";
import type { Probe } from "./probe.js";

const MIB = 1024 * 1024;
const STREAM_INPUT = "/compat/elevenlabs/v1/text-to-speech/default/stream-input?output_format=pcm_8000";

/** A recording that a voice can be made of: a second of something like speech, again and again. */
function recording(seconds: number): Buffer {
  const sampleRate = 16_000;
  const second = speechLike({ pitchHz: 120, syllablesPerSecond: 4, seconds: 1, sampleRate });
  return wavFile(
    { sampleRate, channels: 1, bits: 16 },
    seconds * sampleRate,
    (at) => (second[at % sampleRate] ?? 0) / 32_768,
  );
}

/** Bounds of requests, on a real cluster that believes what a proxy on loopback says about addresses. */
export function requestProbes(cluster: () => TestCluster) {
  const port = (): number => Number(new URL(cluster().baseUrl).port);

  async function ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Uint8Array | string | null,
  ): Promise<string> {
    const asked = {
      kind: "http" as const,
      name: "",
      method,
      path,
      headers,
      body: typeof body === "string" ? Buffer.from(body) : body,
      expected: [],
    };
    const { status } = await sendHttp(asked, { port: port(), apiKey: cluster().apiKey, voiceId: "" });
    return `status ${status}`;
  }
  const askJson = (path: string, value: unknown): Promise<string> =>
    ask("POST", path, { "content-type": "application/json" }, JSON.stringify(value));
  const askForm = (path: string, ...parts: Part[]): Promise<string> => {
    const { contentType, body } = form(...parts);
    return ask("POST", path, { "content-type": contentType }, body);
  };

  /** Raw bytes in, the status of the answer out. */
  function askRaw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port(), "127.0.0.1", () => socket.write(bytes));
      socket.once("data", (answer) => {
        resolve(`status ${/^HTTP\/1\.1 (\d+)/.exec(answer.toString("latin1"))?.[1]}`);
        socket.destroy();
      });
      socket.on("error", reject);
    });
  }

  /** Opens a socket without a key from an address; tells what became of it. */
  function openWithoutKey(address: string): Promise<{ outcome: string; socket: WebSocket }> {
    const socket = new WebSocket(`ws://127.0.0.1:${port()}${STREAM_INPUT}`, {
      headers: { "x-forwarded-for": address },
    });
    return new Promise((resolve, reject) => {
      socket.on("open", () => resolve({ outcome: "open", socket }));
      socket.on("unexpected-response", (_request, answer) => {
        resolve({ outcome: `status ${answer.statusCode}`, socket });
        answer.destroy();
      });
      socket.on("error", reject);
    });
  }

  /** Opens so many, one after the other; what became of the last one that was tried. */
  async function openMany(amount: number, addressOf: (index: number) => string): Promise<string> {
    const sockets: WebSocket[] = [];
    let outcome = "";
    for (let index = 0; index < amount && (outcome === "" || outcome === "open"); index++) {
      const opened = await openWithoutKey(addressOf(index));
      ({ outcome } = opened);
      sockets.push(opened.socket);
    }
    const closed = sockets
      .filter(({ readyState }) => readyState === WebSocket.OPEN)
      .map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of sockets) socket.close();
    await Promise.all(closed);
    return outcome;
  }
  let addresses = 0;

  return {
    headBytes: {
      within: "status 200",
      send: (amount) => {
        const [head, end] = ["GET /health HTTP/1.1\r\nhost: localhost\r\nx-padding: ", "\r\n\r\n"];
        return askRaw(`${head}${"a".repeat(amount - head.length - end.length)}${end}`);
      },
    },
    ignoredBodyBytes: {
      within: "status 200",
      send: (amount) =>
        ask(
          "GET",
          "/wallet/self/api-credit",
          { "content-type": "application/json", "content-length": String(amount) },
          Buffer.alloc(amount, 0x20),
        ),
    },
    nesting: {
      within: "status 200",
      send: (amount) =>
        ask(
          "POST",
          "/v1/tts",
          { "content-type": "application/json" },
          `{"text":"Go.","format":"pcm","x":${"[".repeat(amount - 1)}${"]".repeat(amount - 1)}}`,
        ),
    },
    values: {
      within: "status 200",
      // The object itself, three keys, two values and the list.
      send: (amount) =>
        askJson("/v1/tts", { text: "Go.", format: "pcm", x: Array.from({ length: amount - 7 }, () => 0) }),
    },
    socketsWithoutKeyPerAddress: {
      within: "open",
      send: (amount) => {
        const address = `198.51.100.${++addresses}`;
        return openMany(amount, () => address);
      },
    },
    socketsWithoutKey: {
      within: "open",
      send: (amount) =>
        openMany(amount, (index) => `203.0.113.${Math.floor(index / limits.socketsWithoutKeyPerAddress.most)}`),
    },
    keyFrameBytes: {
      within: "close 1000",
      send: (amount) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(`ws://127.0.0.1:${port()}${STREAM_INPUT}`);
          const first = { text: " ", xi_api_key: cluster().apiKey, padding: "" };
          first.padding = "a".repeat(amount - JSON.stringify(first).length);
          socket.on("open", () => {
            socket.send(JSON.stringify(first));
            socket.send(JSON.stringify({ text: "" }));
          });
          socket.on("close", (code) => resolve(`close ${code}`));
          socket.on("error", reject);
        }),
    },
    textCharacters: { within: "status 400", send: (amount) => askJson("/v1/tts", { text: ".".repeat(amount) }) },
    audioFileBytes: {
      within: "status 400",
      far: 21 * MIB,
      send: (amount) => askForm("/v1/asr", ["audio", new Uint8Array(amount), "a.wav"]),
    },
    compatAudioFileBytes: {
      within: "status 400",
      far: 139 * MIB,
      send: (amount) =>
        askForm("/compat/v1/audio/transcriptions", ["model", "whisper-1"], ["file", new Uint8Array(amount), "a.wav"]),
    },
    voiceSamples: {
      within: "status 201",
      send: (amount) => {
        const sample = recording(2).toString("base64");
        return askJson("/model", {
          type: "tts",
          train_mode: "fast",
          title: "A voice",
          visibility: "private",
          voices: Array.from({ length: amount }, () => sample),
          texts: Array.from({ length: amount }, () => "Hi"),
        });
      },
    },
    referenceSeconds: {
      within: "status 201",
      send: (amount) =>
        askJson("/model", {
          type: "tts",
          train_mode: "fast",
          title: "A voice",
          visibility: "private",
          voices: [recording(amount).toString("base64")],
          texts: ["Hi"],
        }),
    },
    knowledgeBytes: {
      within: "status 201",
      send: (amount) =>
        askForm("/v1/agent/knowledge-sources", ["source", Buffer.alloc(amount, "We open at nine. "), "a.md"]),
    },
    pageRows: {
      within: "status 200",
      send: (amount) => ask("GET", `/v1/agent/agents?page=${amount + 1}&page_size=1`, {}, null),
    },
    usageDays: {
      within: "status 200",
      send: (amount) => {
        const end = new Date();
        const start = new Date(end.getTime() - (amount - 1) * 86_400_000);
        return ask(
          "GET",
          `/v1/usage?start=${start.toISOString().slice(0, 10)}&end=${end.toISOString().slice(0, 10)}`,
          {},
          null,
        );
      },
    },
  } as const satisfies Partial<Record<LimitName, Probe>>;
}
