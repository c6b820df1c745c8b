import { AgentCall } from "./agent-call.js";
import type { CallOptions } from "./call-options.js";

/**
 * One call with an agent, over WebRTC. `start` loads LiveKit's client.
 *
 * ```ts
 * const call = new Call({ agentId: "…", serverUrl: "https://voice.example.com" });
 * call.on("caption", ({ speaker, text }) => show(speaker, text));
 * button.onclick = () => call.start();
 * ```
 */
export class Call extends AgentCall {
  constructor(options: CallOptions) {
    super(options, async (room) => (await import("./livekit-room.js")).joinLiveKitRoom(room));
  }
}
