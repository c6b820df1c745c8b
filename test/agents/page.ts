import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

/** What `window.call` of the page gathers; times are the page's `performance.now()`. */
export interface PageRecord {
  /** Loudest sample of each 128 that came from the agent, with its time. */
  peaks: [atMs: number, peak: number][];
  events: Record<string, unknown>[];
  states: string[];
  transcripts: { identity: string; segmentId: string; isFinal: string; text: string }[];
  /** How many others were in the room at each change. */
  company: number[];
  disconnected: boolean;
  /** All that came from the agent, 128 samples each, at `PAGE_RATE`. */
  audio: Float32Array[];
}

/** Of the page's audio context, Hz. */
export const PAGE_RATE = 48_000;

/*
 * A caller's page as the vendor's web client is built: LiveKit's own library, unchanged, and nothing of ours.
 */
const page = `<!doctype html><meta charset="utf-8"><script src="/livekit.js"></script><script>
window.join = async (url, token) => {
  const { Room, RoomEvent } = window.LivekitClient;
  const record = { peaks: [], events: [], states: [], transcripts: [], company: [], disconnected: false, audio: [] };
  window.record = record;
  const context = new AudioContext({ sampleRate: 48000 });
  await context.resume();
  await context.audioWorklet.addModule("/tap.js");
  const room = new Room();
  window.room = room;
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind !== "audio") return;
    track.attach();
    const tap = new AudioWorkletNode(context, "tap");
    tap.port.onmessage = ({ data }) => {
      record.audio.push(data);
      record.peaks.push([performance.now(), data.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)]);
    };
    context.createMediaStreamSource(new MediaStream([track.mediaStreamTrack])).connect(tap);
    tap.connect(context.destination);
  });
  room.on(RoomEvent.DataReceived, (payload, participant, kind, topic) => {
    if (topic === "agent-event") record.events.push(JSON.parse(new TextDecoder().decode(payload)));
  });
  room.on(RoomEvent.ParticipantAttributesChanged, (changed, participant) => {
    if (!participant.isLocal && changed["lk.agent.state"]) record.states.push(changed["lk.agent.state"]);
  });
  for (const event of [RoomEvent.ParticipantConnected, RoomEvent.ParticipantDisconnected])
    room.on(event, () => record.company.push(room.remoteParticipants.size));
  room.on(RoomEvent.Disconnected, () => { record.disconnected = true; });
  room.registerTextStreamHandler("lk.transcription", async (reader, { identity }) => {
    const attributes = reader.info.attributes ?? {};
    const transcript = { identity, segmentId: attributes["lk.segment_id"], isFinal: attributes["lk.transcription_final"], text: "" };
    record.transcripts.push(transcript);
    for await (const piece of reader) transcript.text += piece;
  });
  await room.connect(url, token);
  await room.localParticipant.setMicrophoneEnabled(true, { echoCancellation: false, noiseSuppression: false, autoGainControl: false });
};
/** Begins a session as a visitor of the page does, and joins it. */
window.talk = async (api, agentId) => {
  const answer = await fetch(api + "/v1/agent/sessions", {
    method: "POST",
    headers: { "content-type": "application/json", "x-fish-sdk": "agent-client/0.3.0" },
    body: JSON.stringify({ agent_id: agentId, client_timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  });
  const session = await answer.json();
  if (answer.status !== 201) throw new Error(JSON.stringify(session));
  await window.join(session.livekit_url, session.token);
  return session.session_id;
};
/** What came from the agent, in base64 of 16 bit. */
window.heard = () => {
  const samples = Int16Array.from(window.record.audio.flatMap((part) => [...part]), (sample) => Math.max(-1, Math.min(1, sample)) * 32767);
  let text = "";
  for (const byte of new Uint8Array(samples.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};
window.send = (event) => room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify(event)), { reliable: true, topic: "client-event" });
</script>`;

const tap = `registerProcessor("tap", class extends AudioWorkletProcessor {
  process([[samples]]) {
    if (samples) this.port.postMessage(samples.slice());
    return true;
  }
});`;

/** Serves the page on loopback, where browsers give a microphone without TLS. */
export async function servePage(): Promise<{ url: string; close: () => void }> {
  // For scripts without modules; it lies beside the one that the package names.
  const main = createRequire(import.meta.url).resolve("livekit-client");
  const library = readFileSync(join(dirname(main), "livekit-client.umd.js"));
  const files: Record<string, [type: string, content: string | Buffer]> = {
    "/": ["text/html", page],
    "/livekit.js": ["text/javascript", library],
    "/tap.js": ["text/javascript", tap],
  };
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ""] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type }).end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => void server.close() };
}
