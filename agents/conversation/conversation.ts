import type { AgentEvent, ClientEvent } from "#protocol/agents/events";
import type { Backlog } from "#protocol/bus/conversation";
import type { EndReason, ToolSource } from "#protocol/bus/conversation-log";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { DialogueAction } from "../dialogue/action.js";
import type { Dialogue } from "../dialogue/dialogue.js";
import type { DialogueInput, ModelToolCall, ToolResult } from "../dialogue/input.js";
import type { DialogueTool } from "../dialogue/settings.js";
import { Departure } from "../hand-over/departure.js";
import type { LanguageModel } from "../model/language-model.js";
import type { Recorder } from "../recording/conversation-recorder.js";
import type { Room } from "../room/room.js";
import type { ReplySpeech } from "../speech/reply-speech.js";
import { readArguments } from "../tools/read-arguments.js";
import type { ToolRunner } from "../tools/tool-runner.js";
import type { ClientCalls } from "./client-calls.js";
import type { ConversationMetrics } from "./conversation-metrics.js";
import type { LogWriter } from "./log-writer.js";
import { type AskModel, askModel, type PrepareRequest } from "./model-request.js";
import type { ConversationOutcome } from "./outcome.js";

/** What one conversation is made of. The conversation closes what has a `close`. */
export interface ConversationParts {
  dialogue: Dialogue;
  room: Room;
  clock: Clock;
  log: Logger;
  records: LogWriter;
  recorder: Pick<Recorder, "begin" | "close">;
  /** The caller's audio, on its way to words. */
  transcription: { push(samples: Int16Array): void; close(): void };
  model: LanguageModel;
  prepareRequest: PrepareRequest;
  tools: ToolRunner;
  clientCalls: ClientCalls;
  /** What the caller does, which waits for the next runtime after a hand-over. */
  feed: { readonly isLive: boolean; handOver(): void; readBacklog(): Backlog | null };
  /** Whom the caller was passed on to: told when the conversation is over, or another runtime's. */
  transfers: { close(options: { isOver: boolean }): void };
  sendsToolEvents: boolean;
  toolSourceOf(name: string): ToolSource | "unknown";
  /** Begins to say a reply; what becomes of it goes to the given functions. */
  openSpeech(reply: ReplyEvents): Speech;
  metrics: ConversationMetrics;
  runtimeId: string;
  /** Another runtime is to take the conversation, while this one is still in the room. Called once, before `onOver`. */
  onHandedOver(): void;
  /** The conversation is over here. Called once. */
  onOver(outcome: ConversationOutcome): void;
}

type Speech = Pick<ReplySpeech, "text" | "finish" | "pause" | "resume" | "stop">;

/** What becomes of a reply: its first sound, how much of its text was heard, or why it could not be spoken. */
export interface ReplyEvents {
  onAudible(): void;
  onPlayed(characters: number, isOver: boolean): void;
  onFailed(error: unknown): void;
}

/** How long the last records may take to be stored before the room is closed all the same. */
const LAST_RECORDS_MS = 5000;

/** Carries out what a `Dialogue` wants, and tells it what happens. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #inputs: DialogueInput[] = [];
  readonly #requests = new Map<string, () => void>();
  readonly #calls = new Map<string, AbortController>();
  #reply: { id: string; speech: Speech } | null = null;
  #isWorking = false;
  #isOver = false;
  #cancelWake: () => void = () => undefined;
  #handOverWanted = false;
  /** Since it was handed over. */
  #departure: Departure | null = null;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** What the dialogue wants before anything has happened. */
  begin(actions: readonly DialogueAction[]): void {
    // The first reply does not wait for a connection.
    this.#parts.model.warm();
    this.#isWorking = true;
    for (const action of actions) this.#perform(action);
    this.#isWorking = false;
    this.#work();
  }

  /** Tells the dialogue; carries out what follows from it. */
  input(input: DialogueInput): void {
    if (this.#isOver) return;
    // A question follows, perhaps after a long silence in which the endpoint has hung up.
    if (input.type === "speech-started" || input.type === "caller-joined") this.#parts.model.warm();
    this.#inputs.push(input);
    this.#work();
  }

  clientEvent(event: ClientEvent): void {
    switch (event.type) {
      case "user.message":
        return this.input({ type: "typed", text: event.text, isTextOnly: event.isTextOnly === true });
      case "user.activity":
        return this.input({ type: "activity" });
      case "user.interrupt":
        return this.input({ type: "interrupt" });
      case "user.hangup":
        return this.input({ type: "hang-up" });
      case "client_tool.result":
        return this.#parts.clientCalls.answered(event.callId, { result: event.result, isError: event.isError });
    }
  }

  /** Ends the conversation; politely, what is being said is said first. */
  end(reason: EndReason, detail: string | null, isPolite: boolean): void {
    this.#departure?.now();
    this.input({ type: "end", reason, detail, isPolite });
  }

  /** Gives the conversation to another runtime in its next pause: when nobody speaks and nothing is under way. */
  handOver(): void {
    this.#handOverWanted = true;
    this.#handOverIfQuiet();
  }

  /** Goes on with a hand-over that waits for an earlier one to be complete. */
  caughtUp(): void {
    this.#handOverIfQuiet();
  }

  /** What the caller did since this runtime handed the conversation over; null where it did not. */
  readBacklog(): Backlog | null {
    this.#departure?.backlogRead();
    return this.#parts.feed.readBacklog();
  }

  /** Somebody else holds the conversation now: lets go of everything at once. */
  lose(): void {
    this.#departure?.now();
    this.#leave("lost");
  }

  #work(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      for (let next = this.#inputs.shift(); next !== undefined && !this.#isOver; next = this.#inputs.shift()) {
        for (const action of this.#parts.dialogue.input(next, this.#parts.clock.nowMs())) this.#perform(action);
      }
    } finally {
      this.#isWorking = false;
    }
    this.#scheduleWake();
    this.#handOverIfQuiet();
  }

  #scheduleWake(): void {
    const { dialogue, clock } = this.#parts;
    this.#cancelWake();
    const wakeMs = this.#isOver ? null : dialogue.nextWakeMs();
    if (wakeMs === null) return;
    this.#cancelWake = clock.after(Math.max(0, wakeMs - clock.nowMs()), () => this.input({ type: "tick" }));
  }

  #perform(action: DialogueAction): void {
    const { room, records, metrics } = this.#parts;
    switch (action.type) {
      case "ask-model":
        return this.#ask(action);
      case "drop-request":
        this.#requests.get(action.requestId)?.();
        return void this.#requests.delete(action.requestId);
      case "speak":
        return this.#speechOf(action.replyId).text(action.text);
      case "finish-reply":
        return this.#speechOf(action.replyId).finish();
      case "pause-reply":
        return this.#speechOf(action.replyId).pause();
      case "resume-reply":
        return this.#speechOf(action.replyId).resume();
      case "stop-reply":
        return this.#stopReply(action.replyId);
      case "call-tool":
        return void this.#call(action.call, action.tool);
      case "cancel-tool":
        return this.#calls.get(action.callId)?.abort();
      case "tell-tool":
        return this.#tellTool(action.call, action.result);
      case "publish-transcript":
        return room.publishTranscript(action);
      case "set-state":
        return room.setState(action.state);
      case "record":
        if (action.record.type === "caller-joined") this.#parts.recorder.begin(0);
        return records.write(action.record);
      case "report-latency":
        return metrics.turn(action.latency);
      case "end":
        return void this.#finish();
    }
  }

  #ask(ask: AskModel): void {
    const { model, prepareRequest, log } = this.#parts;
    const drop = askModel({
      ...{ model, ask },
      prepare: prepareRequest,
      onInput: (input) => {
        if (input.type === "model-finished" || input.type === "model-failed") this.#requests.delete(ask.requestId);
        this.input(input);
      },
      onError: (error) => log.error({ err: error }, "a request to the language model failed within"),
    });
    this.#requests.set(ask.requestId, drop);
  }

  #speechOf(replyId: string): Speech {
    if (this.#reply?.id === replyId) return this.#reply.speech;
    this.#reply?.speech.stop();
    const speech = this.#parts.openSpeech({
      onAudible: () => this.input({ type: "reply-audible", replyId }),
      onPlayed: (characters, isOver) => this.input({ type: "heard", replyId, characters, isOver }),
      onFailed: (error) => {
        this.#parts.log.warn({ err: error }, "a reply could not be spoken");
        this.input({ type: "speech-failed", replyId, detail: error instanceof Error ? error.message : String(error) });
      },
    });
    this.#reply = { id: replyId, speech };
    return speech;
  }

  #stopReply(replyId: string): void {
    if (this.#reply?.id !== replyId) return;
    this.#reply.speech.stop();
    this.#reply = null;
  }

  /** The call's record is stored first: a runtime that takes over must know that the tool may have run. */
  async #call(call: ModelToolCall, tool: DialogueTool): Promise<void> {
    const { tools, records, metrics } = this.#parts;
    const controller = new AbortController();
    this.#calls.set(call.callId, controller);
    await records.settled();
    const read = readArguments(call.arguments);
    // The dialogue lets no call through whose arguments cannot be read.
    const result = await tools.call(call.callId, call.name, read.ok ? read.args : {}, controller.signal);
    this.#calls.delete(call.callId);
    metrics.toolCalled(tool.source, result.status, result.latencyMs ?? 0);
    this.input({ type: "tool-result", callId: call.callId, result });
  }

  #tellTool(call: ModelToolCall, result: ToolResult | null): void {
    const { room, sendsToolEvents, toolSourceOf } = this.#parts;
    if (sendsToolEvents) room.sendEvent(toolEvent(call, result, toolSourceOf(call.name)));
  }

  #handOverIfQuiet(): void {
    if (!this.#handOverWanted || this.#isOver || this.#isWorking) return;
    const { dialogue, feed } = this.#parts;
    if (this.#calls.size === 0 && dialogue.isIdle && feed.isLive) void this.#pass();
  }

  /**
   * Lets another runtime be found, and stays in the room until it is there: whatever the caller does meanwhile would
   * reach nobody.
   */
  async #pass(): Promise<void> {
    const { records, recorder, feed, clock, runtimeId, onHandedOver, onOver } = this.#parts;
    const departure = new Departure(clock);
    this.#departure = departure;
    feed.handOver();
    this.#stopWork(false);
    const recorded = recorder.close({ isComplete: false });
    records.write({ type: "handed-over", runtimeId });
    await records.settled();
    records.close();
    onHandedOver();
    await departure.due;
    await this.#closeRoom(false);
    await recorded;
    onOver("handed-over");
  }

  async #finish(): Promise<void> {
    this.#stopWork(true);
    const { records, recorder, clock, onOver } = this.#parts;
    const recorded = recorder.close({ isComplete: true });
    const late = new Promise<void>((resolve) => void clock.after(LAST_RECORDS_MS, resolve));
    await Promise.race([records.settled(), late]);
    records.close();
    await this.#closeRoom(true);
    await recorded;
    onOver("ended");
  }

  #leave(outcome: "lost"): void {
    if (this.#isOver) return;
    this.#stopWork(false);
    const { records, recorder, onOver } = this.#parts;
    const recorded = recorder.close({ isComplete: false });
    void records
      .settled()
      .then(() => {
        records.close();
        return this.#closeRoom(false);
      })
      .then(() => recorded)
      .then(() => onOver(outcome));
  }

  /** Never rejects: a room server that is away must not end the runtime, which holds other conversations. */
  async #closeRoom(deletesRoom: boolean): Promise<void> {
    try {
      await this.#parts.room.close({ deletesRoom });
    } catch (error) {
      this.#parts.log.warn({ err: error }, "a room could not be closed; it ends when nobody is in it any more");
    }
  }

  #stopWork(isOver: boolean): void {
    this.#isOver = true;
    this.#parts.transfers.close({ isOver });
    this.#cancelWake();
    for (const drop of this.#requests.values()) drop();
    this.#parts.model.close();
    for (const call of this.#calls.values()) call.abort();
    this.#reply?.speech.stop();
    this.#parts.transcription.close();
  }
}

/** What the caller's program is told of a call that began, or that has its result. */
function toolEvent(call: ModelToolCall, result: ToolResult | null, toolSource: ToolSource | "unknown"): AgentEvent {
  const shared = { callId: call.callId, toolName: call.name, toolSource, nodeId: "" };
  if (result === null) return { type: "tool.started", ...shared, input: call.arguments };
  if (result.status === "failed") return { type: "tool.failed", ...shared, error: result.error ?? "" };
  const { output, isOutputTruncated } = result;
  return { type: "tool.completed", ...shared, output: output ?? "", outputTruncated: isOutputTruncated };
}
