import type { Clock } from "#common/clock";
import { chooseScheduler } from "#common/membership/scheduler-choice";
import type { AudioFrame } from "#protocol/bus/audio";
import { RoomBook } from "#edge/cluster/room-book";
import type { Heartbeat, SchedulerLoad } from "#protocol/bus/membership";
import type { ServiceError } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { StreamEvent } from "#speech/stream/stream-event";
import { StreamMachine } from "#speech/stream/stream-machine";
import { livePacing } from "#speech/stream/stream-settings";
import type { Network } from "./network.js";
import type { Scenario } from "./scenario.js";
import { chunksOf, type SimulatedStream, settingsOf, type StreamEnd } from "./simulated-stream.js";

/** Samples are few, so that a city's audio fits into memory. */
const SAMPLE_RATE = 100;
interface OpenStream {
  stream: SimulatedStream;
  machine: StreamMachine;
  cancelTimer: (() => void) | null;
}

/** An edge: runs the product's own machine for every stream, on the simulated bus. */
export class SimulatedEdge {
  readonly #id: string;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #scenario: Pick<Scenario, "liveWaitMs" | "patience">;
  readonly #schedulers = new Map<string, Extract<Heartbeat, { role: "scheduler" }>>();
  readonly #sentSinceHeartbeat = new Map<string, number>();
  readonly #rooms = new RoomBook(() => this.#schedulers.values());
  readonly #streams = new Map<string, OpenStream>();
  resubmissions = 0;

  constructor(options: {
    id: string;
    network: Network;
    clock: Clock;
    scenario: Pick<Scenario, "liveWaitMs" | "patience">;
  }) {
    this.#id = options.id;
    this.#scenario = options.scenario;
    this.#network = options.network;
    this.#clock = options.clock;
    options.network.edges.set(options.id, {
      verdict: (verdict) =>
        this.#input(verdict.streamId, ({ submissions }, nowMs) => submissions.verdict(verdict, nowMs)),
      audio: (chunk, audioMs) =>
        this.#input(chunk.streamId, (machine, nowMs) => machine.frame(frameOf(chunk, audioMs), nowMs)),
      receiveScheduler: (id, loads) => this.#receiveScheduler(id, loads),
      schedulerLost: (id) => this.#schedulerLost(id),
    });
  }

  /** Speaks a stream; its caller tries again when it is refused. */
  open(stream: SimulatedStream): void {
    const room = { model: "voice", teamId: "team", mostWaitMs: this.#scenario.liveWaitMs ?? Number.POSITIVE_INFINITY };
    const retryAfterMs = stream.tier === "live" ? this.#rooms.retryAfterMs(room) : null;
    if (retryAfterMs !== null) return this.#refused(stream, retryAfterMs);
    if (stream.tier === "live") this.#rooms.begins(room);
    const machine = new StreamMachine({
      settings: settingsOf(stream, this.#scenario.liveWaitMs),
      ownerId: this.#id,
      chooseScheduler: (keep, avoid) => this.#choose(keep, avoid),
    });
    this.#streams.set(stream.id, { stream, machine, cancelTimer: null });
    this.#input(stream.id, (_, nowMs) => {
      machine.add(chunksOf(stream), nowMs);
      machine.end();
    });
  }

  #choose(keep: string | null, avoid: string | null): string | null {
    const schedulers = [...this.#schedulers.values()];
    const sentSinceHeartbeat = this.#sentSinceHeartbeat;
    const chosen = chooseScheduler({ schedulers, model: "voice", keep, avoid, sentSinceHeartbeat });
    if (chosen !== null) sentSinceHeartbeat.set(chosen, (sentSinceHeartbeat.get(chosen) ?? 0) + 1);
    return chosen;
  }

  #receiveScheduler(id: string, loads: readonly SchedulerLoad[]): void {
    const epoch = "";
    this.#schedulers.set(id, { type: "heartbeat", role: "scheduler", id, epoch, state: "ready", loads: [...loads] });
    this.#sentSinceHeartbeat.delete(id);
  }

  #schedulerLost(id: string): void {
    this.#schedulers.delete(id);
    for (const streamId of [...this.#streams.keys()])
      this.#input(streamId, ({ submissions }, nowMs) => submissions.schedulerLost(id, nowMs));
  }

  #input(streamId: string, input: (machine: StreamMachine, nowMs: number) => void): void {
    const open = this.#streams.get(streamId);
    if (open === undefined) return;
    const { stream, machine } = open;
    const nowMs = this.#clock.nowMs();
    input(machine, nowMs);
    for (const { schedulerId, message } of machine.submissions.takeMessages()) {
      if (message.type === "submit" && message.chunk.attempt > 1) this.resubmissions += 1;
      this.#network.toScheduler(schedulerId, message);
    }
    for (const event of machine.takeEvents()) this.#play(stream, event, nowMs);
    open.cancelTimer?.();
    const wakeMs = machine.nextWakeMs(nowMs);
    if (wakeMs === Number.POSITIVE_INFINITY) return;
    const tick = (): void => this.#input(streamId, ({ submissions }, tickMs) => submissions.tick(tickMs, true));
    open.cancelTimer = this.#clock.after(Math.max(1, wakeMs - nowMs), tick);
  }

  #play(stream: SimulatedStream, event: StreamEvent, nowMs: number): void {
    const { player } = stream;
    if (event.type === "samples") player.receive((event.samples.length / event.sampleRate) * 1000, nowMs);
    const farAhead = event.type === "ended" || player.bufferedMs(nowMs) > livePacing.aheadMs;
    if (stream.speed === null && player.startedAtMs !== null && farAhead)
      stream.speed = player.playedMs / (nowMs - stream.arrivedAtMs);
    if (event.type === "ended") this.#end(stream, "completed");
    if (event.type === "failed") this.#failed(stream, event.error);
  }

  #failed(stream: SimulatedStream, error: ServiceError): void {
    if (error.code !== "overloaded" || stream.player.startedAtMs !== null) return this.#end(stream, "failed");
    this.#refused(stream, error.retryAfterMs ?? 1000);
  }

  #refused(stream: SimulatedStream, retryAfterMs: number): void {
    stream.refusals += 1;
    if (stream.refusals > this.#scenario.patience) return this.#end(stream, "refused");
    this.#streams.delete(stream.id);
    this.#clock.after(retryAfterMs, () => this.open(stream));
  }

  #end(stream: SimulatedStream, end: StreamEnd): void {
    stream.end = end;
    stream.endedAtMs = this.#clock.nowMs();
    this.#streams.delete(stream.id);
  }
}

function frameOf({ streamId, chunkIndex, attempt }: SpeechChunk, audioMs: number): AudioFrame {
  return {
    type: "audio",
    streamId,
    chunkIndex,
    attempt,
    workerId: "w",
    firstSample: 0,
    sampleRate: SAMPLE_RATE,
    pcm: new Uint8Array(2 * Math.round((audioMs * SAMPLE_RATE) / 1000)),
    last: true,
    timing: null,
    words: [],
  };
}
