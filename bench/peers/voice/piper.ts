import { join } from "node:path";
import { bytesToSamples } from "#audio/pcm";
import { processSeconds } from "../../processor-time.js";
import type { Peers } from "../installed.js";
import { startServer, unusedPort } from "../program.js";
import { type HttpAnswer, post } from "./over-http.js";
import { voiceFolder } from "../../voice-engine.js";
import type { Utterance } from "./symbols.js";
import { FIRST_AUDIO_MS, type VoiceClient } from "./way.js";

/** The canonical header that Python's `wave` writes. */
const WAV_HEADER_BYTES = 44;
const SAMPLE_RATE = 22_050;

/** Piper's own HTTP server. It has no switch for threads; the variable is onnxruntime's, which it runs on. */
export async function startPiper({ python }: Peers): Promise<VoiceClient> {
  const port = await unusedPort();
  const voice = ["--model", join(voiceFolder, "model.onnx"), "--data-dir", voiceFolder];
  const args = ["-m", "piper.http_server", ...voice, "--host", "127.0.0.1", "--port", String(port)];
  const environment = { ORT_INTRA_OP_NUM_THREADS: "1", ORT_INTER_OP_NUM_THREADS: "1" };
  const server = await startServer({ command: python, args, environment }, () =>
    fetch(`http://127.0.0.1:${port}/info`),
  );
  const ask = ({ symbols }: Utterance): Promise<HttpAnswer> =>
    post({
      url: `http://127.0.0.1:${port}/synthesize`,
      headers: {},
      body: { text: symbols, speaker_id: 0 },
      firstBytes: WAV_HEADER_BYTES + (SAMPLE_RATE * 2 * FIRST_AUDIO_MS) / 1000,
    });
  return {
    name: "piper's HTTP server",
    sampleRate: SAMPLE_RATE,
    async speak(utterance) {
      const { bytes, firstMs, totalMs } = await ask(utterance);
      return { firstMs, totalMs, audioMs: ((bytes.length - WAV_HEADER_BYTES) / 2 / SAMPLE_RATE) * 1000 };
    },
    async record(utterance) {
      const { bytes } = await ask(utterance);
      const rate = bytes.readUInt32LE(24);
      const plain = bytes.toString("latin1", 36, 40) === "data" && rate === SAMPLE_RATE;
      if (!plain) throw new RangeError(`piper's sound is not a plain WAV of ${SAMPLE_RATE} Hz`);
      return bytesToSamples(bytes.subarray(WAV_HEADER_BYTES));
    },
    processorSeconds: () => processSeconds(server.pid),
    stop: server.stop,
  };
}
