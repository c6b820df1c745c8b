import type { Heartbeat } from "#protocol/bus/membership";
import { warmOpusPackets } from "#audio/encoding/opus-packets";
import { connectNats } from "#common/bus/nats";
import { systemClock as clock } from "#common/clock";
import { ConfigError } from "#common/config/config";
import { unlessConnected } from "#common/lifecycle/probes";
import { runRole } from "#common/lifecycle/role";
import { openDialer, openReferrer } from "#common/livekit/livekit-dialer";
import { openLiveKitServer } from "#common/livekit/livekit-server";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { createOutbound } from "#common/outbound/outbound";
import { openSealer } from "#common/secrets/secret-key";
import { openTokenCounter } from "#common/text/token-count";
import { UsageReporter } from "#common/usage/usage-reporter";
import { SpeechClient } from "#speech/speech-client";
import { SavedVoices } from "#speech/voice/saved-voices";
import { SubmissionClient } from "#submission/submission-client";
import { openRecognitionClient } from "#transcription/recognition/open-client";
import { createConversationMetrics } from "./conversation/conversation-metrics.js";
import { type ConversationContext, openConversation } from "./conversation/open-conversation.js";
import { startRunners } from "./leased-runs/start-runners.js";
import { createRecordingMetrics } from "./recording/recording-metrics.js";
import { watchMemory } from "./memory-limit.js";
import { liveKitAccess } from "./room/livekit-access.js";
import { isDroppedHandle } from "./room/livekit-room.js";
import { openRoom } from "./room/open-room.js";
import { Runtime } from "./runtime.js";

type OpenedRoom = Parameters<ConversationContext["openRoom"]>[0];

const start: Parameters<typeof runRole>[1] = async ({ config, log, metrics, id, epoch, state, retire }) => {
  if (config.NATS_URL === null) throw new ConfigError("NATS_URL is needed by the agents");
  const access = liveKitAccess(config);
  // They take a second to load: not while a caller waits for the first reply.
  const [countTokens] = await Promise.all([openTokenCounter(), warmOpusPackets()]);
  const bus = await connectNats({ url: config.NATS_URL, name: id, log });
  const submissions = new SubmissionClient({ bus, clock, ownerId: id });
  const [speech, recognition] = [new SpeechClient(submissions), openRecognitionClient(submissions)];
  const rooms = openLiveKitServer(access);
  const usage = new UsageReporter({ bus, clock, log, owner: { id, epoch } });
  const conversationMetrics = createConversationMetrics(metrics, () => runtime.sessions.length);
  metrics.gauge("parley_bus_connected", () => (bus.isConnected() ? 1 : 0));
  const context: ConversationContext = {
    ...{ bus, clock, log, config, speech, recognition, usage, countTokens, runtimeId: id },
    outbound: createOutbound({ allow: config.PARLEY_OUTBOUND_ALLOW, log }),
    sealer: openSealer({ secretKey: config.PARLEY_SECRET_KEY, dataDirectory: config.PARLEY_DATA_DIR }),
    ...{ dial: openDialer(access), refer: openReferrer(access), epochMs: () => Date.now() },
    ...{ deleteRoom: (name) => rooms.deleteRoom(name), savedVoices: new SavedVoices(bus, clock) },
    ...{ metrics: conversationMetrics, recordingMetrics: createRecordingMetrics(metrics) },
    openRoom: (given: OpenedRoom) => openRoom({ ...access, ...given, clock }),
  };
  const runtime: Runtime = new Runtime({
    ...{ bus, clock, log },
    runtimeId: id,
    places: config.PARLEY_CONVERSATIONS,
    open: (given) => openConversation(context, given),
    metrics: conversationMetrics,
    onChange: () => heartbeats.say(),
  });
  const runners = startRunners(context, metrics);
  const describe = (): Heartbeat => {
    const { places, sessions } = runtime;
    return { type: "heartbeat", role: "agent", id, epoch, state: state(), places, sessions };
  };
  const heartbeats = sendHeartbeats({ bus, clock, describe });
  const memory = watchMemory({ clock, limitMb: config.PARLEY_AGENT_MEMORY_MB, runtime, retire });
  return {
    reasonsNotReady: unlessConnected(bus),
    drain: async () => void (await Promise.all([runners.drain(), runtime.drain()])),
    async stop() {
      for (const part of [memory, runtime, runners, submissions, speech, recognition]) part.close();
      heartbeats.say();
      heartbeats.stop();
      await usage.close();
      await bus.close();
    },
  };
};

runRole("agent", start, { isHarmless: isDroppedHandle });
