import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { OpenedAudio } from "#audio/decoding/open-audio";
import { bytesToSamples } from "#audio/pcm";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { createLogger } from "#common/log";
import { noTracing } from "#common/tracing/span";
import { joinTrace } from "#common/tracing/traceparent";
import { KeyWatches } from "../../authentication/testing/key-watches.js";
import { OverloadGate } from "../../cluster/overload-gate.js";
import type { HttpRequest } from "../../http/exchange.js";
import { MemoryBudget } from "../../memory/memory-budget.js";
import { TeamSlots } from "../../cluster/team-slots.js";
import { testPrincipal } from "../../speech/testing/speech-bench.js";
import { UsageReporter } from "#common/usage/usage-reporter";
import type { TranscriptionContext } from "../context.js";
import { noTranscriptionMetrics } from "#transcription/metrics";
import { SocketAudioBudget } from "../socket-audio-budget.js";
import { ScriptedRecognition, type ScriptedRecognitionOptions } from "#transcription/testing/scripted-client";

/**
 * An edge's transcription context over scripted recognizers. Files are 16-bit samples at 16 kHz, bare or after the 44
 * bytes of a WAV header; one of an odd length is no audio.
 */
export class TranscriptionBench {
  readonly bus = new LocalBus();
  readonly recognition: ScriptedRecognition;
  readonly usage: UsageRecord[] = [];
  readonly context: TranscriptionContext;
  readonly keys = new KeyWatches();
  readonly clock = new VirtualClock();
  principal = testPrincipal;

  constructor(recognition: ScriptedRecognitionOptions = {}, environment: Record<string, string> = {}) {
    this.recognition = new ScriptedRecognition(recognition);
    const { clock } = this;
    const config = loadConfig(environment);
    this.bus.subscribe<UsageRecord>(usageSubject, (record) => this.usage.push(record));
    this.context = {
      authenticate: async () => this.principal,
      watchKey: this.keys.watch,
      bus: this.bus,
      usage: new UsageReporter({
        bus: this.bus,
        clock,
        log: createLogger("test", "fatal"),
        owner: { id: "edge-1", epoch: "1" },
      }),
      recognition: this.recognition,
      openAudio: openSamples,
      teamSlots: new TeamSlots(config.PARLEY_STREAMS_PER_TEAM),
      overload: new OverloadGate(clock),
      uploads: new MemoryBudget(
        { totalBytes: 2 ** 27, growingBytes: 2 ** 27, waitingBytes: 2 ** 27, copies: 2, maxWaitMs: 20_000 },
        clock,
      ),
      socketAudio: new SocketAudioBudget(),
      config,
      clock,
      log: createLogger("test", "fatal"),
      metrics: noTranscriptionMetrics,
      tracing: noTracing,
    };
  }
}

async function openSamples(
  bytes: Uint8Array,
  { minSeconds, maxSeconds }: { minSeconds: number; maxSeconds: number },
): Promise<OpenedAudio> {
  if (bytes.length % 2 === 1) throw new ServiceError("unsupported_format", { parameters: { detail: "no samples" } });
  const isWav = Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "RIFF";
  const samples = bytesToSamples(isWav ? bytes.subarray(44) : bytes);
  const seconds = samples.length / RECOGNITION_RATE;
  if (seconds < minSeconds)
    throw new ServiceError("unsupported_format", { parameters: { detail: "" }, reason: "too_short" });
  if (seconds > maxSeconds)
    throw new ServiceError("unsupported_format", { parameters: { detail: "" }, reason: "too_long" });
  async function* pieces(): AsyncGenerator<Int16Array> {
    for (let at = 0; at < samples.length; at += 10 * RECOGNITION_RATE)
      yield samples.slice(at, at + 10 * RECOGNITION_RATE);
  }
  return { format: "s16", channels: 1, seconds, pieces: pieces() };
}

/** A request with a body. */
export function uploadRequest(body: Uint8Array, headers: Record<string, string>): HttpRequest {
  const all: Record<string, string> = { "content-length": String(body.byteLength), ...headers };
  return {
    method: "POST",
    path: "/v1/asr",
    query: "",
    remoteAddress: "127.0.0.1",
    parameters: {},
    trace: joinTrace(undefined),
    header: (name) => all[name],
    body: async () => body,
    async *stream() {
      yield body;
    },
  };
}
