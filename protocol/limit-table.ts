import { MAX_PHONE_NUMBERS } from "./agents/phone.js";
import { MAX_COMPAT_AUDIO_BYTES } from "./compat/openai-transcription.js";
import { MAX_KNOWLEDGE_BYTES } from "./knowledge.js";
import { heldAnswerLimits, MAX_IGNORED_BODY_BYTES } from "./limits.js";
import { MAX_AUDIO_FILE_BYTES, MAX_TRANSCRIBED_SECONDS } from "./transcription/request.js";
import { MAX_NESTING, MAX_VALUES } from "./msgpack.js";
import { MAX_PAGE_OFFSET_ROWS } from "./paging.js";
import { MAX_WAITING_TEXT_BYTES } from "./speech/live.js";
import { MAX_TEXT_CHARACTERS } from "./speech/request.js";
import { MAX_VOICE_SAMPLES } from "./voices.js";

const KIB = 1024;
const MIB = 1024 * 1024;

/** One bound on what a client may send, hold or ask for. */
export interface Limit {
  most: number;
  unit:
    | "bytes"
    | "characters"
    | "levels"
    | "values"
    | "sockets"
    | "keys"
    | "frames"
    | "events"
    | "contexts"
    | "items"
    | "commits"
    | "files"
    | "numbers"
    | "calls"
    | "rows"
    | "days"
    | "seconds"
    | "ms";
  /** What is bounded, and for whom. */
  of: string;
  /** What comes at the first one more. */
  beyond: string;
  /** What else a client should know. */
  note?: string;
}

/**
 * Every bound that is not the size of a body or a frame, by where it holds. `docs/limits.md` lists them; `test/limits`
 * tries each.
 */
export const limits = {
  headBytes: { most: 16 * KIB, unit: "bytes", of: "Request line and headers of one request", beyond: "status 431" },
  ignoredBodyBytes: {
    most: MAX_IGNORED_BODY_BYTES,
    unit: "bytes",
    of: "A body where none is wanted",
    beyond: "status 413",
    note: "It is read and dropped up to there; beyond it the connection ends.",
  },
  nesting: {
    most: MAX_NESTING,
    unit: "levels",
    of: "Lists and objects within each other, in JSON and MessagePack",
    beyond: "status 400",
  },
  values: {
    most: MAX_VALUES,
    unit: "values",
    of: "Values and keys of one JSON or MessagePack document",
    beyond: "status 400",
  },
  wrongKeys: {
    most: 30,
    unit: "keys",
    of: "Wrong keys from one client address at once",
    beyond: "status 429",
    note: "Three more each second. IPv6 addresses count by their /64. Good keys never count.",
  },
  socketsWithoutKeyPerAddress: {
    most: 32,
    unit: "sockets",
    of: "Sockets of one client address that were opened without a key and have not brought one yet",
    beyond: "status 429",
  },
  socketsWithoutKey: { most: 256, unit: "sockets", of: "The same of all addresses", beyond: "status 503" },
  keyFrameBytes: {
    most: 4 * KIB,
    unit: "bytes",
    of: "The first frame of a socket that was opened without a key",
    beyond: "close 1009",
  },
  earlyBytes: {
    most: 256 * KIB,
    unit: "bytes",
    of: "Frames that come while the key of the first one is being checked, with it",
    beyond: "close 1009",
  },
  keyMs: {
    most: 10_000,
    unit: "ms",
    of: "Time to bring a key on a socket that was opened without one",
    beyond: "close 1008",
  },
  controlFrames: {
    most: 60,
    unit: "frames",
    of: "Pings and pongs on one socket at once",
    beyond: "close 1008",
    note: "Ten more each second.",
  },
  unsentBytes: {
    most: 4 * MIB,
    unit: "bytes",
    of: "What a client of a socket has been sent without taking it",
    beyond: "close 1013",
    note: "Audio waits long before: it is for answers to frames of a client that never reads.",
  },
  waitingFrameBytes: {
    most: 4 * MIB,
    unit: "bytes",
    of: "Frames that wait for their turn, besides the largest that the socket takes",
    beyond: "close 1008",
  },
  textCharacters: {
    most: MAX_TEXT_CHARACTERS,
    unit: "characters",
    of: "Text of one request to speak",
    beyond: "status 422",
  },
  heldAnswerCharacters: {
    most: heldAnswerLimits.characters,
    unit: "characters",
    of: "Text whose answer is one JSON object with the audio in it",
    beyond: "status 400",
    note: "The streamed routes take longer ones.",
  },
  heldAnswerBytes: {
    most: heldAnswerLimits.bytes,
    unit: "bytes",
    of: "Audio in such an answer, in base64",
    beyond: "status 400",
    note: "All that one edge holds at once share 96 MB; 503 when there is no room in 20 s.",
  },
  liveTextBytes: {
    most: MAX_WAITING_TEXT_BYTES,
    unit: "bytes",
    of: "Text that waits on the live socket",
    beyond: "close 1009",
  },
  liveEvents: { most: 65_536, unit: "events", of: "Events that wait on the live socket", beyond: "close 1009" },
  inputTextBytes: {
    most: MAX_WAITING_TEXT_BYTES,
    unit: "bytes",
    of: "Text that waits on `stream-input`",
    beyond: "close 1009",
  },
  contexts: {
    most: 16,
    unit: "contexts",
    of: "Contexts of one `multi-stream-input` at once",
    beyond: "error 429",
    note: "Each is also a stream of its team.",
  },
  audioFileBytes: { most: MAX_AUDIO_FILE_BYTES, unit: "bytes", of: "The file of `POST /v1/asr`", beyond: "status 413" },
  compatAudioFileBytes: {
    most: MAX_COMPAT_AUDIO_BYTES,
    unit: "bytes",
    of: "The file of other vendors' transcriptions",
    beyond: "status 413",
  },
  transcribedSeconds: {
    most: MAX_TRANSCRIBED_SECONDS,
    unit: "seconds",
    of: "Audio of one file to be transcribed",
    beyond: "status 400",
  },
  socketAudioBytes: {
    most: 100 * MIB,
    unit: "bytes",
    of: "Audio on one realtime socket that has no transcript yet",
    beyond: "error input_audio_buffer_full",
    note: "128 MiB on one edge; there the error says that the server is full.",
  },
  socketCommits: {
    most: 16,
    unit: "commits",
    of: "Commits on one realtime socket that wait for their transcripts",
    beyond: "error rate_limit_exceeded",
    note: "1,024 on one edge.",
  },
  conversationItems: {
    most: 1024,
    unit: "items",
    of: "Items of one realtime conversation",
    beyond: "error conversation_too_large",
  },
  conversationItemBytes: { most: MIB, unit: "bytes", of: "Text of one item", beyond: "error conversation_too_large" },
  sessionSeconds: { most: 3600, unit: "seconds", of: "Time that a realtime socket is open", beyond: "close 1000" },
  voiceSamples: { most: MAX_VOICE_SAMPLES, unit: "files", of: "Samples of one voice", beyond: "status 422" },
  referenceSeconds: { most: 300, unit: "seconds", of: "Audio of one sample of a voice", beyond: "status 400" },
  knowledgeBytes: {
    most: MAX_KNOWLEDGE_BYTES,
    unit: "bytes",
    of: "The file of one knowledge source",
    beyond: "status 400",
  },
  phoneNumbers: { most: MAX_PHONE_NUMBERS, unit: "numbers", of: "Phone numbers of one team", beyond: "status 403" },
  callsPerDay: {
    most: 200,
    unit: "calls",
    of: "Phone calls that one team has made in a day",
    beyond: "status 429",
    note: "The day is that of UTC; transfers do not count.",
  },
  callsAtOnce: { most: 10, unit: "calls", of: "Phone calls out of one team at once", beyond: "status 429" },
  pageRows: {
    most: MAX_PAGE_OFFSET_ROWS,
    unit: "rows",
    of: "Rows before a page that is asked for by its number",
    beyond: "status 400",
    note: "Cursors have no such end.",
  },
  usageDays: { most: 366, unit: "days", of: "Days of one question about usage", beyond: "status 422" },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
