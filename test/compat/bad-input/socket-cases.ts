import { CANARY, type SocketCase } from "./case.js";

const input = "/compat/elevenlabs/v1/text-to-speech/default/stream-input";
const multi = "/compat/elevenlabs/v1/text-to-speech/default/multi-stream-input";
const transcription = "/compat/elevenlabs/v1/speech-to-text/realtime";
const realtime = "/compat/v1/realtime?model=gpt-realtime";
const json = (value: unknown): string => JSON.stringify(value);
const MEBIBYTE = 1024 * 1024;

const inputFrames: [string, (string | Uint8Array)[], Partial<SocketCase>][] = [
  ["half JSON", ['{"text":"Go'], { closes: [1008] }],
  ["a list", ["[]"], { closes: [1008] }],
  ["a number", ["5"], { closes: [1008] }],
  ["null", ["null"], { closes: [1008] }],
  ["a binary frame", [Buffer.from('{"text":"Go."}')], { closes: [1008] }],
  ["text that is a number", [json({ text: 5 })], { closes: [1008] }],
  ["flush that is a text", [json({ text: "Go.", flush: CANARY })], { closes: [1008] }],
  ["settings out of bounds", [json({ text: " ", voice_settings: { stability: 3 } })], { closes: [1008] }],
  ["a mebibyte and one byte", [json({ text: "a".repeat(MEBIBYTE + 1) })], { closes: [1009], reports: "1009" }],
  [
    "a mebibyte and one byte in two frames",
    [json({ text: "a".repeat(MEBIBYTE - 10) }), json({ text: "b".repeat(600_000) })],
    { closes: [1009] },
  ],
  ["a frame beyond 32 MiB", [json({ text: "a".repeat(32 * MEBIBYTE) })], { closes: [1009, 1006] }],
  ["a context id that is a map", [json({ text: "Go.", context_id: {} })], { closes: [1008] }],
];

/** The order of frames is the client's: what makes no sense says nothing and ends well. */
const oddOrders: [string, string[]][] = [
  ["the end first", [json({ text: "" })]],
  ["the end first, with a flush", [json({ text: "", flush: true })]],
  ["the end twice", [json({ text: "" }), json({ text: "" })]],
  ["the end with a flush", [json({ text: " " }), json({ text: "", flush: true })]],
  ["text after the end", [json({ text: " " }), json({ text: "" }), json({ text: "Too late." })]],
  [
    "flushes of nothing",
    [json({ text: " ", flush: true }), json({ flush: true }), json({ flush: true }), json({ text: "" })],
  ],
  [
    "triggers of nothing",
    [
      json({ text: " ", try_trigger_generation: true }),
      json({ text: " ", try_trigger_generation: true }),
      json({ text: "" }),
    ],
  ],
  ["nothing but keys", [json({}), json({ unknown: CANARY }), json({ text: "" })]],
  ["text that nobody can speak", [json({ text: "... " }), json({ text: "" })]],
];

const realtimeMistakes: [string, string | Uint8Array, string][] = [
  ["half JSON", '{"type":"sess', "invalid_event"],
  ["a list", "[]", "invalid_event"],
  ["a binary frame", Buffer.from("{}"), "invalid_event"],
  ["no type", "{}", "invalid_event"],
  ["an unknown type", json({ type: CANARY }), "unknown_event_type"],
  ["a session that is a text", json({ type: "session.update", session: CANARY }), "invalid_request"],
  ["a speed beyond its bounds", json({ type: "session.update", session: { speed: 4.01 } }), "invalid_speed"],
  [
    "turns by the server",
    json({ type: "session.update", session: { turn_detection: { type: "semantic_vad" } } }),
    "unsupported_turn_detection",
  ],
  ["text answers", json({ type: "session.update", session: { modalities: ["text"] } }), "unsupported_modality"],
  [
    "a telephone codec",
    json({ type: "session.update", session: { output_audio_format: "g711_ulaw" } }),
    "unsupported_audio_format",
  ],
  ["an item without a type", json({ type: "conversation.item.create", item: {} }), "invalid_item"],
  ["no item", json({ type: "conversation.item.create" }), "invalid_item"],
  [
    "an item beyond a mebibyte",
    json({
      type: "conversation.item.create",
      item: { type: "message", content: [{ type: "input_text", text: "a".repeat(MEBIBYTE + 1) }] },
    }),
    "conversation_too_large",
  ],
  ["an item that is not there", json({ type: "conversation.item.delete", item_id: CANARY }), "item_not_found"],
  ["cancelling nothing", json({ type: "response.cancel" }), "response_cancel_not_active"],
  ["committing nothing", json({ type: "input_audio_buffer.commit" }), "input_audio_buffer_commit_empty"],
  ["sound that is no text", json({ type: "input_audio_buffer.append", audio: 5 }), "invalid_audio"],
  ["sound that is no base64", json({ type: "input_audio_buffer.append", audio: "%%%" }), "invalid_audio"],
];

/** Sockets of both vendors, used wrongly. */
export function socketCases(): SocketCase[] {
  return [
    ...inputFrames.map(([name, frames, end]) => ({ name: `stream-input: ${name}`, path: input, frames, ...end })),
    ...oddOrders.map(([name, frames]) => ({
      name: `stream-input: ${name}`,
      path: input,
      frames,
      closes: name === "text that nobody can speak" ? [1000, 1008] : [1000],
    })),
    ...oddOrders.map(([name, frames]) => ({
      name: `multi-stream-input: ${name}`,
      path: multi,
      frames: [...frames, json({ close_socket: true })],
      closes: [1000],
    })),
    {
      name: "multi-stream-input: contexts without end",
      path: multi,
      frames: Array.from({ length: 17 }, (_, index) => json({ text: "Go on", context_id: `c${index}` })),
      reports: "429",
    },
    {
      name: "multi-stream-input: closing what is not open",
      path: multi,
      frames: [json({ context_id: "x", close_context: true }), json({ close_socket: true })],
      closes: [1000],
      reports: "isFinal",
    },
    ...["ulaw_8000", "alaw_8000", "nonsense", "mp3_44100_999", "pcm_1"].map((format) => ({
      name: `stream-input: ${format}`,
      path: `${input}?output_format=${format}`,
      frames: [],
      refused: 400,
    })),
    ...["mp3_22050_32", "pcm_22050", "wav_22050"].map((format) => ({
      name: `stream-input: ${format}`,
      path: `${input}?output_format=${format}`,
      frames: [],
      closes: [1000],
      reports: "400",
    })),
    ...["mp3_22050_32", "pcm_22050", "wav_22050", "ulaw_8000", "nonsense"].map((format) => ({
      name: `multi-stream-input: ${format}`,
      path: `${multi}?output_format=${format}`,
      frames: [],
      refused: 400,
    })),
    {
      name: "stream-input: a voice that is not there",
      path: input.replace("default", "nobody"),
      frames: [json({ text: "Go on. ", flush: true })],
      closes: [1008],
      reports: "400",
    },
    ...[
      "?commit_strategy=vad",
      "?audio_format=mp3_44100_128",
      "?audio_format=pcm_7999",
      "?audio_format=pcm_48001",
      "?audio_format=ulaw_8000",
      "?audio_format=",
    ].map((query) => ({
      name: `realtime transcription ${query}`,
      path: `${transcription}${query}`,
      frames: [],
      refused: 400,
    })),
    {
      name: "realtime transcription: other shapes",
      path: transcription,
      frames: [
        "{",
        "[]",
        json({ message_type: "x" }),
        Buffer.from([1, 2, 3]),
        json({ message_type: "input_audio_chunk", audio_base_64: "", commit: true }),
      ],
      reports: "committed_transcript_with_timestamps",
    },
    {
      name: "realtime transcription: no base64",
      path: transcription,
      frames: [json({ message_type: "input_audio_chunk", audio_base_64: "%%%" })],
      reports: "input_error",
    },
    ...realtimeMistakes.map(([name, frame, reports]) => ({
      name: `realtime: ${name}`,
      path: realtime,
      frames: [frame],
      reports: `"${reports}"`,
    })),
    { name: "realtime: an unknown model", path: "/compat/v1/realtime?model=nonsense", frames: [], refused: 400 },
  ];
}
