import type { ConversationPlan } from "#protocol/bus/conversation";
import { recordingSegmentsBucket } from "#protocol/bus/recording";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createOpusPackets } from "#audio/encoding/opus-packets";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { ConversationRecorder, noRecorder, type Recorder } from "./conversation-recorder.js";
import type { RecordingMetrics } from "./recording-metrics.js";
import { SegmentWriter } from "./segment-writer.js";

/** Of each track. */
const BITS_PER_SECOND = 32_000;

/** The recorder of a conversation, which may be one that is not recorded. */
export function openRecorder(
  plan: Pick<ConversationPlan, "sessionId" | "recordsAudio">,
  options: {
    bus: Pick<Bus, "objects">;
    clock: Clock;
    log: Logger;
    attempt: number;
    voiceRate: 24_000;
    recordingMetrics: RecordingMetrics;
  },
): Recorder {
  if (!plan.recordsAudio) return noRecorder;
  const { bus, clock, log, attempt, voiceRate, recordingMetrics: metrics } = options;
  const objects = bus.objects(recordingSegmentsBucket);
  const packetsAt = (sampleRate: 16_000 | 24_000) => createOpusPackets({ sampleRate, bitsPerSecond: BITS_PER_SECOND });
  return new ConversationRecorder({
    ...{ clock, log, voiceRate },
    encoders: { agent: packetsAt(voiceRate), user: packetsAt(RECOGNITION_RATE) },
    writer: new SegmentWriter({ objects, clock, log, metrics, sessionId: plan.sessionId, attempt }),
  });
}
