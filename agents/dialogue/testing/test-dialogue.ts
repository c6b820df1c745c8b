import { expect } from "vitest";
import type { ConversationRecord, EndReason } from "#protocol/bus/conversation-log";
import type { DialogueAction } from "../action.js";
import { Dialogue } from "../dialogue.js";
import type { DialogueInput, ToolResult } from "../input.js";
import { wordsOf } from "../language/words.js";
import { resumeDialogue } from "../resume.js";
import type { DialogueSettings, DialogueTool } from "../settings.js";

export const testSettings: DialogueSettings = {
  voicemail: null,
  firstMessage: { mode: "off" },
  eagerness: "balanced",
  isInterruptible: true,
  interruptionSensitivity: "balanced",
  language: "en",
  reengages: false,
  hangUpAfterMs: 60_000,
  saysFarewell: false,
  maxDurationMs: 1_800_000,
  absenceMs: 15_000,
  tools: new Map(),
};

export const EPOCH_MS = 1_700_000_000_000;

export const hangUpTool: DialogueTool = { mode: "blocking", source: "builtin", isRepeatable: false };

export const transferTool: DialogueTool = {
  ...{ mode: "background", source: "builtin", isRepeatable: false, transfers: true },
};

export const tool = (mode: DialogueTool["mode"], isRepeatable = false): DialogueTool => ({
  mode,
  source: "webhook",
  isRepeatable,
});

export const completed = (output: string): ToolResult => ({
  status: "completed",
  output,
  isOutputTruncated: false,
  error: null,
  latencyMs: 5,
});

type Of<T extends DialogueAction["type"]> = Extract<DialogueAction, { type: T }>;
type RecordOf<T extends ConversationRecord["type"]> = Extract<ConversationRecord, { type: T }>;

/** Faster than `expect`, which counts where it is done at each input. */
function check(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`);
}

/** What has been spoken of one reply, as its player sees it. */
interface Played {
  replyId: string;
  text: string;
  isFinished: boolean;
  isPaused: boolean;
}

/**
 * A dialogue in virtual time, with a player, a language model and tools that do what the test says. What every dialogue
 * must keep at all times is checked at each input.
 */
export class TestDialogue {
  readonly dialogue: Dialogue;
  readonly settings: DialogueSettings;
  nowMs: number;
  readonly actions: (DialogueAction & { atMs: number })[] = [];
  readonly records: ConversationRecord[] = [];
  /** The history after so many records; one for each input. */
  readonly histories = new Map<number, { history: string; atMs: number }>();
  /** The reply that is open at the player. */
  playing: Played | null = null;
  end: EndReason | null = null;
  readonly #characters = new Map<string, number>();
  readonly #dropped = new Set<string>();
  /** Characters of each segment of the agent that were published, or are another runtime's. */
  readonly #published = new Map<string, number>();

  private constructor(settings: Partial<DialogueSettings>, log: readonly ConversationRecord[] | null, nowMs: number) {
    this.settings = { ...testSettings, ...settings };
    this.nowMs = nowMs;
    const options = { settings: this.settings, nowMs, responder: "test-model" };
    if (log === null) this.dialogue = new Dialogue(options);
    else this.dialogue = resumeDialogue(log, { ...options, nowEpochMs: EPOCH_MS + nowMs });
    this.records.push(...(log ?? []));
    for (const { replyId, text } of this.recorded("reply-text")) {
      const segmentId = `agent-${replyId}`;
      this.#published.set(segmentId, (this.#published.get(segmentId) ?? 0) + text.length);
    }
    this.#take(this.dialogue.takeActions());
  }

  static start(settings: Partial<DialogueSettings> = {}): TestDialogue {
    return new TestDialogue(settings, null, 0);
  }

  /** One whose caller is in the room. */
  static joined(settings: Partial<DialogueSettings> = {}): TestDialogue {
    const talk = TestDialogue.start(settings);
    talk.input({ type: "caller-joined" });
    return talk;
  }

  static resumed(log: readonly ConversationRecord[], settings: Partial<DialogueSettings>, nowMs: number): TestDialogue {
    return new TestDialogue(settings, log, nowMs);
  }

  /** The same conversation at another runtime, which knows the log and nothing else. */
  resumedElsewhere(): TestDialogue {
    return TestDialogue.resumed(this.records, this.settings, this.nowMs);
  }

  input(input: DialogueInput): DialogueAction[] {
    if (input.type === "heard" && input.replyId === this.playing?.replyId) this.#wasPlayed(input);
    const actions = this.dialogue.input(input, this.nowMs);
    this.#take(actions);
    return actions;
  }

  /** Lets time pass, ticking the dialogue when it asks for it. */
  passes(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let wakeMs = this.#nextWakeMs(); wakeMs <= untilMs; wakeMs = this.#nextWakeMs()) {
      this.nowMs = wakeMs;
      this.input({ type: "tick" });
    }
    this.nowMs = untilMs;
  }

  /** The caller says something: speech, its words at its end, and a pause that is noticed 200 ms after the last voiced frame. */
  says(text: string, speechMs = 500): void {
    this.input({ type: "speech-started" });
    this.passes(speechMs);
    this.pauses(text);
  }

  /** The caller's speech ends, and is understood as `text`. */
  pauses(text: string): void {
    const lastVoicedMs = this.nowMs;
    this.passes(200);
    this.input({ type: "speech-paused", lastVoicedMs });
    if (text !== "") this.input({ type: "transcript", text });
    this.input({ type: "transcribed" });
  }

  /** The caller says something, and the turn is over. */
  takesTurn(text: string): void {
    this.says(text);
    this.passes(2000);
  }

  /** The last request. */
  get request(): Of<"ask-model"> {
    const request = this.all("ask-model").at(-1);
    if (request === undefined) throw new Error("the model was not asked");
    return request;
  }

  modelSays(text: string): void {
    this.input({ type: "model-text", requestId: this.request.requestId, text });
  }

  modelCalls(name: string, args = "{}", callId = `c-${name}`): void {
    this.input({ type: "model-tool-call", requestId: this.request.requestId, call: { callId, name, arguments: args } });
  }

  modelFinishes(): void {
    this.input({ type: "model-finished", requestId: this.request.requestId });
  }

  modelFails(detail = "503"): void {
    this.input({ type: "model-failed", requestId: this.request.requestId, detail });
  }

  /** The model answers with a whole text. */
  answers(text: string): void {
    this.modelSays(text);
    this.modelFinishes();
  }

  /** The caller has heard this beginning of what is played, the reply being audible since. */
  heard(text: string): void {
    const { replyId, text: given } = this.#player();
    expect(given.startsWith(text)).toBe(true);
    this.input({ type: "reply-audible", replyId });
    this.input({ type: "heard", replyId, characters: text.length, isOver: false });
  }

  /** The caller has heard all that was given. */
  playsAll(): void {
    const { replyId, text } = this.#player();
    this.input({ type: "reply-audible", replyId });
    this.input({ type: "heard", replyId, characters: text.length, isOver: true });
  }

  toolAnswers(callId: string, result: ToolResult = completed("done")): void {
    this.input({ type: "tool-result", callId, result });
  }

  all<T extends DialogueAction["type"]>(type: T): (Of<T> & { atMs: number })[] {
    return this.actions.filter((action): action is Of<T> & { atMs: number } => action.type === type);
  }

  recorded<T extends ConversationRecord["type"]>(type: T): RecordOf<T>[] {
    return this.records.filter((record): record is RecordOf<T> => record.type === type);
  }

  /** Everything that was given to speak, by reply. */
  get spoken(): string[] {
    const byReply = new Map<string, string>();
    for (const { replyId, text } of this.all("speak")) byReply.set(replyId, (byReply.get(replyId) ?? "") + text);
    return [...byReply.values()];
  }

  get states(): string[] {
    return this.all("set-state").map(({ state }) => state);
  }

  /** What was said, one line each: `caller: …`, `agent: …`, `agent: …—` where interrupted, `tool: …`. */
  get lines(): string[] {
    return this.dialogue.history.map((message) => {
      if (message.role === "tool") return `tool: ${message.result.output ?? message.result.error}`;
      const calls = message.role === "agent" ? message.calls.map(({ name }) => ` [${name}]`).join("") : "";
      return `${message.role}: ${message.text}${message.role === "agent" && message.isInterrupted ? "—" : ""}${calls}`;
    });
  }

  /** Whether a reply is published and not spoken, as the log says. */
  isTextOnly(replyId: string): boolean {
    return this.recorded("reply-started").some((record) => record.replyId === replyId && record.isTextOnly === true);
  }

  /**
   * What was given of a reply and how much of that its player has told to be heard; of one that is text only, how much
   * was published before its end.
   */
  playedOf(replyId: string): { given: string; characters: number } {
    if (this.isTextOnly(replyId)) {
      const texts = this.recorded("reply-text").filter((record) => record.replyId === replyId);
      const growing = this.all("publish-transcript").filter(
        ({ segmentId, isFinal }) => segmentId === `agent-${replyId}` && !isFinal,
      );
      return { given: texts.map(({ text }) => text).join(""), characters: growing.at(-1)?.text.length ?? 0 };
    }
    const texts = this.all("speak").filter((action) => action.replyId === replyId);
    return { given: texts.map(({ text }) => text).join(""), characters: this.#characters.get(replyId) ?? 0 };
  }

  #wasPlayed({ replyId, characters }: { replyId: string; characters: number }): void {
    this.#characters.set(replyId, Math.max(characters, this.#characters.get(replyId) ?? 0));
  }

  #player(): Played {
    if (this.playing === null) throw new Error("nothing is spoken");
    return this.playing;
  }

  #nextWakeMs(): number {
    const wakeMs = this.dialogue.nextWakeMs() ?? Number.POSITIVE_INFINITY;
    check(wakeMs > this.nowMs, "the next tick is in the future");
    return wakeMs;
  }

  #take(actions: readonly DialogueAction[]): void {
    for (const action of actions) {
      check(this.end === null, "nothing follows the end");
      this.actions.push({ ...action, atMs: this.nowMs });
      this.#play(action);
      if (action.type === "record")
        this.records.push({ ...action.record, id: `${this.records.length}`, atEpochMs: EPOCH_MS + this.nowMs });
      if (action.type === "drop-request") this.#dropped.add(action.requestId);
      if (action.type === "end") this.end = action.reason;
    }
    const wakeMs = this.dialogue.nextWakeMs();
    check(wakeMs === null || wakeMs > this.nowMs, "the next tick is in the future");
    const isEnded = this.end !== null || this.records.at(-1)?.type === "ended";
    check(this.dialogue.isOver === isEnded, "it is over when it says so");
    this.histories.set(this.records.length, { history: JSON.stringify(this.dialogue.history), atMs: this.nowMs });
  }

  /** What is spoken, or published to be read, answers what the caller said last, whenever it was asked for. */
  #checkSources(text: string): void {
    for (const [, requestId = ""] of text.matchAll(/<([\w-]+)>/g)) this.#checkSource(requestId);
  }

  #checkSource(requestId: string): void {
    check(!this.#dropped.has(requestId), "a dropped request is not spoken");
    // Of a request of another runtime nothing is known here.
    const request = this.all("ask-model").find((action) => action.requestId === requestId);
    if (request === undefined) return;
    const asked = request.history.findLast((message) => message.role === "caller");
    const said = this.records.findLast((record) => record.type === "caller-said");
    check(asked?.turnId === said?.turnId, "what is spoken answers the last turn");
    check(wordsOf(asked?.text ?? "").join() === wordsOf(said?.text ?? "").join(), "it answers what was said");
  }

  /** Does what a player does, which can say one reply at a time. */
  #play(action: DialogueAction): void {
    if (action.type === "publish-transcript" && action.speaker === "agent") {
      const { segmentId, text } = action;
      if (this.isTextOnly(segmentId.replace("agent-", "")))
        this.#checkSources(text.slice(this.#published.get(segmentId) ?? 0));
      this.#published.set(segmentId, Math.max(text.length, this.#published.get(segmentId) ?? 0));
    }
    if (action.type === "speak") {
      check(!this.isTextOnly(action.replyId), "what is to be read is not spoken");
      this.#checkSources(action.text);
      this.playing ??= { replyId: action.replyId, text: "", isFinished: false, isPaused: false };
      check(action.replyId === this.playing.replyId, "one reply is spoken at a time");
      check(!this.playing.isFinished, "a reply that was finished gets no more text");
      this.playing.text += action.text;
    }
    if (action.type === "finish-reply") this.#player().isFinished = true;
    if (action.type === "pause-reply" || action.type === "resume-reply") {
      check(this.#player().isPaused === (action.type === "resume-reply"), "pauses are resumed once");
      this.#player().isPaused = action.type === "pause-reply";
    }
    if (action.type === "stop-reply") check(action.replyId === this.#player().replyId, "what is spoken is stopped");
    const isOver = action.type === "record" && action.record.type === "reply-ended";
    if (action.type === "stop-reply" || isOver) this.playing = null;
  }
}
