import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { newIdentifier } from "#common/identifier";
import { agentToken, openLiveKitServer } from "#common/livekit/livekit-server";
import { joinLiveKitRoom, LiveKitVoice, type MediaPath, type RoomConnection } from "./livekit-room.js";

/*
 * A program of its own, which `parley doctor` runs: joins a room as an agent does, with media, and prints as JSON how
 * packets reach the server. Reads from its standard input which server, because of the secret.
 */

const access = z.object({ url: z.string(), apiKey: z.string(), apiSecret: z.string() });

const RATE = 16_000;
const PATH_TRIES = 30;
const PATH_PAUSE_MS = 100;

const ignore = (): void => undefined;
const events = {
  onParticipantJoined: ignore,
  onParticipantChanged: ignore,
  onParticipantLeft: ignore,
  onKey: ignore,
  onData: ignore,
  onAudio: ignore,
  onReturned: ignore,
  onLost: ignore,
};

async function check(): Promise<{ joinMs: number; path: MediaPath | null }> {
  const server = access.parse(JSON.parse(await text(process.stdin)));
  const room = `connectivity-${newIdentifier()}`;
  const token = await agentToken(server, { room, identity: "doctor" });
  const voice = new LiveKitVoice(RATE);
  const startedAtMs = performance.now();
  const connection = await joinLiveKitRoom({ url: server.url, token, voice, events });
  const joinMs = Math.round(performance.now() - startedAtMs);
  const path = await findPath(connection);
  await connection.leave();
  await openLiveKitServer(server).deleteRoom(room);
  return { joinMs, path };
}

async function findPath(connection: RoomConnection): Promise<MediaPath | null> {
  for (let tries = 0; tries < PATH_TRIES; tries++) {
    const path = await connection.mediaPath();
    if (path !== null) return path;
    await delay(PATH_PAUSE_MS);
  }
  return null;
}

check().then(
  (found) => {
    process.stdout.write(`\n${JSON.stringify(found)}\n`, () => process.exit(0));
  },
  (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`\n${JSON.stringify({ problem: reason })}\n`, () => process.exit(1));
  },
);
