import type { ToolSource } from "#protocol/bus/conversation-log";
import type { AnsweredBy } from "#protocol/webhooks";
import type { UnstampedRecord } from "./action.js";
import type { DialogueMessage, ModelToolCall, ToolResult } from "./input.js";
import { cut } from "./language/words.js";
import type { DialogueTool } from "./settings.js";
import { modeOfCall, placeholderOf } from "./tools/tool-policy.js";

/** A reply that has begun and is not over. */
export interface OpenReply {
  replyId: string;
  turnId: number;
  /** All text that it was given. */
  text: string;
  /** UTF-16 units that the caller has heard, as far as it is recorded. */
  characters: number;
  isComplete: boolean;
  /** It is published as text, and not spoken. */
  isTextOnly: boolean;
}

/** A tool call without a result. */
export interface OpenCall {
  call: ModelToolCall;
  turnId: number;
  source: ToolSource;
}

/** What the agent said between two rounds of tool calls, and the calls of the round behind it. */
interface AgentEntry {
  role: "agent";
  replyId: string;
  turnId: number;
  /** Where its text begins in the reply's. */
  start: number;
  text: string;
  isInterrupted: boolean;
  calls: ModelToolCall[];
}

type Entry = Exclude<DialogueMessage, { role: "agent" }> | AgentEntry;

/**
 * What a dialogue knows of its past: what its records say, and nothing else. The machine that writes the records and
 * the one that goes on from them therefore remember the same.
 */
export class Memory {
  readonly openCalls = new Map<string, OpenCall>();
  readonly #tools: ReadonlyMap<string, DialogueTool>;
  readonly #entries: Entry[] = [];
  readonly #callIds = new Set<string>();
  #openReply: OpenReply | null = null;
  #turnId = 0;
  #replies = 0;
  #isAnswered = false;
  #isTextOnly = false;
  #hasJoined = false;
  #isPresent = false;
  #isOver = false;
  #isTransferred = false;
  #answeredBy: AnsweredBy | null = null;
  /** Background results that no reply has followed. */
  #undelivered: string[] = [];
  /** The last record was a call: a further one belongs to the same round. */
  #isInRound = false;

  constructor(tools: ReadonlyMap<string, DialogueTool>) {
    this.#tools = tools;
  }

  /** The caller's last turn; 0 before the first. */
  get turnId(): number {
    return this.#turnId;
  }

  /** How many replies have begun. */
  get replies(): number {
    return this.#replies;
  }

  /** Whether a reply to the last turn has begun. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether the caller asked with the last turn for an answer to read; so is all that the agent says until the next. */
  get isTextOnly(): boolean {
    return this.#isTextOnly;
  }

  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  get isPresent(): boolean {
    return this.#isPresent;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the caller talks to somebody else, whom the agent found for them. */
  get isTransferred(): boolean {
    return this.#isTransferred;
  }

  /** Who answered the agent's call; null where nobody has found out. */
  get answeredBy(): AnsweredBy | null {
    return this.#answeredBy;
  }

  get openReply(): Readonly<OpenReply> | null {
    return this.#openReply;
  }

  get undelivered(): readonly string[] {
    return this.#undelivered;
  }

  isKnownCall(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  /** Whether the open reply asked for a call, rather than one that was interrupted. */
  isOfOpenReply(callId: string): boolean {
    const replyId = this.#openReply?.replyId;
    const isAsking = (entry: Entry): boolean =>
      entry.role === "agent" && entry.replyId === replyId && entry.calls.some((call) => call.callId === callId);
    return replyId !== undefined && this.#entries.some(isAsking);
  }

  /** What was said and done, as far as the caller has heard it. */
  history(): DialogueMessage[] {
    const limit = this.#openReply?.characters ?? 0;
    return this.#messages((entry) =>
      entry.replyId === this.#openReply?.replyId ? cut(entry.text, limit - entry.start) : entry.text,
    );
  }

  /** The same with all text of the open reply, for a request that goes on from it. */
  wholeHistory(): DialogueMessage[] {
    return this.#messages((entry) => entry.text);
  }

  /** Whether the open reply ends with tool calls, its next text being the answer to their results. */
  get endsWithCalls(): boolean {
    const last = this.#lastAgentEntry();
    return last !== undefined && last.replyId === this.#openReply?.replyId && last.calls.length > 0;
  }

  apply(record: UnstampedRecord): void {
    if (record.type !== "tool-called") this.#isInRound = false;
    switch (record.type) {
      case "caller-joined":
        this.#hasJoined = true;
        this.#isPresent = true;
        return;
      case "caller-left":
        this.#isPresent = false;
        return;
      case "caller-said":
        this.#turnId = record.turnId;
        this.#isAnswered = false;
        this.#isTextOnly = record.isTextOnly === true;
        this.#entries.push({ role: "caller", turnId: record.turnId, text: record.text });
        return;
      case "reply-started":
      case "reply-text":
      case "reply-heard":
      case "reply-complete":
      case "reply-ended":
        return this.#applyToReply(record);
      case "tool-called":
        return this.#called(record);
      case "tool-answered":
        return this.#answered(record);
      case "transfer-connected":
        this.#isTransferred = true;
        return;
      case "answerer-detected":
        this.#answeredBy = record.answeredBy;
        return;
      case "ended":
        this.#isOver = true;
        return;
      default:
        return;
    }
  }

  #applyToReply(record: Extract<UnstampedRecord, { replyId: string }>): void {
    if (record.type === "reply-started") {
      const { replyId, turnId, isTextOnly = false } = record;
      this.#openReply = { replyId, turnId, text: "", characters: 0, isComplete: false, isTextOnly };
      this.#replies++;
      this.#isAnswered = true;
      this.#undelivered = [];
      return;
    }
    const reply = this.#openReply;
    if (reply === null || reply.replyId !== record.replyId) return;
    if (record.type === "reply-text") {
      this.#entryFor(reply).text += record.text;
      reply.text += record.text;
    }
    if (record.type === "reply-heard") reply.characters = Math.max(reply.characters, record.characters);
    if (record.type === "reply-complete") reply.isComplete = true;
    if (record.type === "reply-ended") this.#ended(reply, record.text.length, record.isInterrupted);
  }

  #ended(reply: OpenReply, characters: number, isInterrupted: boolean): void {
    const entries = this.#entries.filter(
      (entry): entry is AgentEntry => entry.role === "agent" && entry.replyId === reply.replyId,
    );
    for (const entry of entries) entry.text = entry.text.slice(0, Math.max(0, characters - entry.start));
    const last = entries.filter((entry) => entry.text !== "").at(-1) ?? entries.at(-1);
    if (last !== undefined) last.isInterrupted = isInterrupted;
    this.#openReply = null;
  }

  #called({ callId, turnId, name, source, input }: Extract<UnstampedRecord, { type: "tool-called" }>): void {
    const call = { callId, name, arguments: input };
    this.#callIds.add(callId);
    this.openCalls.set(callId, { call, turnId, source });
    const reply = this.#openReply;
    // Calls of one round stand in one message; their results follow it.
    const entry = reply === null || this.#isInRound ? this.#lastAgentEntry() : this.#entryFor(reply);
    entry?.calls.push(call);
    this.#isInRound = true;
    const result = placeholderOf(modeOfCall(call, this.#tools.get(name)));
    this.#entries.push({ role: "tool", turnId, callId, name, source, result });
  }

  #answered(record: Extract<UnstampedRecord, { type: "tool-answered" }>): void {
    const open = this.openCalls.get(record.callId);
    if (open === undefined) return;
    this.openCalls.delete(record.callId);
    const mode = modeOfCall(open.call, this.#tools.get(record.name));
    if (mode === "background") this.#undelivered.push(record.callId);
    // What becomes of such a call is for the log alone.
    if (mode === "fire_and_forget") return;
    const { status, output, isOutputTruncated, error, latencyMs } = record;
    const result: ToolResult = { status, output, isOutputTruncated, error, latencyMs };
    const index = this.#entries.findIndex((entry) => entry.role === "tool" && entry.callId === record.callId);
    const entry = this.#entries[index];
    if (entry?.role === "tool") this.#entries[index] = { ...entry, result };
  }

  #entryFor(reply: OpenReply): AgentEntry {
    const last = this.#entries.at(-1);
    return last?.role === "agent" && last.replyId === reply.replyId ? last : this.#addEntry(reply);
  }

  #addEntry({ replyId, turnId, text }: OpenReply): AgentEntry {
    const entry: AgentEntry = {
      role: "agent",
      replyId,
      turnId,
      start: text.length,
      text: "",
      isInterrupted: false,
      calls: [],
    };
    this.#entries.push(entry);
    return entry;
  }

  #lastAgentEntry(): AgentEntry | undefined {
    return this.#entries.findLast((entry): entry is AgentEntry => entry.role === "agent");
  }

  #messages(textOf: (entry: AgentEntry) => string): DialogueMessage[] {
    const messages: DialogueMessage[] = [];
    for (const entry of this.#entries) {
      if (entry.role !== "agent") {
        messages.push(entry);
        continue;
      }
      const { turnId, isInterrupted, calls } = entry;
      const text = textOf(entry);
      if (text !== "" || calls.length > 0)
        messages.push({ role: "agent", turnId, text, isInterrupted, calls: [...calls] });
    }
    return messages;
  }
}
