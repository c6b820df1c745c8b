import { join } from "node:path";
import { AgentDispatchClient } from "livekit-server-sdk";
import { callerToken, openLiveKitServer } from "#common/livekit/livekit-server";
import { httpUrl } from "#common/livekit/reachability";
import { startServer, unusedPort } from "../../peers/program.js";
import type { Service } from "../service.js";
import { type AgentsPeer, peerFolder } from "./installed.js";

const AGENT_NAME = "benchmark";
const CALL_MS = 10 * 60_000;

export interface RunningPeer {
  pid: number;
  /** A room with an agent of the peer on its way into it, and a caller's token for it. */
  createRoom(): Promise<{ url: string; token: string }>;
  stop(): Promise<void>;
}

/** Starts the peer's worker: the same room server, recognizer, voice and language model as ours. */
export async function startAgentsPeer({ folder }: AgentsPeer, service: Service): Promise<RunningPeer> {
  const { cluster, livekit, model } = service;
  const port = await unusedPort();
  const worker = await startServer(
    {
      command: process.execPath,
      args: [join(peerFolder, "agent.mjs"), "start"],
      environment: {
        NODE_ENV: "production",
        PEER_FOLDER: folder,
        PEER_PORT: String(port),
        PEER_AGENT_NAME: AGENT_NAME,
        PEER_SPEECH_URL: `${cluster.baseUrl}/compat/v1`,
        PEER_SPEECH_KEY: cluster.apiKey,
        PEER_MODEL_URL: model.baseUrl,
        LIVEKIT_URL: livekit.url,
        LIVEKIT_API_KEY: livekit.apiKey,
        LIVEKIT_API_SECRET: livekit.apiSecret,
      },
    },
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      if (!answer.ok) throw new Error(`its health is ${answer.status}`);
    },
  );
  const dispatch = new AgentDispatchClient(httpUrl(livekit.url), livekit.apiKey, livekit.apiSecret);
  const rooms = openLiveKitServer(livekit);
  let count = 0;
  return {
    pid: worker.pid,
    async createRoom() {
      const name = `peer-${++count}`;
      await rooms.createRoom({ name, emptySeconds: 60, departureSeconds: 1, maxParticipants: 2 });
      await dispatch.createDispatch(name, AGENT_NAME);
      const token = await callerToken(livekit, {
        room: name,
        identity: "caller",
        expiresAtEpochMs: Date.now() + CALL_MS,
      });
      return { url: livekit.url, token };
    },
    stop: worker.stop,
  };
}
