import { createInterface } from "node:readline";
import { clientEventLimits } from "#protocol/agents/room-topics";
import type { SessionToken } from "#protocol/agents/session";
import type { Clock } from "#common/clock";
import { CommandError, exitCodes, type Terminal } from "../command.js";
import type { PublicApi } from "../public-api.js";
import { describeEvent, readAgentEvent } from "./agent-events.js";
import { AnswerWatch } from "./answer-watch.js";
import { type AudioDevice, openLoudspeaker, openMicrophone } from "./audio-devices.js";
import type { AudioPrograms } from "./audio-programs.js";
import type { CallerRoom, CallerRoomEvents, Utterance } from "./caller-room.js";
import { ConversationView } from "./conversation-view.js";
import { loudnessOf } from "./loudness.js";
import { endSession, readEnd } from "./session.js";
import { TurnLatency } from "./turn-latency.js";

/** Root mean square from which a frame of the microphone counts as voice, and one of the agent as audible. */
const VOICED = 0.02;
const AUDIBLE = 0.01;

/** How long the agent may take to end the session when the caller hangs up. */
const HANG_UP_MS = 5000;

export interface TalkOptions {
  terminal: Terminal;
  api: PublicApi;
  session: SessionToken;
  /** Null for a typed conversation. */
  audio: AudioPrograms | null;
  /** Whether each line waits for the answer to the one before, and the last answer ends the conversation. */
  isScript: boolean;
  clock: Clock;
}

/** Holds a conversation from the terminal until somebody hangs up; gives the exit code. Throws CommandError. */
export async function talk(options: TalkOptions): Promise<number> {
  return await new TerminalCall(options).hold();
}

class TerminalCall {
  readonly #options: TalkOptions;
  readonly #view: ConversationView;
  readonly #latency = new TurnLatency();
  readonly #watch: AnswerWatch;
  readonly #devices: AudioDevice[] = [];
  readonly #begunSegments = new Set<string>();
  #speaker: ReturnType<typeof openLoudspeaker> | null = null;
  #room: CallerRoom | null = null;
  #isHangingUp = false;
  #isOver = false;
  readonly #over: Promise<void>;
  #resolveOver: () => void = () => undefined;

  constructor(options: TalkOptions) {
    this.#options = options;
    this.#view = new ConversationView(options.terminal);
    this.#watch = new AnswerWatch(options.clock);
    this.#over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
  }

  async hold(): Promise<number> {
    const { terminal, session, api } = this.#options;
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    const onSignal = (): void => this.#hangUp();
    for (const signal of signals) process.on(signal, onSignal);
    try {
      await this.#join();
      // Not before: lines that nobody takes are lost.
      const lines = createInterface({ input: terminal.stdin, terminal: false });
      const reading = this.#read(lines);
      await this.#over;
      lines.close();
      await reading;
    } finally {
      for (const signal of signals) process.removeListener(signal, onSignal);
      for (const device of this.#devices) device.stop();
      await this.#room?.leave();
    }
    const { status, ended_reason: reason, duration_seconds: seconds } = await readEnd(api, session.session_id);
    const length = seconds === null ? "" : ` after ${seconds} s`;
    terminal.stderr.write(
      `Session ${session.session_id}: ${status}${reason === null ? "" : ` (${reason})`}${length}\n`,
    );
    return status === "failed" ? exitCodes.failed : exitCodes.ok;
  }

  async #join(): Promise<void> {
    const { session, api, audio } = this.#options;
    // 25 MB that no other command needs.
    const { joinAsCaller } = await import("./caller-room.js");
    try {
      this.#room = await joinAsCaller({
        url: session.livekit_url,
        token: session.token,
        takesAudio: audio !== null,
        events: this.#roomEvents(),
      });
    } catch (cause) {
      await endSession(api, session.session_id);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(`the room at ${session.livekit_url} cannot be joined: ${why}`, exitCodes.failed, {
        cause,
      });
    }
    if (audio !== null) await this.#openAudio(this.#room, audio);
  }

  #roomEvents(): CallerRoomEvents {
    return {
      onState: (state) => {
        this.#view.state(state);
        this.#watch.stateChanged(state);
      },
      onUtterance: (utterance) => this.#showUtterance(utterance),
      onAgentEvent: (packet) => this.#showEvent(packet),
      onAudio: (samples) => {
        const isAudible = loudnessOf(samples) > AUDIBLE;
        if (isAudible) this.#showLatency(this.#latency.agentAudio(this.#options.clock.nowMs()));
        this.#speaker?.play(samples, isAudible);
      },
      onClosed: () => this.#end(),
    };
  }

  #showUtterance(utterance: Utterance): void {
    const { speaker, segmentId, text, isFinal } = utterance;
    if (speaker === "agent") {
      if (text !== "") this.#showLatency(this.#latency.agentText(this.#options.clock.nowMs()));
      if (isFinal && this.#begunSegments.delete(segmentId)) this.#watch.utteranceChanged("whole");
      else if (!isFinal && !this.#begunSegments.has(segmentId)) {
        this.#begunSegments.add(segmentId);
        this.#watch.utteranceChanged("begun");
      }
    }
    this.#view.utterance(utterance);
  }

  #showEvent(packet: Uint8Array): void {
    const event = readAgentEvent(packet);
    if (event === null) return;
    const line = describeEvent(event);
    if (line !== null) this.#view.note(line);
    if (event.type !== "client_tool.call" || !event.expectsResponse) return;
    const result = "The caller uses a terminal, which has no tools.";
    this.#send({ type: "client_tool.result", callId: event.callId, result, isError: true });
  }

  #showLatency(latencyMs: number | null): void {
    if (latencyMs !== null) this.#view.latency(latencyMs);
  }

  async #openAudio(room: CallerRoom, { microphone, loudspeaker }: AudioPrograms): Promise<void> {
    const { clock } = this.#options;
    const write = await room.publishMicrophone();
    const withoutDevice = (reason: string): void => this.#view.note(`${reason}; type instead`);
    this.#speaker = openLoudspeaker(loudspeaker, withoutDevice);
    const samplesOf = (samples: Int16Array): void => {
      if (loudnessOf(samples) > VOICED) this.#latency.voiced(clock.nowMs());
      write(samples);
    };
    this.#devices.push(this.#speaker, openMicrophone(microphone, { samples: samplesOf, ended: withoutDevice }));
  }

  async #read(lines: AsyncIterable<string>): Promise<void> {
    const { isScript } = this.#options;
    for await (const line of lines) {
      if (line.trim() === "/quit") break;
      if (isScript) await this.#watch.quiet();
      this.#say(line.trim());
    }
    if (isScript) await this.#watch.quiet();
    this.#hangUp();
  }

  #say(line: string): void {
    if (line === "" || this.#isHangingUp || this.#isOver) return;
    const most = clientEventLimits.messageCharacters;
    if (line.length > most) return this.#view.note(`a line has at most ${most} characters; it was not sent`);
    this.#view.typed(line);
    this.#watch.asked();
    this.#latency.typed(this.#options.clock.nowMs());
    // Nobody listens where there is no loudspeaker: the answer need not be spoken.
    this.#send({ type: "user.message", text: line, ...(this.#options.audio === null ? { audio: false } : {}) });
  }

  #end(): void {
    this.#isOver = true;
    this.#watch.end();
    this.#resolveOver();
  }

  /** A second time leaves at once. */
  #hangUp(): void {
    if (this.#isOver) return;
    if (this.#room === null || this.#isHangingUp) return this.#end();
    this.#isHangingUp = true;
    this.#watch.end();
    this.#send({ type: "user.hangup" });
    const cancel = this.#options.clock.after(HANG_UP_MS, () => this.#end());
    void this.#over.then(cancel);
  }

  #send(event: object): void {
    this.#room?.send(event).catch((error: unknown) => {
      this.#view.note(`not sent: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}
