import { once } from "node:events";
import { join } from "node:path";
import WebSocket from "ws";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { toFloat } from "#audio/pcm";
import { processSeconds } from "../../processor-time.js";
import type { Peers } from "../installed.js";
import { startServer, unusedPort } from "../program.js";

/** sherpa-onnx's server of the recognizer, in the C++ that comes with its package. */
export interface SherpaServer {
  connect(): Promise<SherpaConnection>;
  processorSeconds(): number;
  stop(): Promise<void>;
}

export interface SherpaConnection {
  /** Symbols of the audio, each its most likely one; one audio at a time. */
  recognize(samples: Int16Array): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Starts it on a file of the graph of a recognizer's folder with `threads` threads that recognize, each with a graph of
 * one thread, as Parley's workers have.
 */
export async function startSherpa(
  { sherpaServer }: Peers,
  { folder, graph, threads, batch }: { folder: string; graph: string; threads: number; batch: number },
): Promise<SherpaServer> {
  const port = await unusedPort();
  const args = [
    `--port=${port}`,
    `--num-work-threads=${threads}`,
    "--num-threads=1",
    `--max-batch-size=${batch}`,
    `--tokens=${join(folder, "tokens.txt")}`,
    `--zipformer-ctc-model=${join(folder, graph)}`,
    "--log-file=/dev/null",
  ];
  const address = `ws://127.0.0.1:${port}`;
  const server = await startServer({ command: sherpaServer, args }, async () => await (await connect(address)).close());
  return { connect: () => connect(address), processorSeconds: () => processSeconds(server.pid), stop: server.stop };
}

async function connect(address: string): Promise<SherpaConnection> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, "open");
  return {
    async recognize(samples) {
      socket.send(message(samples));
      const [answer] = (await once(socket, "message")) as [Buffer];
      return (JSON.parse(answer.toString()) as { tokens: string[] }).tokens;
    },
    async close() {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send("Done");
      await once(socket, "close");
    },
  };
}

/** The rate, the length in bytes, the samples as floats: all little-endian, 4 bytes each. */
export function message(samples: Int16Array): Buffer {
  const floats = toFloat(samples);
  const head = Buffer.alloc(8);
  head.writeInt32LE(RECOGNITION_RATE, 0);
  head.writeInt32LE(floats.byteLength, 4);
  return Buffer.concat([head, Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength)]);
}
