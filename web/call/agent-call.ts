import { readAgentMessage, type ToolActivity, type ToolRequest } from "./agent-event.js";
import { startAnonymousSession } from "./anonymous-session.js";
import { CallFailure } from "./call-failure.js";
import type { CallOptions } from "./call-options.js";
import { type CallEnd, type CallState, type CallStateInput, isReady, isUnderWay, nextCallState } from "./call-state.js";
import { type Caption, withCaption } from "./caption.js";
import { encodeClientEvent, typedText } from "./client-event.js";
import { ClientTools, type ToolCall, type ToolFunction } from "./client-tools.js";
import { Emitter } from "./emitter.js";
import { openMicrophone } from "./microphone.js";
import { OutgoingPackets } from "./outgoing-packets.js";
import type { CallRoom, JoinRoom } from "./room.js";

/** What a call tells, by name. */
export interface CallEvents {
  state: { state: CallState; previous: CallState };
  /** One caption is new or has grown. */
  caption: Caption;
  /** The agent wants a tool that is not registered. */
  "tool-call": ToolCall;
  /** A tool of the agent is at work. */
  tool: ToolActivity;
  microphone: { isOpen: boolean; isMuted: boolean };
  ended: { by: CallEnd };
  failed: CallFailure;
}

/** One call with an agent, from `start` to `ended` or `failed`. It has no place in the page: show what it tells. */
export class AgentCall {
  readonly #options: CallOptions;
  readonly #joinRoom: JoinRoom;
  readonly #events = new Emitter<CallEvents>();
  readonly #tools = new ClientTools();
  readonly #outgoing = new OutgoingPackets();
  readonly #hangUp = new AbortController();
  #state: CallState = "idle";
  #captions: readonly Caption[] = [];
  #room: CallRoom | null = null;
  #microphone: MediaStreamTrack | null = null;
  #isMuted = false;
  #typed = 0;

  constructor(options: CallOptions, joinRoom: JoinRoom) {
    this.#options = options;
    this.#joinRoom = joinRoom;
  }

  get state(): CallState {
    return this.#state;
  }

  /** All that was said and written so far. */
  get captions(): readonly Caption[] {
    return this.#captions;
  }

  /** `isOpen`: the agent has a microphone to listen to; `isMuted`: it does not hear it at the moment. */
  get microphone(): CallEvents["microphone"] {
    return { isOpen: this.#microphone !== null, isMuted: this.#isMuted };
  }

  /** Calls `listener` at every event of this name, until the function that this gives is called. */
  on<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Has the page run a tool of the agent. Gives the function that takes it away again. */
  registerTool(name: string, run: ToolFunction): () => void {
    return this.#tools.register(name, run);
  }

  /**
   * Begins the call; `microphone: false` for one in writing. Browsers ask their user for the microphone now: call this
   * from a click. Resolves when the room is joined, or the call has failed or ended before; what went wrong is in the
   * event `failed`.
   */
  async start({ microphone = true }: { microphone?: boolean } = {}): Promise<void> {
    if (this.#state !== "idle") throw new Error("a call is started once: make another one");
    this.#advance({ type: "started" });
    try {
      if (microphone) await this.#takeMicrophone();
      if (!this.#isOver) await this.#join();
    } catch (error) {
      this.#fail(
        error instanceof CallFailure ? error : new CallFailure("unreachable", String(error), { cause: error }),
      );
    }
  }

  /** Opens the microphone of a call that began without. Rejects with a `CallFailure`; the call goes on without. */
  async openMicrophone(): Promise<void> {
    if (this.#microphone !== null || !isUnderWay(this.#state)) return;
    await this.#takeMicrophone();
    if (this.#microphone !== null) await this.#room?.publishMicrophone(this.#microphone);
  }

  async setMuted(isMuted: boolean): Promise<void> {
    this.#isMuted = isMuted;
    this.#events.emit("microphone", this.microphone);
    await this.#room?.setMuted(isMuted);
  }

  /**
   * Writes to the agent; `audio: false` asks for an answer to read. A message that is written before the agent is there
   * waits for it. Throws a `RangeError` for more than 4,000 characters.
   */
  sendMessage(text: string, { audio }: { audio?: boolean } = {}): void {
    const typed = typedText(text);
    if (typed === null) return;
    if (!isUnderWay(this.#state)) throw new Error("there is no call to write in");
    this.#typed += 1;
    this.#addCaption({ id: `typed-${this.#typed}`, speaker: "user", text: typed, isFinal: true });
    this.#outgoing.send(encodeClientEvent({ type: "user.message", text: typed, audio }));
  }

  /** Has the agent stop speaking. */
  interrupt(): void {
    if (isReady(this.#state)) this.#outgoing.send(encodeClientEvent({ type: "user.interrupt" }));
  }

  /** Hangs up. */
  end(): void {
    if (isUnderWay(this.#state)) this.#finish({ by: "user" });
  }

  get #isOver(): boolean {
    return this.#state === "ended" || this.#state === "failed";
  }

  async #takeMicrophone(): Promise<void> {
    const track = await openMicrophone();
    if (this.#isOver) return track.stop();
    this.#microphone = track;
    this.#events.emit("microphone", this.microphone);
  }

  async #join(): Promise<void> {
    const { signal } = this.#hangUp;
    const start = this.#options.startSession ?? ((aborts) => startAnonymousSession(this.#options, aborts));
    const { url, token } = await start(signal);
    if (this.#isOver) return;
    const room = await this.#joinRoom({
      url,
      token,
      callbacks: {
        onAgentState: (state) => this.#advance({ type: "agent", state }),
        onCaption: (caption) => this.#addCaption(caption),
        onAgentPacket: (packet) => this.#readPacket(packet),
        onGone: (reason) => {
          if (reason === "ended") this.#finish({ by: "agent" });
          else this.#fail(new CallFailure("connection_lost", "The connection to the call was lost"));
        },
      },
    });
    if (this.#isOver) return await room.leave();
    this.#room = room;
    this.#connectOutgoing();
    if (this.#microphone !== null) await room.publishMicrophone(this.#microphone);
    if (this.#isMuted) await room.setMuted(true);
  }

  #advance(input: CallStateInput): void {
    const previous = this.#state;
    this.#state = nextCallState(previous, input);
    if (this.#state !== previous) this.#events.emit("state", { state: this.#state, previous });
    this.#connectOutgoing();
  }

  #addCaption(caption: Caption): void {
    const captions = withCaption(this.#captions, caption);
    if (captions === this.#captions) return;
    this.#captions = captions;
    this.#events.emit("caption", caption);
  }

  #readPacket(packet: Uint8Array): void {
    const message = readAgentMessage(packet);
    if (message?.type === "tool") this.#events.emit("tool", message.activity);
    if (message?.type === "tool-request") void this.#runTool(message.request);
  }

  async #runTool(request: ToolRequest): Promise<void> {
    const packet = await this.#tools.run(request, (call) => this.#events.emit("tool-call", call));
    if (packet !== null) this.#outgoing.send(packet);
  }

  #connectOutgoing(): void {
    this.#outgoing.connect(isReady(this.#state) ? this.#room : null);
  }

  #finish(end: { by: CallEnd }): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#advance({ type: "ended" });
    this.#events.emit("ended", end);
  }

  #fail(failure: CallFailure): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#advance({ type: "failed" });
    this.#events.emit("failed", failure);
  }

  #letGo(): void {
    this.#hangUp.abort();
    this.#microphone?.stop();
    this.#microphone = null;
    // The server notices a caller that left without a word.
    this.#room?.leave().catch(() => undefined);
    this.#room = null;
  }
}
