import { z } from "zod";
import type { ChunkAlignment } from "./timestamps.js";

/**
 * Client events of `WebSocket /v1/tts/live` (docs/protocol.md "The live socket"): binary MessagePack maps, told apart
 * by `event`.
 */
export const liveClientEvent = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("start"),
    request: z.record(z.string(), z.unknown()),
    /** Parley's own: `timestamps` events come before the audio of their words. */
    timestamps: z.boolean().nullish(),
  }),
  z.object({ event: z.literal("text"), text: z.string() }),
  z.object({ event: z.literal("flush") }),
  z.object({ event: z.literal("stop") }),
]);
export type LiveClientEvent = z.infer<typeof liveClientEvent>;

/** Server events of the live WebSocket. `finish` comes once, last. */
export type LiveServerEvent =
  | { event: "audio"; audio: Uint8Array }
  | ({ event: "timestamps" } & ChunkAlignment)
  | { event: "finish"; reason: "stop" }
  | { event: "finish"; reason: "error"; message: string };

/** Query of the upgrade. */
export const liveQuery = z.object({
  /** As the `model` header, which goes before it: browsers cannot set headers of a socket. */
  model: z.string().optional(),
});

/** Text that may wait on one live socket before it is refused. */
export const MAX_WAITING_TEXT_BYTES = 1024 * 1024;

/** Audio frames are at least this large, except the last: Pipecat drops payloads of 1024 bytes and less. */
export const MIN_AUDIO_FRAME_BYTES = 2048;
