import { z } from "zod";
import { chunkAlignment } from "./timestamps.js";

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
export const liveServerEvents = {
  audio: z.object({ event: z.literal("audio"), audio: z.custom<Uint8Array>().describe("Binary audio.") }),
  timestamps: chunkAlignment.extend({ event: z.literal("timestamps") }),
  finish: z.discriminatedUnion("reason", [
    z.object({ event: z.literal("finish"), reason: z.literal("stop") }),
    z.object({ event: z.literal("finish"), reason: z.literal("error"), message: z.string() }),
  ]),
};
export type LiveServerEvent = z.infer<(typeof liveServerEvents)[keyof typeof liveServerEvents]>;

/** Query of the upgrade. */
export const liveQuery = z.object({
  /** As the `model` header, which goes before it: browsers cannot set headers of a socket. */
  model: z.string().optional(),
});

/** Text that may wait on one live socket before it is refused. */
export const MAX_WAITING_TEXT_BYTES = 1024 * 1024;

/** Audio frames are at least this large, except the last: Pipecat drops payloads of 1024 bytes and less. Even, for PCM. */
export const MIN_AUDIO_FRAME_BYTES = 1026;
