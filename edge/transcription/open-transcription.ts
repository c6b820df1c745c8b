import type { TranscribedSample } from "#protocol/bus/samples";
import { openAudio } from "#audio/decoding/open-audio";
import { measureVoiceSample } from "#audio/voice/measure-sample";
import { openRecognitionClient } from "#transcription/recognition/open-client";
import type { SubmissionClient } from "#submission/submission-client";
import type { Metrics } from "#common/metrics/registry";
import { createTranscriptionMetrics } from "../metrics/transcription-metrics.js";
import { serveSamples } from "../samples/serve-samples.js";
import { transcribeSample } from "../samples/transcribe-sample.js";
import { MemoryBudget, type MemoryLimits } from "../memory/memory-budget.js";
import type { TranscriptionContext } from "./context.js";
import { SocketAudioBudget } from "./socket-audio-budget.js";

const MB = 1024 * 1024;

/**
 * A team that is alone has half of the memory: two of the largest files, each twice, since what was received is copied
 * when it is complete. Beside it another still has room for one. Eleven of its large files may be on their way, five
 * more may wait for that, and any number of small ones.
 */
const uploadLimits: MemoryLimits = {
  totalBytes: 168 * MB,
  growingBytes: 128 * MB,
  waitingBytes: 64 * MB,
  copies: 2,
  maxWaitMs: 20_000,
};

export type OpenTranscriptionOptions = Omit<
  TranscriptionContext,
  "openAudio" | "uploads" | "socketAudio" | "recognition" | "metrics"
> & { submissions: SubmissionClient; metrics: Metrics };

/**
 * Opens what the transcribing routes need, with the cluster's recognizers and real decoders, and answers the control
 * plane's questions about samples. Close it before the bus.
 */
export function openTranscription({ submissions, metrics, ...given }: OpenTranscriptionOptions): {
  context: TranscriptionContext;
  close(): void;
} {
  const recognition = openRecognitionClient(submissions);
  const budgets = { uploads: new MemoryBudget(uploadLimits, given.clock), socketAudio: new SocketAudioBudget() };
  const transcribe = (bytes: Uint8Array, signal: AbortSignal): Promise<TranscribedSample> =>
    transcribeSample(bytes, signal, { recognition, openAudio, config: given.config });
  const samples = serveSamples({ bus: given.bus, log: given.log, measure: measureVoiceSample, transcribe });
  return {
    context: { ...given, ...budgets, recognition, openAudio, metrics: createTranscriptionMetrics(metrics) },
    close() {
      samples.close();
      recognition.close();
    },
  };
}
