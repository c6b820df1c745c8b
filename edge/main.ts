import type { Heartbeat } from "#protocol/bus/membership";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { connectNats } from "#common/bus/nats";
import { noCache } from "#common/cache/cache";
import { connectRedis } from "#common/cache/redis";
import { systemClock as clock } from "#common/clock";
import { ConfigError } from "#common/config/config";
import { closeBodyDecoder } from "#common/http/body-decoder";
import { runRole } from "#common/lifecycle/role";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { createAuthenticate } from "./authentication/authenticator.js";
import { KeyVerifier } from "./authentication/key-verifier.js";
import { OverloadGate } from "./cluster/overload-gate.js";
import { type ClusterFacts, untilFirstReady } from "./cluster/readiness.js";
import { startServer } from "./http/server.js";
import { serverSettings, servesOnMs } from "./http/server-settings.js";
import { openTranscription } from "./transcription/open-transcription.js";
import { createEdgeMetrics } from "./metrics/edge-metrics.js";
import { edgeRoutes } from "./routes/edge-routes.js";
import { openSpeech } from "./speech/open-speech.js";
import { TeamSlots } from "./cluster/team-slots.js";
import { SubmissionClient } from "#submission/submission-client";
import { chooseModel } from "#speech/voice/model";
import { traceExchanges, traceSockets } from "./tracing/exchange-spans.js";
import { TraceTeams } from "./tracing/trace-teams.js";
import { UsageReporter } from "#common/usage/usage-reporter";

runRole("edge", async ({ config, log, metrics, tracing, id, epoch, state }) => {
  if (config.NATS_URL === null) throw new ConfigError("NATS_URL is needed by the edge");
  const bus = await connectNats({ url: config.NATS_URL, name: id, log });
  const cache = config.REDIS_URL === null ? noCache : connectRedis(config.REDIS_URL, log);
  const submissions = new SubmissionClient({ bus, clock, ownerId: id });
  const { members } = submissions.cluster;
  let openSockets = (): number => 0;
  const edgeMetrics = createEdgeMetrics(metrics, { openSockets: () => openSockets(), members, bus });
  const verifier = new KeyVerifier({ bus, cache, clock, epochMs: () => Date.now(), onVerdict: edgeMetrics.keyVerdict });
  const facts = (): ClusterFacts => ({
    members,
    busConnected: bus.isConnected(),
    draining: state() === "draining",
    defaultModels: chooseModel(undefined, config).folders,
  });
  const { note, teamOf } = new TraceTeams();
  const shared = {
    ...{ bus, config, clock, log, tracing },
    authenticate: createAuthenticate(verifier, note),
    watchKey: verifier.watch.bind(verifier),
    usage: new UsageReporter({ bus, clock, log, owner: { id, epoch } }),
    teamSlots: new TeamSlots(config.PARLEY_STREAMS_PER_TEAM),
    overload: new OverloadGate(clock),
  };
  const transcription = openTranscription({ ...shared, submissions, metrics });
  const speech = openSpeech({ ...shared, submissions, metrics });
  const routes = edgeRoutes(speech.context, transcription.context, { id, facts, metrics });
  const server = await startServer({
    ...serverSettings(shared),
    ...routes,
    sockets: traceSockets(routes.sockets, tracing, teamOf),
    observer: traceExchanges(edgeMetrics.exchanges, tracing, teamOf),
  });
  openSockets = server.openSockets;
  const describe = (): Heartbeat => ({ type: "heartbeat", role: "edge", id, epoch, state: state() });
  const heartbeats = sendHeartbeats({ bus, clock, describe });
  return {
    reasonsNotReady: untilFirstReady(facts),
    facts: { port: server.port, url: server.url },
    drain: async (deadlineMs) => {
      heartbeats.say();
      await server.drain(servesOnMs(deadlineMs));
    },
    stop: async () => {
      for (const part of [server, submissions, verifier, transcription]) part.close();
      heartbeats.say();
      heartbeats.stop();
      cache.close();
      await shared.usage.close();
      await Promise.all([speech.close(), closeBodyDecoder(), closeDecoderThreads(), bus.close()]);
    },
  };
});
