import { bodyLimits, frameLimits } from "../limits.js";
import { type CompatOperation, rowsIn } from "./parameter.js";

const [form, query, frame] = [rowsIn("form"), rowsIn("query"), rowsIn("frame")];

const retention = "there is no zero-retention mode to turn on; audio is never stored";

/** A file in, its words out. */
export const elevenLabsTranscription: CompatOperation = {
  protocol: "ElevenLabs",
  method: "POST",
  path: "/v1/speech-to-text",
  summary: "Transcribes a file.",
  maxBytes: bodyLimits.compatAudio,
  parameters: [
    form.mapped("file", "The audio, 0.1 seconds to 60 minutes and at most 100 MB.", "(bytes)"),
    form.mapped(
      "language_code",
      "What is spoken; the answer repeats it. A language that no recognizer knows is a 400.",
      "en",
    ),
    form.mapped("keyterms", "Words that are found more readily and written as here, one or several times.", "Parley"),
    form.ignored("model_id", "There is one recognizer.", "scribe_v1"),
    form.refused("diarize", "speakers are not distinguished", "true"),
    form.refused("use_multi_channel", "all channels are mixed into one", "true"),
    form.refused("entity_detection", "entities are not looked for", "all"),
    form.refused("entity_redaction", "entities are not looked for", "pii"),
    form.refused("entity_redaction_mode", "entities are not looked for", "redacted"),
    form.refused("no_verbatim", "the words are given as they were recognized", "true"),
    form.refused("tag_audio_events", "only words are recognized; set it to false", "true"),
    {
      ...form.refused("additional_formats", "ask the OpenAI layer for srt or vtt", '[{"format":"srt"}]'),
      harmless: ["[]"],
    },
    { ...form.refused("timestamps_granularity", "words are the finest", "character"), harmless: ["word"] },
    form.refused("webhook", "the answer comes with the request", "true"),
    form.refused("webhook_id", "the answer comes with the request", "w1"),
    form.refused("source_url", "files must be sent along", "https://example.com/a.wav"),
    form.refused("cloud_storage_url", "files must be sent along", "https://example.com/a.wav"),
    { ...query.refused("enable_logging", retention, "false"), refusedWhenOff: true },
    { ...form.refused("enable_logging", retention, "false"), refusedWhenOff: true },
    form.ignored("num_speakers", "Speakers are not distinguished.", "2"),
    form.ignored("diarization_threshold", "Speakers are not distinguished.", "0.5"),
    form.ignored("file_format", "The content decides what it is.", "other"),
    form.ignored("temperature", "The same audio always gives the same text.", "0.1"),
    form.ignored("seed", "The same audio always gives the same text.", "3"),
    form.ignored("multichannel_output_style", "All channels are mixed into one.", "combined"),
    form.ignored("webhook_metadata", "The answer comes with the request.", "{}"),
    form.ignored("use_speaker_library", "Speakers are not distinguished.", "true"),
    form.ignored("detect_speaker_roles", "Speakers are not distinguished.", "true"),
    form.ignored("transcript_edit", "The words are given as they were recognized.", "none"),
  ],
};

/** Audio in pieces, words at every commit. */
export const elevenLabsRealtimeTranscription: CompatOperation = {
  protocol: "ElevenLabs",
  method: "WebSocket",
  path: "/v1/speech-to-text/realtime",
  summary:
    "Transcribes audio while it comes in: `partial_transcript` is the text since the last commit, which may still change; `committed_transcript`, then `committed_transcript_with_timestamps`, answer a commit. A client that leaves without a commit pays for the audio that it has partial transcripts of. At most 100 MiB and 16 commits may wait on a socket; beyond that it says `queue_overflow`, `commit_throttled` (the audio is kept for a later commit), or `resource_exhausted` when the server is full, and goes on.",
  maxBytes: frameLimits.audio,
  parameters: [
    query.mapped(
      "audio_format",
      "`pcm_<rate>` with any rate from 8000 to 48000; `pcm_16000` when absent. Others are a 400.",
      "pcm_24000",
    ),
    query.mapped("language_code", "What is spoken.", "en"),
    query.mapped("keyterms", "Words that are found more readily and written as here, one or several times.", "Parley"),
    {
      name: "commit_strategy",
      place: "query",
      treatment: "refused",
      note: "turns are ended by the client: commit",
      example: "vad",
      harmless: ["manual"],
    },
    query.mapped(
      "include_timestamps",
      "`false` leaves the second answer out, unless `include_language_detection` is set; both come otherwise, also when it is absent.",
      "false",
    ),
    query.mapped("include_language_detection", "Only as said there: the language is the one that was named.", "true"),
    query.mapped("token", "The key, where no header can be set.", "pk_..."),
    frame.mapped("audio_base_64", "Audio.", ""),
    frame.mapped("commit", "Ends a turn.", true),
    query.ignored("model_id", "There is one recognizer.", "scribe_v2_realtime"),
    frame.ignored("sample_rate", "The query says it.", 16_000),
    frame.ignored("previous_text", "There is no prompt to a recognizer.", "a"),
  ],
};

/** What the realtime socket sends, by `message_type`, and when. */
export const realtimeTranscriptionEvents = {
  session_started: "The socket is open; config says how.",
  partial_transcript: "The text since the last commit, which may still change.",
  committed_transcript: "The text of the turn that a commit ended.",
  committed_transcript_with_timestamps: "The same with the times of its words.",
  input_error: "A frame cannot be used.",
  queue_overflow: "Too much audio waits for its transcript.",
  commit_throttled: "Too many commits wait; the audio is kept for a later one.",
  resource_exhausted: "Too much audio waits on the server.",
  quota_exceeded: "The account has no credit left.",
  auth_error: "The key does not count any more.",
  rate_limited: "The team has too many streams.",
  transcriber_error: "A fault of the server.",
} as const;
export type RealtimeTranscriptionEvent = keyof typeof realtimeTranscriptionEvents;
