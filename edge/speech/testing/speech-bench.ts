import { setImmediate as nextTurn } from "node:timers/promises";
import type { Principal, UsageRecord } from "#protocol/bus/control";
import { usageSubject } from "#protocol/bus/control";
import { loadConfig } from "#common/config/config";
import { VirtualClock } from "#common/clock";
import { joinTrace } from "#common/tracing/traceparent";
import { createLogger } from "#common/log";
import { KeyWatches } from "../../authentication/testing/key-watches.js";
import { UnauthenticatedSockets } from "../../authentication/unauthenticated-sockets.js";
import { OverloadGate } from "../../cluster/overload-gate.js";
import { RoomBook } from "../../cluster/room-book.js";
import { StreamAdmission } from "../../cluster/stream-admission.js";
import type { HttpRequest, HttpResponder, SocketConnection } from "../../http/exchange.js";
import { MemoryBudget } from "../../memory/memory-budget.js";
import type { SpeechContext } from "../context.js";
import { noTracing } from "#common/tracing/span";
import { noMetrics } from "#speech/testing/no-metrics";
import { UsageReporter } from "#common/usage/usage-reporter";
import { TeamSlots } from "../../cluster/team-slots.js";
import { SpeechClient } from "#speech/speech-client";
import { SubmissionClient } from "#submission/submission-client";
import { InlineVoices } from "#speech/voice/inline-voices";
import { SavedVoices } from "#speech/voice/saved-voices";
import { LocalBus } from "#common/bus/testing/local-bus";
import { testTraits } from "#audio/testing/voice-traits";
import { PlainEncoders } from "#speech/testing/plain-encoders";
import { type Fault, ScriptedCluster } from "#speech/testing/scripted-cluster";

export const testPrincipal: Principal = {
  teamId: "team",
  userId: "user",
  keyId: "key",
  scopes: ["*"],
  hasCredit: true,
  betaAccess: false,
  maxConcurrentStreams: 0,
};

/**
 * An edge's speech context over a scripted cluster in virtual time. `principal` and `faultOf` may be changed while it
 * runs.
 */
export class SpeechBench {
  readonly bus = new LocalBus();
  readonly clock = new VirtualClock();
  readonly submissions = new SubmissionClient({ bus: this.bus, clock: this.clock, ownerId: "edge-1" });
  readonly encoders = new PlainEncoders();
  readonly usage: UsageRecord[] = [];
  readonly context: SpeechContext;
  readonly cluster: ScriptedCluster;
  readonly keys = new KeyWatches();
  principal = testPrincipal;
  faultOf: (chunkIndex: number, attempt: number) => Fault | null = () => null;

  constructor(environment: Record<string, string> = {}) {
    const { bus, clock } = this;
    const config = loadConfig(environment);
    const speech = new SpeechClient(this.submissions);
    const gate = new OverloadGate(clock);
    this.cluster = new ScriptedCluster({
      bus,
      clock,
      model: "espeak",
      ownerId: "edge-1",
      faultOf: (...at) => this.faultOf(...at),
    });
    bus.subscribe<UsageRecord>(usageSubject, (record) => this.usage.push(record));
    this.context = {
      authenticate: async () => this.principal,
      watchKey: this.keys.watch,
      unauthenticatedSockets: new UnauthenticatedSockets(),
      bus,
      speech,
      config,
      clock,
      usage: new UsageReporter({ bus, clock, log: createLogger("test", "fatal"), owner: { id: "edge-1", epoch: "1" } }),
      encoders: this.encoders,
      savedVoices: new SavedVoices(bus, clock),
      inlineVoices: new InlineVoices(
        async () => ({ traits: testTraits }),
        (list) => list[0] ?? testTraits,
      ),
      teamSlots: new TeamSlots(config.PARLEY_STREAMS_PER_TEAM),
      heldAnswers: new MemoryBudget(
        { totalBytes: 2 ** 27, growingBytes: 2 ** 27, waitingBytes: 2 ** 27, copies: 1, maxWaitMs: 20_000 },
        clock,
      ),
      overload: gate,
      admission: new StreamAdmission({
        gate,
        rooms: new RoomBook(() => this.submissions.cluster.members.ofRole("scheduler")),
        inTurn: (task) => task(),
      }),
      log: createLogger("test", "fatal"),
      metrics: noMetrics,
      tracing: noTracing,
    };
  }

  /** Lets `durationMs` of virtual time pass, with everything asynchronous in between done. */
  async pass(durationMs: number): Promise<void> {
    const STEP_MS = 20;
    for (let passedMs = 0; passedMs < durationMs; passedMs += STEP_MS) {
      await nextTurn();
      this.clock.advance(STEP_MS);
    }
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
}

/** A request with a JSON body. */
export function jsonRequest(body: unknown, headers: Record<string, string> = {}): HttpRequest {
  const all: Record<string, string> = { "content-type": "application/json", ...headers };
  return {
    method: "POST",
    path: "/",
    query: "",
    remoteAddress: "127.0.0.1",
    parameters: {},
    trace: joinTrace(undefined),
    header: (name) => all[name],
    body: async () => Buffer.from(JSON.stringify(body)),
    async *stream() {
      yield Buffer.from(JSON.stringify(body));
    },
  };
}

/** A responder that keeps what it is given. `behind` makes it say that the client is behind until `catchUp`. */
export class RecordingResponder implements HttpResponder {
  status = 0;
  headers: Record<string, string> = {};
  readonly written: Uint8Array[] = [];
  ended = false;
  behind = false;
  readonly #gone = new AbortController();
  #waiting: (() => void)[] = [];

  get begun(): boolean {
    return this.status !== 0;
  }

  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  get body(): Buffer {
    return Buffer.concat(this.written);
  }

  begin(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
  }

  write(bytes: Uint8Array): boolean {
    this.written.push(bytes.slice());
    return !this.behind;
  }

  writable(): Promise<void> {
    return this.behind ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  end(bytes?: Uint8Array): void {
    if (bytes !== undefined) this.written.push(bytes.slice());
    this.ended = true;
  }

  abort(): void {
    this.leave();
  }

  catchUp(): void {
    this.behind = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The client goes away. */
  leave(): void {
    this.#gone.abort();
    this.catchUp();
  }
}

/** A WebSocket that keeps what it is sent. */
export class RecordingConnection implements SocketConnection {
  readonly sent: Uint8Array[] = [];
  closedWith: { code: number; reason: string } | null = null;
  behind = false;
  readonly #gone = new AbortController();
  #waiting: (() => void)[] = [];

  get closed(): AbortSignal {
    return this.#gone.signal;
  }

  send(data: Uint8Array | string): boolean {
    this.sent.push(typeof data === "string" ? Buffer.from(data) : data.slice());
    return !this.behind;
  }

  writable(): Promise<void> {
    return this.behind ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  bufferedBytes(): number {
    return 0;
  }

  close(code: number, reason: string): void {
    this.closedWith = { code, reason };
  }

  catchUp(): void {
    this.behind = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
