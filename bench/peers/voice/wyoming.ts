import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { bytesToSamples } from "#audio/pcm";
import { processSeconds } from "../../processor-time.js";
import { voiceFolder } from "../../voice-engine.js";
import type { Peers } from "../installed.js";
import { startServer, unusedPort } from "../program.js";
import type { Utterance } from "./symbols.js";
import { FIRST_AUDIO_MS, type VoiceClient } from "./way.js";

const SAMPLE_RATE = 22_050;
const FIRST_BYTES = (SAMPLE_RATE * 2 * FIRST_AUDIO_MS) / 1000;

/** Piper behind Wyoming, the protocol of Home Assistant, over one warm connection. */
export async function startWyomingPiper({ python }: Peers): Promise<VoiceClient> {
  const port = await unusedPort();
  const voice = ["--voice", "model", "--data-dir", voiceFolder, "--speaker", "0"];
  const args = ["-m", "wyoming_piper", ...voice, "--uri", `tcp://127.0.0.1:${port}`];
  const environment = { ORT_INTRA_OP_NUM_THREADS: "1", ORT_INTER_OP_NUM_THREADS: "1" };
  const server = await startServer({ command: python, args, environment }, () => probe(port));
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  return {
    name: "wyoming-piper",
    sampleRate: SAMPLE_RATE,
    async speak(utterance) {
      const { bytes, firstMs, totalMs } = await synthesize(socket, utterance);
      return { firstMs, totalMs, audioMs: (bytes.length / 2 / SAMPLE_RATE) * 1000 };
    },
    record: async (utterance) => bytesToSamples((await synthesize(socket, utterance)).bytes),
    processorSeconds: () => processSeconds(server.pid),
    stop: async () => {
      socket.destroy();
      await server.stop();
    },
  };
}

async function probe(port: number): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port });
  await once(socket, "connect");
  socket.destroy();
}

/** Asks for one utterance; one at a time on one connection. Rejects when the server says that it failed. */
function synthesize(
  socket: Socket,
  { symbols }: Utterance,
): Promise<{ bytes: Buffer; firstMs: number; totalMs: number }> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const audio: Buffer[] = [];
    let [received, audioBytes, firstMs] = [Buffer.alloc(0), 0, Number.NaN];
    const end = (error: Error | null): void => {
      socket.off("data", take).off("close", closed);
      if (error === null) resolve({ bytes: Buffer.concat(audio), firstMs, totalMs: performance.now() - startMs });
      else reject(error);
    };
    const closed = (): void => end(new Error("wyoming-piper closed the connection"));
    const take = (part: Buffer): void => {
      received = Buffer.concat([received, part]);
      for (let event = nextEvent(received); event !== null; event = nextEvent(received)) {
        received = received.subarray(event.bytes);
        if (event.type === "error") return end(new Error(`wyoming-piper failed: ${event.data}`));
        if (event.type === "audio-stop") return end(null);
        if (event.type !== "audio-chunk") continue;
        audio.push(event.payload);
        audioBytes += event.payload.length;
        if (Number.isNaN(firstMs) && audioBytes >= FIRST_BYTES) firstMs = performance.now() - startMs;
      }
    };
    socket.on("data", take).on("close", closed);
    socket.write(`${JSON.stringify({ type: "synthesize", data: { text: symbols } })}\n`);
  });
}

/** An event is a line of JSON, then so many bytes of further JSON and of payload as the line says. */
function nextEvent(received: Buffer): { type: string; data: string; payload: Buffer; bytes: number } | null {
  const lineEnd = received.indexOf("\n");
  if (lineEnd < 0) return null;
  const head = JSON.parse(received.toString("utf8", 0, lineEnd)) as {
    type: string;
    data_length?: number;
    payload_length?: number;
  };
  const payloadAt = lineEnd + 1 + (head.data_length ?? 0);
  const bytes = payloadAt + (head.payload_length ?? 0);
  if (received.length < bytes) return null;
  return {
    type: head.type,
    data: received.toString("utf8", lineEnd + 1, payloadAt),
    payload: received.subarray(payloadAt, bytes),
    bytes,
  };
}
