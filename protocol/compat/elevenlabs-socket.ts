import { z } from "zod";
import { frameLimits } from "../limits.js";
import { type CompatOperation, type ParameterRow, rowsIn } from "./parameter.js";

const query = rowsIn("query");
const frame = rowsIn("frame");

const shared: ParameterRow[] = [
  query.mapped("model_id", "As in `POST /v1/text-to-speech/:voice_id`.", "service/s1"),
  query.mapped(
    "sync_alignment",
    "`true` adds to each frame the times of the characters that begin in its audio; a last frame may have times alone.",
    "true",
  ),
  query.ignored("language_code", "The text decides its language.", "en"),
  query.ignored("enable_logging", "Texts are never logged.", "false"),
  query.ignored("enable_ssml_parsing", "There is no SSML; tags are written into the text.", "true"),
  query.ignored("inactivity_timeout", "The service's own idle limit holds.", "60"),
  query.ignored("auto_mode", "Text is always spoken as early as it makes sense.", "true"),
  query.ignored("apply_text_normalization", "Numbers, dates and the like are always read out.", "off"),
  query.ignored("seed", "The same text always gives the same audio.", "1"),
  frame.mapped("text", "Text to speak. The blank of the first frame says nothing.", "Hello. "),
  frame.mapped("voice_settings", "In the first frame: `speed` and `stability`, as in a request.", { speed: 1.2 }),
  frame.mapped("flush", "Speaks what has come at once, and sends the last of its audio.", true),
  frame.mapped(
    "try_trigger_generation",
    "Speaks what has come at the next phrase end or at 50 characters, and at the latest 300 ms after the last text.",
    true,
  ),
  frame.mapped(
    "xi_api_key",
    "The key, in the first frame, for clients that cannot set headers; also `xi-api-key` and `authorization`. It must come within ten seconds.",
    "pk_...",
  ),
  frame.ignored("generation_config", "Cuts are made where the text allows.", { chunk_length_schedule: [50] }),
  frame.ignored("pronunciation_dictionary_locators", "There are no dictionaries.", []),
];

/** Text in, audio out, over one socket. */
export const elevenLabsStreamInput: CompatOperation = {
  protocol: "ElevenLabs",
  method: "WebSocket",
  path: "/v1/text-to-speech/:voice_id/stream-input",
  summary: "Speaks while the text is still coming. A frame with an empty text ends it, also the first.",
  maxBytes: frameLimits.text,
  parameters: [
    query.mapped(
      "output_format",
      "As there; the 22.05 kHz family is refused by a frame, others before the upgrade.",
      "pcm_16000",
    ),
    ...shared,
  ],
};

/** The same for several texts at once. */
export const elevenLabsMultiStreamInput: CompatOperation = {
  protocol: "ElevenLabs",
  method: "WebSocket",
  path: "/v1/text-to-speech/:voice_id/multi-stream-input",
  summary:
    "Several texts at once on one socket, at most 16. Each is a stream of its team (`PARLEY_STREAMS_PER_TEAM`) while it lasts; one past the limit " +
    "is answered with an error frame of its context. A frame with an empty text keeps the socket alive.",
  maxBytes: frameLimits.text,
  parameters: [
    query.mapped(
      "output_format",
      "As there; what cannot be given is refused before the upgrade, the 22.05 kHz family too, which LiveKit's plugins ask for by default: set another.",
      "pcm_16000",
    ),
    ...shared,
    frame.mapped("context_id", "Which text a frame belongs to; answers carry it as `contextId`.", "a"),
    frame.mapped("close_context", "Ends one text: `isFinal` follows its last audio.", true),
    frame.mapped("close_socket", "Ends them all, then the socket.", true),
  ],
};

const frameAlignment = z
  .object({
    chars: z.array(z.string()),
    charStartTimesMs: z.array(z.int().min(0)),
    charDurationsMs: z.array(z.int().min(0)),
  })
  .describe("When each character sounds, counted from the beginning of the text's audio.");

/** What the service sends on both sockets, by the names that its description gives them. */
export const speechInputFrames = {
  audio: z.object({
    audio: z.base64().optional().describe("In the format that `output_format` says, the frames one after another."),
    alignment: frameAlignment.optional(),
    normalizedAlignment: frameAlignment.optional(),
  }),
  final: z.object({ isFinal: z.literal(true).describe("All of the text's audio was sent.") }),
  error: z.object({ error: z.string(), code: z.int().describe("An HTTP status; 1009 where too much text waits.") }),
} as const;

/** On `multi-stream-input` a frame says which text it belongs to; an error without it is the whole socket's. */
export const multiSpeechInputFrames = {
  audio: speechInputFrames.audio.extend({ contextId: z.string() }),
  final: speechInputFrames.final.extend({ contextId: z.string() }),
  error: speechInputFrames.error.extend({ contextId: z.string().optional() }),
} as const;

/** A frame of one text to its client, without what names its context. */
export type SpeechInputFrame = z.infer<typeof speechInputFrames.audio> | z.infer<typeof speechInputFrames.final>;
