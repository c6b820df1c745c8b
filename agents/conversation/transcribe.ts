import type { ConversationPlan } from "#protocol/bus/conversation";
import type { Clock } from "#common/clock";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { UsageReporter } from "#common/usage/usage-reporter";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import type { ChosenRecognizer } from "#transcription/recognizer-choice";
import {
  type CallerTranscription,
  type CallerTranscriptionOptions,
  openCallerTranscription,
} from "../turn/caller-transcription.js";
import { CallerUsage } from "./caller-usage.js";

/** Who pays for what is spoken and recognized, and for which agent. */
export const payerOf = ({ teamId, keyId, agentId }: ConversationPlan): Payer => ({ teamId, keyId, agentId });

type Payer = Pick<ConversationPlan, "teamId" | "keyId" | "agentId">;

export interface TranscribeOptions
  extends Pick<CallerTranscriptionOptions, "onActivity" | "onPartial" | "onTranscript" | "onTranscribed"> {
  recognition: Pick<RecognitionClient, "open" | "served">;
  clock: Clock;
  usage: UsageReporter;
  plan: ConversationPlan;
  recognizer: ChosenRecognizer;
  trace: TraceContext;
}

/** Somebody's audio on its way to words; it is charged as any transcription is. */
export function transcribe(options: TranscribeOptions): CallerTranscription {
  const { recognition, clock, usage, plan, recognizer, trace, ...callbacks } = options;
  const callerUsage = new CallerUsage({ usage, clock, payer: payerOf(plan), traceId: trace.traceId });
  const transcription = openCallerTranscription({
    ...{ recognition, clock, ...callbacks },
    recognizer: recognizer.folder,
    language: recognizer.language,
    detector: recognition.served("vad")[0]?.name ?? null,
    traceparent: formatTraceparent(trace),
    onActivity: (event) => {
      callerUsage.activity(event);
      callbacks.onActivity(event);
    },
  });
  return {
    push: (samples) => transcription.push(samples),
    close() {
      transcription.close();
      callerUsage.end();
    },
  };
}
