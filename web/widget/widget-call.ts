import { AgentCall, type CallEvents } from "../call/agent-call.js";
import { CallFailure, type CallFailureCode } from "../call/call-failure.js";
import type { CallOptions } from "../call/call-options.js";
import { type CallState, isUnderWay } from "../call/call-state.js";
import type { ToolFunction } from "../call/client-tools.js";
import type { JoinRoom } from "../call/room.js";

/** What the calls of a widget tell. */
export interface WidgetCallListener {
  /** Another call begins. */
  onBegin(): void;
  /** State, microphone or failure changed. */
  onChange(): void;
  onEvent<Name extends keyof CallEvents>(name: Name, event: CallEvents[Name]): void;
}

const closedMicrophone = { isOpen: false, isMuted: false };

/** The calls that a widget makes, one after the other. */
export class WidgetCall {
  readonly #joinRoom: JoinRoom;
  readonly #listener: WidgetCallListener;
  readonly #tools = new Map<string, ToolFunction>();
  #call: AgentCall | null = null;
  #failure: CallFailureCode | null = null;

  constructor(joinRoom: JoinRoom, listener: WidgetCallListener) {
    this.#joinRoom = joinRoom;
    this.#listener = listener;
  }

  get state(): CallState {
    return this.#call?.state ?? "idle";
  }

  /** What went wrong last, and was not overcome since. */
  get failure(): CallFailureCode | null {
    return this.#failure;
  }

  get microphone(): CallEvents["microphone"] {
    return this.#call?.microphone ?? closedMicrophone;
  }

  /** Has the page run a tool, in this call and in those that follow. */
  registerTool(name: string, run: ToolFunction): void {
    this.#tools.set(name, run);
    this.#call?.registerTool(name, run);
  }

  /** Begins a call, unless one is under way. */
  start(options: CallOptions, { microphone }: { microphone: boolean }): void {
    if (isUnderWay(this.state)) return;
    const call = new AgentCall(options, this.#joinRoom);
    this.#call = call;
    this.#failure = null;
    for (const [name, run] of this.#tools) call.registerTool(name, run);
    const pass = <Name extends keyof CallEvents>(name: Name): void => {
      call.on(name, (event) => this.#pass(name, event));
    };
    for (const name of ["state", "caption", "tool-call", "tool", "microphone", "ended", "failed"] as const) pass(name);
    this.#listener.onBegin();
    void call.start({ microphone });
  }

  /** Writes to the agent, in a call that begins with it where none is under way. */
  send(text: string, options: CallOptions): void {
    this.start(options, { microphone: false });
    this.#call?.sendMessage(text);
  }

  end(): void {
    this.#call?.end();
  }

  async setMuted(isMuted: boolean): Promise<void> {
    await this.#call?.setMuted(isMuted);
  }

  /** Opens the microphone of a call that began in writing. */
  async openMicrophone(): Promise<void> {
    try {
      await this.#call?.openMicrophone();
      this.#failure = null;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      this.#failure = error.code;
    }
    this.#listener.onChange();
  }

  #pass<Name extends keyof CallEvents>(name: Name, event: CallEvents[Name]): void {
    if (event instanceof CallFailure) this.#failure = event.code;
    this.#listener.onEvent(name, event);
    if (name !== "caption" && name !== "tool-call" && name !== "tool") this.#listener.onChange();
  }
}
