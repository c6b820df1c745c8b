import { z } from "zod";

const segment = z.object({ text: z.string(), start: z.number(), end: z.number() });

/** What is known of the words of the chunk that the audio belongs to. */
export const chunkAlignment = z.object({
  content: z.string().describe("Text of the chunk that the alignment describes."),
  alignment: z
    .object({ segments: z.array(segment), audio_duration: z.number() })
    .nullable()
    .describe("Snapshot for chunk_seq; a later one replaces it. Seconds relative to the chunk."),
  chunk_seq: z.number(),
  chunk_audio_offset_sec: z.number().describe("Absolute start of the chunk in the audio, seconds."),
});
export type ChunkAlignment = z.infer<typeof chunkAlignment>;

/**
 * One server-sent event of `POST /v1/tts/stream/with-timestamp` (docs/protocol.md "Speech with timestamps"); every key
 * is always present.
 */
export interface TimestampEvent extends ChunkAlignment {
  audio_base64: string;
}
