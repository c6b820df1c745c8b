import type { CompatOperation, ParameterRow } from "./parameter.js";

const mapped = (place: ParameterRow["place"], name: string, note: string, example: unknown): ParameterRow => ({ name, place, treatment: "mapped", note, example });
const refused = (name: string, note: string, example: unknown): ParameterRow => ({ name, place: "form", treatment: "refused", note, example });
const ignored = (place: ParameterRow["place"], name: string, note: string, example: unknown): ParameterRow => ({ name, place, treatment: "ignored", note, example });

/** A file in, its words out (interface.md "Protocol C speech-to-text"). */
export const elevenLabsTranscription: CompatOperation = {
  protocol: "ElevenLabs",
  method: "POST",
  path: "/v1/speech-to-text",
  summary: "Writes down what is said in a file.",
  parameters: [
    mapped("form", "file", "The sound, at most 100 MB and 60 minutes.", "(bytes)"),
    mapped("form", "language_code", "What is spoken; the answer repeats it. A language that no recognizer knows is a 400.", "en"),
    ignored("form", "model_id", "There is one recognizer.", "scribe_v1"),
    refused("diarize", "speakers are not told apart", "true"),
    refused("use_multi_channel", "all channels are heard as one", "true"),
    refused("entity_detection", "entities are not looked for", "all"),
    refused("entity_redaction", "entities are not looked for", "pii"),
    refused("entity_redaction_mode", "entities are not looked for", "redacted"),
    refused("no_verbatim", "the words are given as they were heard", "true"),
    refused("tag_audio_events", "only words are heard; set it to false", "true"),
    { ...refused("additional_formats", "ask the OpenAI layer for srt or vtt", "[{\"format\":\"srt\"}]"), harmless: ["[]"] },
    { ...refused("timestamps_granularity", "words are the finest", "character"), harmless: ["word"] },
    refused("webhook", "the answer comes with the request", "true"),
    refused("webhook_id", "the answer comes with the request", "w1"),
    refused("source_url", "files must be sent along", "https://example.com/a.wav"),
    refused("cloud_storage_url", "files must be sent along", "https://example.com/a.wav"),
    { name: "enable_logging", place: "query", treatment: "refused", note: "there is no zero-retention mode to turn on; sound is never kept", example: "false", refusedWhenOff: true },
    ignored("form", "num_speakers", "Speakers are not told apart.", "2"),
    ignored("form", "diarization_threshold", "Speakers are not told apart.", "0.5"),
    ignored("form", "file_format", "The file tells what it is.", "other"),
    ignored("form", "temperature", "The same sound always gives the same text.", "0.1"),
    ignored("form", "seed", "The same sound always gives the same text.", "3"),
    ignored("form", "multichannel_output_style", "All channels are heard as one.", "combined"),
    ignored("form", "webhook_metadata", "The answer comes with the request.", "{}"),
    ignored("form", "use_speaker_library", "Speakers are not told apart.", "true"),
    ignored("form", "detect_speaker_roles", "Speakers are not told apart.", "true"),
    ignored("form", "keyterms", "The vocabulary is fixed.", "Parley"),
    ignored("form", "transcript_edit", "The words are given as they were heard.", "none"),
  ],
};

/** Sound in pieces, words at every commit. */
export const elevenLabsRealtimeTranscription: CompatOperation = {
  protocol: "ElevenLabs",
  method: "WebSocket",
  path: "/v1/speech-to-text/realtime",
  summary: "Writes down the sound between commits: `committed_transcript`, then `committed_transcript_with_timestamps`.",
  parameters: [
    mapped("query", "audio_format", "`pcm_<rate>`; `pcm_16000` when absent. Others are a 400.", "pcm_24000"),
    mapped("query", "language_code", "What is spoken.", "en"),
    { name: "commit_strategy", place: "query", treatment: "refused", note: "turns are ended by the client: commit", example: "vad", harmless: ["manual"] },
    mapped("query", "token", "The key, where no header can be set.", "pk_..."),
    mapped("frame", "audio_base_64", "Sound.", ""),
    mapped("frame", "commit", "Ends a turn.", true),
    ignored("query", "model_id", "There is one recognizer.", "scribe_v2_realtime"),
    ignored("query", "include_timestamps", "Both answers are always sent.", "true"),
    ignored("query", "include_language_detection", "The language is the one that was named.", "true"),
    ignored("frame", "sample_rate", "The query tells it.", 16_000),
    ignored("frame", "previous_text", "There is no prompt to a recognizer.", "a"),
  ],
};
