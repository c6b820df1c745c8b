import { type ConversationPlan, type ConversationRoom, detectsAnswerer } from "#protocol/bus/conversation";
import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import type { Bus } from "#common/bus/bus";
import { type Clock, steadyTimeOfDay } from "#common/clock";
import type { Config } from "#common/config/config";
import type { Dial, Referral } from "#common/livekit/livekit-dialer";
import type { Logger } from "#common/log";
import type { StreamingOutbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import type { TokenCounter } from "#common/text/token-count";
import { formatTraceparent, joinTrace, type TraceContext } from "#common/tracing/traceparent";
import type { UsageReporter } from "#common/usage/usage-reporter";
import type { SpeechClient } from "#speech/speech-client";
import type { SavedVoices } from "#speech/voice/saved-voices";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import { type ChosenRecognizer, chooseRecognizer } from "#transcription/recognizer-choice";
import type { AnswererFinding } from "../call/answerer/answerer-detector.js";
import { AnswererDetection } from "../call/answerer/answerer-detection.js";
import { openLine } from "../call/line.js";
import { Dialogue } from "../dialogue/dialogue.js";
import { resumeDialogue } from "../dialogue/resume.js";
import { CallerFeed } from "../hand-over/caller-feed.js";
import { predecessorOf, Succession } from "../hand-over/succession.js";
import { createKnowledge } from "../knowledge/create-knowledge.js";
import { openLanguageModel } from "../model/open-language-model.js";
import { dialogueSettingsOf } from "../prompt/dialogue-settings.js";
import type { Recorder } from "../recording/conversation-recorder.js";
import { openRecorder } from "../recording/open-recorder.js";
import type { RecordingMetrics } from "../recording/recording-metrics.js";
import type { Room, RoomCallbacks } from "../room/room.js";
import { ReplySpeech } from "../speech/reply-speech.js";
import { planVoice, type VoicePlan } from "../speech/voice-plan.js";
import { openTools } from "../tools/open-tools.js";
import { openTransfers } from "../transfer/open-transfers.js";
import type { Transfers } from "../transfer/transfers.js";
import type { CallerTranscription } from "../turn/caller-transcription.js";
import { awaitSpeech, SpeechUnavailable } from "./await-speech.js";
import { ClientCalls } from "./client-calls.js";
import { Conversation, type ConversationParts } from "./conversation.js";
import type { ConversationMetrics } from "./conversation-metrics.js";
import { expectCaller } from "./expected-caller.js";
import { LogWriter } from "./log-writer.js";
import { mailbox, type Tell } from "./mailbox.js";
import { requestsOf } from "./prepare-request.js";
import { feedSinks, handingOver, roomCallbacks } from "./room-callbacks.js";
import { readLog, takeLog } from "./take-log.js";
import { payerOf, transcribe } from "./transcribe.js";

/** What all conversations of a runtime share. */
export interface ConversationContext {
  bus: Bus;
  clock: Clock;
  log: Logger;
  config: Config;
  runtimeId: string;
  outbound: StreamingOutbound;
  sealer: Sealer;
  speech: SpeechClient;
  recognition: RecognitionClient;
  savedVoices: SavedVoices;
  usage: UsageReporter;
  /** Remembers what it counted: the texts of a conversation come again with every request. */
  countTokens: TokenCounter;
  metrics: ConversationMetrics;
  recordingMetrics: RecordingMetrics;
  openRoom(options: {
    room: ConversationRoom;
    attempt: number;
    earlierDone?: Promise<void>;
    hasCallerJoined: boolean;
    isPhoneCall: boolean;
    sampleRate: number;
    callbacks: RoomCallbacks;
    log: Logger;
  }): Promise<Room>;
  /** Calls a number. */
  dial(call: Dial): Promise<void>;
  /** Has LiveKit SIP transfer a call. */
  refer(referral: Referral): Promise<void>;
  deleteRoom(name: string): Promise<void>;
  /** Milliseconds since 1970. */
  epochMs(): number;
}

/** Of the agents' voice in rooms, Hz: voices of other rates are resampled. */
const VOICE_RATE = 24_000;

/** A conversation that a runtime was given. */
export interface GivenConversation {
  plan: ConversationPlan;
  attempt: number;
  onHandedOver: ConversationParts["onHandedOver"];
  onOver: ConversationParts["onOver"];
}

/** What has been opened of a conversation before it begins. */
interface Opened {
  voice: VoicePlan;
  recognizer: ChosenRecognizer;
  records: LogWriter;
  past: readonly ConversationRecord[];
  recorder: Recorder;
  trace: TraceContext;
  log: Logger;
}

/**
 * Opens a conversation: takes its log, joins its room, and begins, or goes on where the log ends. Rejects where the
 * room or the log cannot be had, and then nothing is left open; with `ConversationGone` where it is not to be opened
 * any more. Rejects with `SpeechUnavailable` where nobody could recognize or speak in it: then its log says that it has
 * ended.
 */
export async function openConversation(runtime: ConversationContext, given: GivenConversation): Promise<Conversation> {
  const { plan, attempt } = given;
  const { bus, runtimeId } = runtime;
  const { sessionId } = plan;
  const log = runtime.log.child({ sessionId, attempt });
  let hasJoined = false;
  const [stored, speech] = await Promise.all([
    readLog(bus, sessionId).then((read) => {
      hasJoined = read.some(({ message }) => message.type === "caller-joined");
      return read;
    }),
    awaitSpeech(
      runtime.clock,
      () => speechOf(runtime, plan, log),
      () => hasJoined,
    ).catch((error: unknown) => {
      if (error instanceof SpeechUnavailable) return error;
      throw error;
    }),
  ]);
  // How long it was is what it costs: that is nothing that may change when somebody sets the clock.
  const epochMs = steadyTimeOfDay(runtime.clock, Math.max(runtime.epochMs(), stored.at(-1)?.message.atEpochMs ?? 0));
  const context = { ...runtime, epochMs };
  const { past, after } = await takeLog(bus, { sessionId, runtimeId, attempt, atEpochMs: epochMs() }, stored);
  const { tell, isOpen } = mailbox();
  const records = openRecords(context, plan, after, () => {
    log.warn("another runtime holds this conversation now");
    tell((conversation) => conversation.lose());
  });
  if (speech instanceof SpeechUnavailable) {
    records.write({ type: "ended", reason: "speech_unavailable", detail: speech.message });
    await records.settled();
    records.close();
    throw speech;
  }
  const recorder = openRecorder(plan, { ...context, log, attempt, voiceRate: VOICE_RATE });
  const joined = past.find(({ type }) => type === "caller-joined");
  if (joined !== undefined) recorder.begin(context.epochMs() - joined.atEpochMs);
  const opened = { ...speech, records, past, recorder, trace: joinTrace(undefined), log };
  const detection = openDetection(context.clock, plan, past, tell);
  const transcription = openTranscription(context, plan, opened, { tell, detection });
  const line = openLine({ ...{ plan, past, records, tell, clock: context.clock }, dial: (call) => context.dial(call) });
  let room: Room | null = null;
  const transfers = openTransfers({
    ...{ ...context, ...speech, voicePlan: speech.voice, trace: opened.trace, plan, past, records, attempt, log, tell },
    dial: (call) => context.dial(call),
    voice: () => roomOf(room).voice,
  });
  const predecessor = predecessorOf(past);
  const feed = new CallerFeed({
    ...{ clock: context.clock, isBehind: predecessor !== null },
    ...feedSinks(tell, { transcription, line, transfers, detection, log }),
  });
  const succession = new Succession({
    ...{ bus, clock: context.clock, log, sessionId, predecessor, feed },
    onCaughtUp: () => tell((conversation) => conversation.caughtUp()),
  });
  try {
    const caller = expectCaller(context.clock, () => {
      if (joined !== undefined) tell((conversation) => conversation.input({ type: "caller-left" }));
    });
    room = await context.openRoom({
      ...{ room: plan.room, attempt, hasCallerJoined: joined !== undefined, isPhoneCall: plan.call !== undefined, log },
      ...{ sampleRate: VOICE_RATE, earlierDone: succession.earlierDone },
      callbacks: roomCallbacks(tell, { feed, succession, recorder, caller, line, transfers, detection }),
    });
    const onOver: GivenConversation["onOver"] = (outcome) => {
      line.close();
      detection?.close();
      given.onOver(outcome);
    };
    const { conversation, begin } = assemble(
      context,
      { ...given, onOver },
      { ...opened, room, transcription, transfers, feed: handingOver(feed, { line, detection }) },
    );
    begin();
    isOpen(conversation);
    line.begin();
    void succession.begin();
    transfers.resume().catch((error: unknown) => log.warn({ err: error }, "a transfer could not be taken up"));
    return conversation;
  } catch (error) {
    line.close();
    detection?.close();
    transcription.close();
    records.close();
    await recorder.close({ isComplete: false });
    throw error;
  }
}

function roomOf(room: Room | null): Room {
  if (room === null) throw new Error("the conversation has no room yet");
  return room;
}

/** Throws `no_worker`, `unknown_language`, `dependency_unavailable`. */
async function speechOf(
  { speech, recognition, savedVoices, config }: ConversationContext,
  plan: ConversationPlan,
  log: Logger,
): Promise<{ voice: VoicePlan; recognizer: ChosenRecognizer }> {
  const language = plan.config.voice.speaking_language;
  const recognizer = chooseRecognizer(recognition.served("transcribe"), language, config);
  const onVoiceMissing = (): void => log.warn("the agent's voice is gone; the model's own speaks");
  return { recognizer, voice: await planVoice({ plan, speech, savedVoices, config, onVoiceMissing }) };
}

function openRecords(
  { bus, clock, epochMs }: ConversationContext,
  { sessionId }: ConversationPlan,
  after: number,
  onConflict: () => void,
): LogWriter {
  const subject = conversationSubject(sessionId);
  return new LogWriter({ log: bus.subjectLog(conversationStream), subject, after, clock, epochMs, onConflict });
}

function openTranscription(
  context: ConversationContext,
  plan: ConversationPlan,
  opened: Opened,
  { tell, detection }: { tell: Tell; detection: AnswererDetection | null },
): CallerTranscription {
  return transcribe({
    ...{ ...context, plan, recognizer: opened.recognizer, trace: opened.trace },
    onActivity(event) {
      tell((conversation) =>
        conversation.input(
          event.type === "speech-started"
            ? { type: "speech-started" }
            : { type: "speech-paused", lastVoicedMs: event.lastVoicedMs },
        ),
      );
      detection?.activity(event);
    },
    onPartial(text, isUnsure) {
      tell((conversation) => conversation.input({ type: "partial", text, isUnsure }));
      detection?.partial(text);
    },
    onTranscript(text, isUnsure) {
      tell((conversation) => conversation.input({ type: "transcript", text, isUnsure }));
      detection?.transcript(text);
    },
    onTranscribed: () => tell((conversation) => conversation.input({ type: "transcribed" })),
  });
}

/** Null where nobody finds out who answers, or an earlier runtime has listened to whoever did. */
function openDetection(
  clock: Clock,
  plan: ConversationPlan,
  past: readonly ConversationRecord[],
  tell: Tell,
): AnswererDetection | null {
  if (!detectsAnswerer(plan) || past.some(({ type }) => type === "caller-joined")) return null;
  const onFinding = (finding: AnswererFinding): void => tell((conversation) => conversation.input(finding));
  return new AnswererDetection({ clock, language: plan.config.voice.speaking_language, onFinding });
}

function assemble(
  context: ConversationContext,
  { plan, onHandedOver, onOver }: GivenConversation,
  {
    voice,
    records,
    past,
    recorder,
    trace,
    log,
    room,
    transcription,
    transfers,
    feed,
  }: Opened & { room: Room; transcription: CallerTranscription; transfers: Transfers; feed: ConversationParts["feed"] },
): { conversation: Conversation; begin: () => void } {
  const { bus, clock, config, outbound, sealer, speech, usage, metrics, runtimeId, epochMs } = context;
  const settings = dialogueSettingsOf(plan);
  const model = openLanguageModel({ plan, config, outbound, sealer, log });
  const beginning = { settings, nowMs: clock.nowMs(), responder: model.name };
  const isNew = !past.some(({ type }) => type === "caller-joined");
  const dialogue = isNew ? new Dialogue(beginning) : resumeDialogue(past, { ...beginning, nowEpochMs: epochMs() });
  const clientCalls = new ClientCalls((call) => room.sendEvent({ type: "client_tool.call", ...call }));
  const track = recorder.trackOf(room.voice);
  const conversation = new Conversation({
    ...{ dialogue, room, clock, log, records, recorder, transcription, model, clientCalls, metrics, transfers },
    ...{ feed, runtimeId, onHandedOver, onOver },
    prepareRequest: requestsOf(plan, createKnowledge({ bus, plan, log, clock }), context.countTokens),
    tools: openTools({
      ...{ plan, clock, outbound, sealer, log },
      callClient: (call) => clientCalls.call(call),
      transfer: (args, signal) => transfers.run(args, signal),
    }),
    sendsToolEvents: plan.sendsToolEvents,
    toolSourceOf: (name) => settings.tools.get(name)?.source ?? "unknown",
    openSpeech: (reply) =>
      new ReplySpeech({
        ...{ voice, speech, usage, clock },
        ...reply,
        track,
        payer: payerOf(plan),
        traceparent: formatTraceparent(trace),
        traceId: trace.traceId,
      }),
  });
  return { conversation, begin: () => conversation.begin(dialogue.takeActions()) };
}
