import { closeDecoderThreads } from "#common/audio/decoding/decoder-pool";
import { connectNats } from "#common/bus/nats";
import { noCache } from "#common/cache/cache";
import { connectRedis } from "#common/cache/redis";
import { systemClock as clock } from "#common/clock";
import { ConfigError } from "#common/config/config";
import { closeBodyDecoder } from "#common/http/body-decoder";
import { runRole } from "#common/lifecycle/role";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { createAuthenticate, type WatchKey } from "./authentication/authenticator.js";
import { KeyVerifier } from "./authentication/key-verifier.js";
import { OverloadGate } from "./cluster/overload-gate.js";
import type { ClusterFacts } from "./cluster/readiness.js";
import { forwardedRoutes } from "./forwarding/forwarder.js";
import { clientAddressBehind } from "./http/client-address.js";
import { startServer } from "./http/server.js";
import { openListening } from "./listening/open-listening.js";
import { createEdgeMetrics } from "./metrics/edge-metrics.js";
import { interfaceRoutes } from "./routes/interface-routes.js";
import { operatorRoutes } from "./routes/operator/operator-routes.js";
import { pageRoutes } from "./routes/pages/page-routes.js";
import { openSpeech } from "./speech/open-speech.js";
import { TeamSlots } from "./speech/session/team-slots.js";
import { SpeechBus } from "./speech/speech-bus.js";
import { chooseModel } from "./speech/voice/model.js";
import { traceExchanges, traceSockets } from "./tracing/exchange-spans.js";
import { UsageReporter } from "./usage/usage-reporter.js";

runRole("edge", async ({ config, log, metrics, tracing, id, epoch, state }) => {
  if (config.NATS_URL === null) throw new ConfigError("NATS_URL is needed by the edge");
  const bus = await connectNats({ url: config.NATS_URL, name: id, log });
  const cache = config.REDIS_URL === null ? noCache : connectRedis(config.REDIS_URL, log);
  const speech = new SpeechBus({ bus, clock, edgeId: id });
  let openSockets = (): number => 0;
  const edgeMetrics = createEdgeMetrics(metrics, { openSockets: () => openSockets(), members: speech.members, bus });
  const verifier = new KeyVerifier({ bus, cache, clock, epochMs: () => Date.now(), onVerdict: edgeMetrics.keyVerdict });
  const authenticate = createAuthenticate(verifier);
  const defaultModels = chooseModel(undefined, config).folders;
  const facts = (): ClusterFacts => ({ members: speech.members, busConnected: bus.isConnected(), draining: state() === "draining", defaultModels });
  const watchKey: WatchKey = (principal, until, onRefused) => verifier.watch(principal, until, onRefused);
  const usage = new UsageReporter({ bus, clock, log, owner: { id, epoch } });
  const shared = {
    authenticate, watchKey, bus, config, clock, log, tracing, usage,
    teamSlots: new TeamSlots(config.PARLEY_STREAMS_PER_TEAM), overload: new OverloadGate(clock),
  };
  const listening = openListening({ ...shared, cluster: speech.cluster, edgeId: id, metrics });
  const speaking = openSpeech({ ...shared, speech, metrics });
  const own = interfaceRoutes(speaking.context, listening.context);
  const server = await startServer({
    host: config.HOST, port: config.PORT, clientAddress: clientAddressBehind(config.PARLEY_TRUSTED_PROXIES), clock, log,
    routes: [...own.http, ...forwardedRoutes({ bus, authenticate, log }), ...operatorRoutes({ id, facts, metrics, config }), ...pageRoutes()],
    sockets: traceSockets(own.sockets, tracing),
    refusals: own.refusals, cors: { allowedOrigins: config.PARLEY_CORS_ALLOWED_ORIGINS },
    observer: traceExchanges(edgeMetrics.exchanges, tracing), nowMs: () => clock.nowMs(),
    stallMs: config.PARLEY_STALL_MS, idleMs: config.PARLEY_IDLE_SECONDS * 1000,
  });
  openSockets = server.openSockets;
  const heartbeats = sendHeartbeats({ bus, clock, describe: () => ({ type: "heartbeat", role: "edge", id, epoch, state: state() }) });
  return {
    facts: { port: server.port, url: server.url },
    drain: async () => {
      heartbeats.say();
      await server.drain();
    },
    stop: async () => {
      server.close();
      speech.close();
      verifier.close();
      heartbeats.say();
      heartbeats.stop();
      cache.close();
      await usage.close();
      await Promise.all([speaking.close(), closeBodyDecoder(), closeDecoderThreads(), listening.close(), bus.close()]);
    },
  };
});
