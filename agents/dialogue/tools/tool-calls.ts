import type { ToolSource } from "#protocol/bus/conversation-log";
import type { ModelToolCall, ToolResult } from "../input.js";
import type { OpenCall } from "../memory.js";
import type { Outbox } from "../outbox.js";
import type { DialogueSettings, DialogueTool } from "../settings.js";
import { completedResult, failedResult, MAX_BACKGROUND_CALLS, modeOfCall, refusalOf } from "./tool-policy.js";

const OUTCOME_UNKNOWN = "outcome unknown: it may have run";

const INTERRUPTED = "the caller interrupted";

/** The tool calls of a dialogue: makes them and sees to it that each gets exactly one result. */
export class ToolCalls {
  readonly #settings: DialogueSettings;
  readonly #outbox: Outbox;
  /** Calls whose results the reply waits for. */
  readonly #awaited = new Set<string>();
  readonly #background = new Set<string>();
  /** Results of the background that the caller was not told. */
  readonly #undelivered: string[] = [];
  /** Those that the model is being asked to tell. */
  #delivering: string[] = [];
  #hangUpId: string | null = null;
  /** The call for a transfer, which waits for the end of its reply, or is under way. */
  #transfer: { callId: string; isBegun: boolean } | null = null;

  constructor(settings: DialogueSettings, outbox: Outbox) {
    this.#settings = settings;
    this.#outbox = outbox;
  }

  /** Whether the reply waits for a result. */
  get isAwaiting(): boolean {
    return this.#awaited.size > 0;
  }

  /** The agent wants to hang up as soon as its reply is over. */
  get hangsUp(): boolean {
    return this.#hangUpId !== null;
  }

  /** Somebody is to take the caller as soon as the reply is over. */
  get transfersNext(): boolean {
    return this.#transfer?.isBegun === false;
  }

  /** Somebody is being asked to take the caller. */
  get isTransferring(): boolean {
    return this.#transfer?.isBegun === true;
  }

  get hasUndelivered(): boolean {
    return this.#undelivered.length > 0;
  }

  /** Makes the calls of one round. */
  start(wanted: readonly ModelToolCall[], turnId: number): void {
    const calls: OpenCall[] = [];
    for (const asked of wanted) {
      const call = { ...asked, callId: this.#uniqueId(asked.callId) };
      const source = sourceOf(call, this.#settings.tools.get(call.name));
      const { callId, name } = call;
      this.#outbox.record({ type: "tool-called", callId, turnId, name, source, input: call.arguments });
      calls.push({ call, turnId, source });
    }
    for (const open of calls) {
      this.#outbox.add({ type: "tell-tool", call: open.call, result: null });
      this.#make(open);
    }
  }

  /** A result came; one for a call that has a result already is nothing. */
  result(callId: string, result: ToolResult): void {
    const open = this.#outbox.memory.openCalls.get(callId);
    if (open === undefined) return;
    if (this.#modeOf(open) === "background") this.#undelivered.push(callId);
    this.#answer(open, result);
  }

  /** The model is asked to tell the results that wait. */
  deliver(): void {
    this.#delivering = this.#undelivered.splice(0);
  }

  delivered(): void {
    this.#delivering = [];
  }

  /** Nothing of what was to be told was said. */
  notDelivered(): void {
    this.#undelivered.unshift(...this.#delivering.splice(0));
  }

  /** Somebody has taken the caller. */
  transferred(): void {
    const open = this.#transfer === null ? undefined : this.#outbox.memory.openCalls.get(this.#transfer.callId);
    if (open !== undefined) this.#answer(open, completedResult("the caller was transferred"));
  }

  /** The reply is over. Calls that run go on, and their results are remembered. */
  replyOver({ hangsUp, isInterrupted }: { hangsUp: boolean; isInterrupted: boolean }): void {
    this.#awaited.clear();
    this.#transferAfterReply(isInterrupted);
    const open = this.#hangUpId === null ? undefined : this.#outbox.memory.openCalls.get(this.#hangUpId);
    this.#hangUpId = null;
    if (open !== undefined)
      this.#answer(open, hangsUp ? completedResult("the call has ended") : failedResult(INTERRUPTED));
  }

  #transferAfterReply(isInterrupted: boolean): void {
    const transfer = this.#transfer;
    const open = transfer === null ? undefined : this.#outbox.memory.openCalls.get(transfer.callId);
    if (transfer === null || transfer.isBegun || open === undefined) return;
    const { call } = open;
    const tool = this.#settings.tools.get(call.name);
    if (isInterrupted || tool === undefined) return this.#answer(open, failedResult(INTERRUPTED));
    transfer.isBegun = true;
    this.#outbox.add({ type: "call-tool", call, tool });
  }

  /** Ends all calls. */
  cancelAll(): void {
    for (const open of [...this.#outbox.memory.openCalls.values()]) {
      const { callId } = open.call;
      if (callId !== this.#hangUpId) this.#outbox.add({ type: "cancel-tool", callId });
      this.#answer(open, failedResult("cancelled: the conversation ended"));
    }
    this.#awaited.clear();
  }

  /** Goes on after another runtime: calls again what may be called again; of the rest nobody knows what they did. */
  resume(): void {
    const { memory } = this.#outbox;
    this.#undelivered.push(...memory.undelivered);
    for (const open of [...memory.openCalls.values()]) {
      const { call, source } = open;
      const tool = this.#settings.tools.get(call.name);
      const isHarmless = tool?.isRepeatable === true || tool?.mode === "fire_and_forget" || source === "builtin";
      // A transfer whose reply is over may have been asked for.
      if (tool?.transfers === true && !memory.isOfOpenReply(call.callId))
        this.result(call.callId, failedResult(OUTCOME_UNKNOWN));
      // The reply that was to hang up is over.
      else if (source === "builtin" && !memory.isOfOpenReply(call.callId))
        this.#answer(open, failedResult(INTERRUPTED));
      else if (isHarmless) this.#make(open);
      else this.result(call.callId, failedResult(OUTCOME_UNKNOWN));
    }
  }

  #make(open: OpenCall): void {
    const { call } = open;
    const tool = this.#settings.tools.get(call.name);
    const refusal = refusalOf(call, tool);
    if (tool === undefined || refusal !== null) return this.#answer(open, failedResult(refusal ?? "no such tool"));
    if (tool.source === "builtin" && (this.#hangUpId !== null || this.#transfer !== null))
      return this.#answer(open, failedResult("the call is ending or being transferred already"));
    if (tool.transfers === true) {
      this.#transfer = { callId: call.callId, isBegun: false };
      return;
    }
    if (tool.source === "builtin") {
      this.#hangUpId = call.callId;
      return;
    }
    if (tool.mode === "background" && this.#background.size >= MAX_BACKGROUND_CALLS)
      return this.#answer(open, failedResult(`${MAX_BACKGROUND_CALLS} calls are running in the background already`));
    if (tool.mode === "background") this.#background.add(call.callId);
    const { memory } = this.#outbox;
    const isAsked = memory.openReply?.isComplete === false && memory.isOfOpenReply(call.callId);
    if (tool.mode === "blocking" && isAsked) this.#awaited.add(call.callId);
    this.#outbox.add({ type: "call-tool", call, tool });
  }

  #modeOf({ call }: OpenCall): ReturnType<typeof modeOfCall> {
    return modeOfCall(call, this.#settings.tools.get(call.name));
  }

  #answer({ call, turnId, source }: OpenCall, result: ToolResult): void {
    const { callId, name } = call;
    this.#awaited.delete(callId);
    this.#background.delete(callId);
    if (this.#transfer?.callId === callId) this.#transfer = null;
    this.#outbox.record({ type: "tool-answered", callId, turnId, name, source, ...result });
    this.#outbox.add({ type: "tell-tool", call, result });
  }

  /** Some endpoints count their calls anew in each answer. */
  #uniqueId(callId: string): string {
    const { memory } = this.#outbox;
    const base = callId === "" ? "call" : callId;
    let unique = base;
    for (let count = 2; memory.isKnownCall(unique); count++) unique = `${base}-${count}`;
    return unique;
  }
}

function sourceOf(call: ModelToolCall, tool: DialogueTool | undefined): ToolSource {
  if (tool === undefined || tool.source === "builtin") return "builtin";
  return modeOfCall(call, tool) === "background" ? "background" : tool.source;
}
