import type { TranscriptMessage } from "#protocol/agents/test-runs";
import type { EndReason } from "#protocol/bus/conversation-log";
import type { Clock } from "#common/clock";
import { askModel, type PrepareRequest } from "../conversation/model-request.js";
import type { DialogueAction } from "../dialogue/action.js";
import type { Dialogue } from "../dialogue/dialogue.js";
import type { DialogueInput, ModelToolCall } from "../dialogue/input.js";
import type { LanguageModel } from "../model/language-model.js";
import { readArguments } from "../tools/read-arguments.js";
import type { ToolRunner } from "../tools/tool-runner.js";

/** A call that was made in a conversation, with its result as soon as there is one. */
export interface CallInText {
  callId: string;
  name: string;
  input: Record<string, unknown>;
  turnId: number;
  /** Its place among everything that was said and done, from 0. */
  seq: number;
  status: "called" | "completed" | "failed";
  output: string | null;
  error: string | null;
}

export interface TextConversationOptions {
  dialogue: Dialogue;
  model: LanguageModel;
  prepareRequest: PrepareRequest;
  tools: ToolRunner;
  /** For how long replies take; the dialogue's own time stands still while it waits for others. */
  clock: Clock;
  /** Ends the conversation where it is. */
  signal: AbortSignal;
  /** Looks at the calls of each round before they are answered; true ends the conversation where it is. */
  isDecided?: (calls: readonly CallInText[]) => boolean;
  onError(error: unknown): void;
}

/**
 * Carries out what a dialogue wants, in text: replies are heard as soon as they are written, and time passes only while
 * nothing else does. The dialogue is the machine of every call.
 */
export class TextConversation {
  readonly transcript: TranscriptMessage[] = [];
  readonly calls: CallInText[] = [];
  /** Why it ended; null while it goes on. */
  end: { reason: EndReason; detail: string | null } | null = null;
  /** Why a request to the model failed, the last time. */
  modelFailure: string | null = null;
  readonly #options: TextConversationOptions;
  readonly #underWay = new Set<string>();
  readonly #cancels = new Map<string, () => void>();
  readonly #inputs: DialogueInput[] = [];
  readonly #spoken = new Map<string, number>();
  readonly #latenciesMs: number[] = [];
  #wake: () => void = () => undefined;
  #nowMs = 0;
  #askedAtMs = 0;
  #seq = 0;
  #isStopped = false;

  constructor(options: TextConversationOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
    if (options.signal.aborted) this.#stop();
    this.#perform(options.dialogue.takeActions());
  }

  /** Whether nothing more will be said. */
  get isOver(): boolean {
    return this.end !== null || this.#isStopped;
  }

  /** Whole replies of the agent. */
  get agentReplies(): number {
    return this.transcript.filter(({ role }) => role === "agent").length;
  }

  /** From what the caller said to the end of the agent's text, mean over the replies, whole milliseconds. */
  get latencyMs(): number {
    const all = this.#latenciesMs;
    return all.length === 0 ? 0 : Math.round(all.reduce((sum, ms) => sum + ms, 0) / all.length);
  }

  /** Puts something in; resolves when the agent has said and done all that follows, or the conversation is over. */
  async take(input: DialogueInput): Promise<void> {
    this.#askedAtMs = this.#options.clock.nowMs();
    this.#inputs.push(input);
    const { dialogue } = this.#options;
    for (;;) {
      for (let next = this.#inputs.shift(); next !== undefined && !this.isOver; next = this.#inputs.shift())
        this.#perform(dialogue.input(next, this.#nowMs));
      if (this.isOver) return;
      if (this.#inputs.length > 0) continue;
      if (this.#underWay.size > 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const wakeMs = dialogue.isIdle ? null : dialogue.nextWakeMs();
      if (wakeMs === null) return;
      this.#nowMs = Math.max(this.#nowMs, wakeMs);
      this.#inputs.push({ type: "tick" });
    }
  }

  #put(input: DialogueInput): void {
    this.#inputs.push(input);
    this.#wake();
  }

  #perform(actions: readonly DialogueAction[]): void {
    const round: { call: ModelToolCall }[] = [];
    for (const action of actions) {
      switch (action.type) {
        case "ask-model":
          this.#ask(action);
          break;
        case "drop-request":
          this.#finish(action.requestId);
          break;
        case "speak":
          this.#spoken.set(action.replyId, (this.#spoken.get(action.replyId) ?? 0) + action.text.length);
          break;
        case "finish-reply":
          this.#heard(action.replyId);
          break;
        case "call-tool":
          round.push(action);
          break;
        case "cancel-tool":
          this.#finish(action.callId);
          break;
        case "record":
          this.#record(action.record);
          break;
        case "end":
          this.end = { reason: action.reason, detail: action.detail };
          break;
        default: // what only a room needs
      }
    }
    if (this.#options.isDecided?.(this.calls) === true) return this.#stop();
    for (const { call } of round) void this.#call(call);
  }

  #ask(ask: Extract<DialogueAction, { type: "ask-model" }>): void {
    const { model, prepareRequest, onError } = this.#options;
    const { requestId } = ask;
    this.#underWay.add(requestId);
    const drop = askModel({
      ...{ model, ask, prepare: prepareRequest, onError },
      onInput: (input) => {
        if (input.type === "model-failed") this.modelFailure = input.detail;
        if (input.type === "model-finished" || input.type === "model-failed") this.#finish(requestId);
        this.#put(input);
      },
    });
    this.#cancels.set(requestId, drop);
  }

  async #call(call: ModelToolCall): Promise<void> {
    const { callId, name } = call;
    const controller = new AbortController();
    this.#underWay.add(callId);
    this.#cancels.set(callId, () => controller.abort());
    const read = readArguments(call.arguments);
    const result = await this.#options.tools.call(callId, name, read.ok ? read.args : {}, controller.signal);
    this.#finish(callId);
    this.#put({ type: "tool-result", callId, result });
  }

  #heard(replyId: string): void {
    this.#latenciesMs.push(this.#options.clock.nowMs() - this.#askedAtMs);
    this.#inputs.push({ type: "heard", replyId, characters: this.#spoken.get(replyId) ?? 0, isOver: true });
  }

  /** Nothing more comes of a request or a call. */
  #finish(id: string): void {
    this.#underWay.delete(id);
    const cancel = this.#cancels.get(id);
    this.#cancels.delete(id);
    cancel?.();
  }

  #stop(): void {
    this.#isStopped = true;
    for (const cancel of [...this.#cancels.values()]) cancel();
    this.#cancels.clear();
    this.#underWay.clear();
    this.#wake();
  }

  #record(record: Extract<DialogueAction, { type: "record" }>["record"]): void {
    switch (record.type) {
      case "caller-said":
        return this.#say("user", record.text, record.turnId);
      case "reply-ended":
        return record.text.trim() === "" ? undefined : this.#say("agent", record.text.trim(), record.turnId);
      case "tool-called": {
        const read = readArguments(record.input);
        const { callId, name, turnId } = record;
        const call = { callId, name, input: read.ok ? read.args : {}, turnId, seq: this.#seq++ };
        this.calls.push({ ...call, status: "called", output: null, error: null });
        return;
      }
      case "tool-answered": {
        const { status, output, error } = record;
        const call = this.calls.find(({ callId }) => callId === record.callId);
        if (call !== undefined) Object.assign(call, { status, output, error });
        return;
      }
      default:
        return;
    }
  }

  #say(role: TranscriptMessage["role"], text: string, turnId: number): void {
    const createdAt = new Date().toISOString();
    this.transcript.push({ role, text, turn_id: turnId, node_id: null, created_at: createdAt, seq: this.#seq++ });
  }
}
