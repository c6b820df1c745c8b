import { setTimeout as delay } from "node:timers/promises";
import { newIdentifier } from "#common/identifier";
import { openDialer } from "#common/livekit/livekit-dialer";
import { callerToken, type LiveKitAccess, openLiveKitServer } from "#common/livekit/livekit-server";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { AGENT_RATE } from "../../talk/audio-programs.js";
import type { CallerRoom, CallerRoomEvents } from "../../talk/caller-room.js";
import { echoPattern, hasEchoPattern, PATTERN_MS } from "./echo-pattern.js";

/** What came of a call to an echo: how often the pattern was said until it came back, or why nothing did. */
export type EchoOutcome = { tries: number } | { problem: string; isAnswered: boolean };

const RING_MS = 30_000;
/** The line is cut after it, should this program die. */
const LONGEST_MS = 60_000;
/** An echo may begin with an announcement. */
const TRIES = 10;
/** Between two patterns: long enough for the way there and back. */
const PAUSE_MS = 1200;
const FRAME_SAMPLES = RECOGNITION_RATE / 50;
const TOKEN_MS = 5 * 60_000;

/** Calls a number through LiveKit SIP and says tones into the call until they come back. */
export async function callEcho(
  access: LiveKitAccess,
  { trunkId, number }: { trunkId: string; number: string },
): Promise<EchoOutcome> {
  const room = `doctor-${newIdentifier()}`;
  const expiresAtEpochMs = Date.now() + TOKEN_MS;
  const token = await callerToken(access, { room, identity: "doctor", expiresAtEpochMs });
  const received: Int16Array[] = [];
  const ignore = (): void => undefined;
  const events: CallerRoomEvents = {
    ...{ onState: ignore, onUtterance: ignore, onAgentEvent: ignore, onClosed: ignore },
    onAudio: (samples) => received.push(samples),
  };
  // What speaks WebRTC is loaded where a call begins.
  const { joinAsCaller } = await import("../../talk/caller-room.js");
  const caller = await joinAsCaller({ url: access.url, token, takesAudio: true, events });
  try {
    const say = await caller.publishMicrophone();
    const call = { trunkId, toNumber: number, room, identity: "callee", ringMs: RING_MS, maxDurationMs: LONGEST_MS };
    const problem = await openDialer(access)(call).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem !== null) return { problem, isAnswered: false };
    return await sayUntilEchoed(say, received);
  } finally {
    await caller.leave();
    await openLiveKitServer(access).deleteRoom(room);
  }
}

async function sayUntilEchoed(
  say: Awaited<ReturnType<CallerRoom["publishMicrophone"]>>,
  received: Int16Array[],
): Promise<EchoOutcome> {
  const pattern = echoPattern(RECOGNITION_RATE);
  for (let tries = 1; tries <= TRIES; tries++) {
    for (let at = 0; at < pattern.length; at += FRAME_SAMPLES) {
      say(pattern.slice(at, at + FRAME_SAMPLES));
      await delay((1000 * FRAME_SAMPLES) / RECOGNITION_RATE);
    }
    await delay(PAUSE_MS);
    if (hasEchoPattern(Int16Array.from(received.flatMap((samples) => [...samples])), AGENT_RATE)) return { tries };
  }
  const seconds = Math.round((TRIES * (PATTERN_MS + PAUSE_MS)) / 1000);
  return { problem: `nothing of what was said came back in ${seconds} s`, isAnswered: true };
}
