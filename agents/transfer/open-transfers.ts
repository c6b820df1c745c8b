import type { ConversationPlan, ConversationRoom } from "#protocol/bus/conversation";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { Clock } from "#common/clock";
import { formatTraceparent, type TraceContext } from "#common/tracing/traceparent";
import type { UsageReporter } from "#common/usage/usage-reporter";
import type { SpeechClient } from "#speech/speech-client";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import type { ChosenRecognizer } from "#transcription/recognizer-choice";
import { payerOf, transcribe } from "../conversation/transcribe.js";
import type { Room, RoomCallbacks, VoiceTrack } from "../room/room.js";
import { ReplySpeech } from "../speech/reply-speech.js";
import type { VoicePlan } from "../speech/voice-plan.js";
import { confirm } from "./confirmation.js";
import { Transfers, type TransfersOptions } from "./transfers.js";

export interface OpenTransfersOptions extends Omit<TransfersOptions, "openRoom" | "confirm"> {
  attempt: number;
  clock: Clock;
  speech: SpeechClient;
  recognition: RecognitionClient;
  usage: UsageReporter;
  voicePlan: VoicePlan;
  recognizer: ChosenRecognizer;
  trace: TraceContext;
  openRoom(options: {
    room: ConversationRoom;
    attempt: number;
    hasCallerJoined: boolean;
    isPhoneCall: boolean;
    sampleRate: number;
    callbacks: RoomCallbacks;
    log: TransfersOptions["log"];
  }): Promise<Room>;
}

/** The transfers of one conversation, whose destinations hear the agent's voice and are recognized as callers are. */
export function openTransfers(options: OpenTransfersOptions): Transfers {
  const { plan, clock, log, attempt } = options;
  const language = plan.config.voice.speaking_language;
  return new Transfers({
    ...options,
    openRoom: (leg) => options.openRoom({ ...leg, attempt, log, isPhoneCall: true, sampleRate: RECOGNITION_RATE }),
    confirm: ({ leg, summary, signal }) =>
      confirm({
        ...{ leg, clock, language, summary, signal },
        say: (text, until) => say(options, plan, leg.voice, text, until),
        listen: (onWords) =>
          transcribe({
            ...options,
            onActivity: () => undefined,
            onPartial: () => undefined,
            onTranscript: (text) => onWords(text),
            onTranscribed: () => undefined,
          }),
      }),
  });
}

/** Says something on a track; resolves when it was heard, cannot be said, or is not wanted any more. */
function say(
  { voicePlan, speech, usage, clock, trace }: OpenTransfersOptions,
  plan: ConversationPlan,
  track: VoiceTrack,
  text: string,
  until: AbortSignal,
): Promise<void> {
  if (until.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const speaking = new ReplySpeech({
      ...{ voice: voicePlan, speech, usage, clock, track, payer: payerOf(plan) },
      ...{ traceparent: formatTraceparent(trace), traceId: trace.traceId },
      onAudible: () => undefined,
      onPlayed(_characters, isOver) {
        if (isOver) resolve();
      },
      // Whoever hears nothing can press a key, or hangs up.
      onFailed: () => resolve(),
    });
    until.addEventListener("abort", () => {
      speaking.stop();
      resolve();
    });
    speaking.text(text);
    speaking.finish();
  });
}
