import { pino } from "pino";
import { systemClock } from "#common/clock";
import { clientAddressBehind } from "#edge/http/client-address";
import { Dispatcher } from "#edge/http/dispatcher";
import type { Listener, ListenOptions } from "#edge/http/uws";
import { FRAME_MS, monotonicMs, type ServerQuestion, type ServerReady, type ServerUse } from "./messages.js";
import { play, routes, sockets } from "./routes.js";

// One engine with the edge's dispatcher behind it, a process of its own; its first argument is the engine's name.

const log = pino({ level: "error" });

async function start(engine: string): Promise<Listener> {
  const dispatcher = new Dispatcher({
    routes,
    sockets,
    cors: { allowedOrigins: [] },
    log,
    observer: { began: () => undefined, ended: () => undefined },
    clock: systemClock,
  });
  const options: ListenOptions = {
    host: "127.0.0.1",
    port: 0,
    clientAddress: clientAddressBehind([]),
    answer: (request, responder) => dispatcher.answer(request, responder),
    sockets,
    refuse: (request, responder, error) => dispatcher.refuse(request, responder, error),
    refuseUpgrade: (request, responder, path, error) => dispatcher.refuseUpgrade(request, responder, path, error),
    clock: systemClock,
    log,
    stallMs: 30_000,
    idleMs: 600_000,
  };
  // Only the one that is measured is loaded.
  const { listen } = await (engine === "uWebSockets.js" ? import("#edge/http/uws") : import("./node/listen.js"));
  return await listen(options);
}

async function use({ isCollected, pace }: ServerQuestion, listener: Listener): Promise<ServerUse> {
  if (pace !== undefined) await playNowhere(pace);
  // Weak references and finalizers need a second time.
  if (isCollected === true) for (let time = 0; time < 3; time++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    processorMs: (user + system) / 1000,
    residentBytes: rss,
    heapBytes: heapUsed + external,
    openSockets: listener.openSockets(),
  };
}

/** What streams cost without an engine: timers, and the frames' memory. */
async function playNowhere({ streams, frames }: { streams: number; frames: number }): Promise<void> {
  const nowhere = { send: () => true, writable: () => Promise.resolve(), closed: new AbortController().signal };
  const beginMs = monotonicMs();
  const all = Array.from({ length: streams }, (_, index) => beginMs + (index / streams) * FRAME_MS);
  await Promise.all(all.map((startMs) => play(nowhere, { frames, startMs })));
}

start(process.argv[2] ?? "").then(
  (listener) => {
    process.on("message", (question: ServerQuestion) => {
      void use(question, listener).then((used) => process.send?.(used));
    });
    process.send?.({ port: listener.port } satisfies ServerReady);
  },
  (error: unknown) => {
    log.fatal({ err: error }, "the server did not start");
    process.exit(1);
  },
);
process.on("disconnect", () => process.exit(0));
