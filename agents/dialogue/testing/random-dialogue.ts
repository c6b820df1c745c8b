import fc from "fast-check";
import type { ConversationRecord } from "#protocol/bus/conversation-log";
import type { DialogueMessage } from "../input.js";
import type { DialogueSettings } from "../settings.js";
import { completed, hangUpTool, TestDialogue, tool, transferTool } from "./test-dialogue.js";

/** One thing that happens after `afterMs`; numbers choose among what there is at that time. */
interface Step {
  afterMs: number;
  kind: (typeof kinds)[number] | (typeof rare)[number];
  pick: number;
  size: number;
  text: string;
}

/** Some stand twice, being more frequent. */
const kinds = [
  "caller-joined",
  "speech-started",
  "speech-paused",
  "partial",
  "transcript",
  "transcribed",
  "turn",
  "turn",
  "typed",
  "activity",
  "interrupt",
  "model-text",
  "model-text",
  "model-text",
  "model-tool-call",
  "round",
  "round",
  "model-finished",
  "answer",
  "answer",
  "reply-audible",
  "heard",
  "heard",
  "heard-all",
  "heard-all",
  "tool-result",
  "tool-result",
  "tick",
] as const;

const toolNames = [
  ...["lookup", "lookup", "weather", "notify", "report", "report", "report", "unknown"],
  ...["hang_up_call", "transfer_call", "transfer_call"],
];

const tools = new Map([
  ["lookup", tool("blocking")],
  ["weather", tool("blocking", true)],
  ["notify", tool("fire_and_forget")],
  ["report", tool("background")],
  ["hang_up_call", hangUpTool],
  ["transfer_call", transferTool],
]);

const callerTexts = [
  "",
  "mhm",
  "yes",
  "stop",
  "hello",
  "tell me more",
  "I'd like to",
  "what is the weather",
  "my number is five five",
];

const rare = [
  ...(["caller-left", "transferred", "model-failed", "speech-failed", "hang-up", "end"] as const),
  ...(["answered-by", "recording"] as const),
] as const;

/** What ends dialogues is rare, so that they get long. */
const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(
    { weight: 10, arbitrary: fc.constant(0) },
    { weight: 10, arbitrary: fc.integer({ min: 1, max: 800 }) },
    { weight: 1, arbitrary: fc.integer({ min: 800, max: 15_000 }) },
  ),
  kind: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...kinds) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  ),
  pick: fc.nat(1000),
  size: fc.nat(60),
  text: fc.constantFrom(...callerTexts),
});

export const steps = fc.array(step, { minLength: 1, maxLength: 120, size: "max" });

export const randomSettings: fc.Arbitrary<Partial<DialogueSettings>> = fc.record({
  firstMessage: fc.constantFrom<DialogueSettings["firstMessage"]>(
    { mode: "off" },
    { mode: "fixed", text: "Hello there, what can I do for you?" },
    { mode: "prompt", instruction: "Greet." },
  ),
  voicemail: fc.constantFrom<DialogueSettings["voicemail"]>(
    null,
    null,
    { mode: "off" },
    { mode: "fixed", text: "Please call us back." },
    { mode: "prompt", instruction: "Ask for a call." },
  ),
  eagerness: fc.constantFrom("relaxed" as const, "balanced" as const, "eager" as const),
  isInterruptible: fc.boolean(),
  interruptionSensitivity: fc.constantFrom("low" as const, "balanced" as const, "high" as const),
  reengages: fc.boolean(),
  hangUpAfterMs: fc.constantFrom(10_000, 60_000),
  saysFarewell: fc.boolean(),
  maxDurationMs: fc.constantFrom(60_000, 600_000),
  absenceMs: fc.constantFrom(1000, 15_000),
  tools: fc.constant(tools),
});

const wordList = ["the", "blue", "train", "leaves", "at", "seven", "don't", "worry.", "Really?", "so,"];

/** Does what a step says; inputs that make no sense at that time are put in all the same. */
function perform(talk: TestDialogue, { afterMs, kind, pick, size, text }: Step): void {
  talk.passes(afterMs);
  if (talk.dialogue.isOver) return;
  const requests = talk.all("ask-model");
  // Mostly the last request; sometimes one that is answered or dropped.
  const request = requests.at(pick % 5 === 0 ? pick % Math.max(1, requests.length) : -1);
  const requestId = request?.requestId ?? "none";
  const replyId = talk.playing?.replyId ?? "none";
  const given = talk.playing?.text.length ?? 0;
  switch (kind) {
    case "answered-by":
      talk.input({ type: kind, answeredBy: (["human", "voicemail", "unknown"] as const)[pick % 3] ?? "unknown" });
      return;
    case "speech-paused":
      talk.input({ type: kind, lastVoicedMs: talk.nowMs - size });
      return;
    case "partial":
    case "transcript":
      talk.input({ type: kind, text, isUnsure: pick % 3 === 0 });
      return;
    case "typed":
      talk.input({ type: kind, text, isTextOnly: pick % 2 === 0 });
      return;
    case "turn":
      talk.says(text);
      return;
    case "model-text":
    case "answer": {
      const words = Array.from({ length: size % 6 }, (_, index) => wordList[(pick + index) % wordList.length]);
      // The marker says whose text it is.
      talk.input({ type: "model-text", requestId, text: ` <${requestId}> ${words.join(" ")}` });
      if (kind === "answer") talk.input({ type: "model-finished", requestId });
      return;
    }
    case "model-tool-call":
    case "round":
      // Ids come again, as those of some endpoints do.
      for (let index = 0; index < (kind === "round" ? 1 + (size % 3) : 1); index++) {
        const name = toolNames[(pick + index) % toolNames.length] ?? "";
        const call = { callId: `call-${size % 3}`, name, arguments: size % 7 === 0 ? "{broken" : "{}" };
        talk.input({ type: "model-tool-call", requestId, call });
      }
      if (kind === "round") talk.input({ type: "model-finished", requestId });
      return;
    case "model-finished":
      talk.input({ type: kind, requestId });
      return;
    case "model-failed":
      talk.input({ type: kind, requestId, detail: "503" });
      return;
    case "reply-audible":
      talk.input({ type: kind, replyId });
      return;
    case "heard":
      talk.input({ type: kind, replyId, characters: Math.min(given, pick % 150), isOver: pick % 10 === 0 });
      return;
    case "heard-all":
      talk.input({ type: "reply-audible", replyId });
      talk.input({ type: "heard", replyId, characters: given, isOver: true });
      return;
    case "speech-failed":
      talk.input({ type: kind, replyId, detail: "no voice" });
      return;
    case "tool-result": {
      const calls = talk.all("call-tool");
      const callId = calls.at(-1 - (pick % Math.max(1, calls.length)))?.call.callId ?? "none";
      talk.input({ type: kind, callId, result: completed(`result ${size}`) });
      return;
    }
    case "transferred":
      talk.input({ type: kind, isOver: size % 2 === 0 });
      return;
    case "end":
      talk.input({ type: kind, reason: "requested", detail: null, isPolite: size % 2 === 0 });
      return;
    default:
      talk.input({ type: kind });
  }
}

/** A dialogue to which random things have happened. */
export function happened(settings: Partial<DialogueSettings>, steps: readonly Step[]): TestDialogue {
  const talk = TestDialogue.joined(settings);
  happenedIn(talk, steps);
  return talk;
}

/** Lets random things happen. */
export function happenedIn(talk: TestDialogue, steps: readonly Step[]): void {
  for (const step of steps) perform(talk, step);
}

/** The reply that a log leaves open: all its text and how much of it was heard. */
export function openReply(
  log: readonly ConversationRecord[],
): { replyId: string; text: string; characters: number } | null {
  let open: { replyId: string; text: string; characters: number } | null = null;
  for (const record of log) {
    if (record.type === "reply-started") open = { replyId: record.replyId, text: "", characters: 0 };
    if (record.type === "reply-text" && open !== null) open.text += record.text;
    if (record.type === "reply-heard" && open !== null) open.characters = record.characters;
    if (record.type === "reply-ended") open = null;
  }
  return open;
}

/**
 * What of a history another runtime must know. A runtime that is lost takes the results of running calls with it, and a
 * full stop that alone was not heard is not said again.
 */
export function essenceOf(history: readonly DialogueMessage[]): unknown[] {
  return history.map((message) => {
    if (message.role === "tool") return { ...message, result: null };
    return { ...message, text: message.text.replace(/[\s.,?!]+$/, "") };
  });
}
