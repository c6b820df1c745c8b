// An agent of @livekit/agents, as its documentation has it: asked, recognized and spoken by the same services as
// Parley's.
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { PEER_FOLDER, PEER_PORT, PEER_AGENT_NAME, PEER_SPEECH_URL, PEER_SPEECH_KEY, PEER_MODEL_URL } = process.env;
const require = createRequire(join(PEER_FOLDER, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const agents = await load("@livekit/agents");
const openai = await load("@livekit/agents-plugin-openai");
const silero = await load("@livekit/agents-plugin-silero");

/** Silence that ends a turn, as Parley's eager agents have it. */
const SILENCE_MS = 300;

export default agents.defineAgent({
  prewarm: async (proc) => {
    proc.userData.vad = await silero.VAD.load({ minSilenceDuration: SILENCE_MS });
  },
  entry: async (context) => {
    const speech = { baseURL: PEER_SPEECH_URL, apiKey: PEER_SPEECH_KEY };
    const session = new agents.voice.AgentSession({
      vad: context.proc.userData.vad,
      // Its realtime transcription has the server end turns, which Parley's does not do.
      stt: new openai.STT({ ...speech, model: "whisper-1", language: "en", useRealtime: false }),
      llm: new openai.LLM({ baseURL: PEER_MODEL_URL, apiKey: "none", model: "scripted" }),
      tts: new openai.TTS({ ...speech, model: "tts-1", voice: "default" }),
      turnHandling: {
        turnDetection: "vad",
        endpointing: { mode: "fixed", minDelay: SILENCE_MS },
        preemptiveGeneration: { enabled: true },
      },
    });
    await context.connect();
    await session.start({ agent: new agents.voice.Agent({ instructions: "You answer." }), room: context.room });
  },
});

agents.cli.runApp(
  new agents.ServerOptions({
    agent: fileURLToPath(import.meta.url),
    agentName: PEER_AGENT_NAME,
    port: Number(PEER_PORT),
    // It refuses jobs where the machine is busy, and this one is.
    loadFunc: async () => 0,
    numIdleProcesses: 4,
  }),
);
