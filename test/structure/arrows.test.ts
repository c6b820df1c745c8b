import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTest, readSources, type Room, root, type Source } from "./sources.js";

const sources = readSources();
const byPath = new Map(sources.map((source) => [source.path, source]));
const product = sources.filter((source) => !isTest(source));

const shared: readonly Room[] = ["protocol", "common", "audio", "submission", "speech", "transcription"];
const roles: readonly Room[] = ["edge", "scheduler", "workers", "control-plane", "agents"];

/** Who may import whom, besides themselves. */
const arrows: Readonly<Record<Room, readonly Room[]>> = {
  protocol: [],
  common: ["protocol"],
  audio: ["protocol", "common"],
  submission: ["protocol", "common"],
  speech: ["protocol", "common", "audio", "submission"],
  transcription: ["protocol", "common", "audio", "submission"],
  edge: shared,
  scheduler: ["protocol", "common"],
  workers: ["protocol", "common", "audio"],
  tools: ["protocol", "common"],
  "control-plane": [...shared, "tools"],
  agents: [...shared, "tools"],
  launcher: ["protocol", "common"],
  cli: ["protocol", "common", "transcription", "launcher"],
  web: ["protocol"],
  test: [...shared, "tools", ...roles, "launcher", "cli"],
  bench: [...shared, "tools", ...roles, "launcher", "cli", "test"],
};

/** What the tests of a room may import besides: what they hold its results against. */
const testArrows: Readonly<Partial<Record<Room, readonly Room[]>>> = { workers: ["transcription"] };

/**
 * Packages that bring an engine of their own: one file of the product (tests aside) knows each; `folder` where there is
 * reason for several, `files` where two rooms that do not know each other need it.
 */
const engines: Readonly<Record<string, { folder?: string; files?: readonly string[] }>> = {
  "uWebSockets.js": {},
  "onnxruntime-node": {},
  "@nats-io/transport-node": {},
  "@nats-io/jetstream": { folder: "common/bus/" },
  "@nats-io/obj": {},
  "@echogarden/espeak-ng-emscripten": {},
  "@electric-sql/pglite": { folder: "control-plane/database/" },
  "drizzle-orm": { folder: "control-plane/" },
  ioredis: {},
  aws4fetch: {},
  // A runtime joins a room as its agent, a terminal as its caller: neither room may import the other.
  "@livekit/rtc-node": { files: ["agents/room/livekit-room.ts", "cli/talk/caller-room.ts"] },
  "@livekit/rtc-ffi-bindings": {},
  // Rooms, and phone lines: two services of one server.
  "livekit-server-sdk": { folder: "common/livekit/" },
  "libopus-wasm": { folder: "audio/" },
  "mpg123-decoder": {},
  "@wasm-audio-decoders/flac": {},
  "@wasm-audio-decoders/ogg-vorbis": {},
  "wasm-media-encoders": {},
  "@msgpack/msgpack": {},
  "@fastify/busboy": {},
  pg: {},
  pino: {},
  "@clickhouse/client": {},
  "@opentelemetry/api": {},
  "@opentelemetry/sdk-trace-node": {},
  "@opentelemetry/exporter-trace-otlp-grpc": {},
  "@opentelemetry/resources": {},
  "prom-client": {},
  "tar-stream": { folder: "cli/" },
  openai: {},
  undici: { folder: "common/outbound/" },
  twilio: {},
  yauzl: {},
  "ipaddr.js": {},
  "livekit-client": {},
  react: { folder: "web/" },
  "react-dom": {},
  "react-aria-components": { folder: "web/" },
  "@tanstack/react-query": { folder: "web/" },
  "@tanstack/react-router": { folder: "web/" },
};

/**
 * The folders of a room, from the bottom up: each imports only folders that stand before it. Tests, and what only they
 * use, are free.
 */
const folders: Readonly<Partial<Record<Room, readonly string[]>>> = {
  edge: [
    "http",
    "memory",
    "samples",
    "cluster",
    "authentication",
    "metrics",
    "tracing",
    "forwarding",
    "speech",
    "transcription",
    "compat",
    "openapi",
    "pages",
    "routes",
    "main.ts",
  ],
  workers: ["repository", "text", "recognition", "telemetry", "engines", "inspection", "work", "main.ts"],
};

/** The only readers of the environment; the last three write what uWebSockets.js, onnxruntime and LiveKit read from it. */
const environmentReaders = [
  ...["common/config/", "common/lifecycle/role.ts", "cli/main.ts"],
  ...["edge/http/header-limit.ts", "workers/engines/onnx/no-telemetry.ts", "common/livekit/library-logs.ts"],
];

interface LinterSettings {
  linter: { rules: Partial<Record<string, Record<string, unknown>>> };
  overrides: { includes: string[] }[];
}

describe("the map of the rooms", () => {
  it("finds the sources, and every import leads to one", () => {
    expect(sources.length).toBeGreaterThan(60);
    const lost = sources.flatMap((source) =>
      source.imports.files.filter((file) => !existsSync(join(root, file))).map((file) => `${source.path} → ${file}`),
    );
    expect(lost).toEqual([]);
  });

  it("has imports along the arrows only", () => {
    const wrong = sources.flatMap((source) => {
      const ofTests = source.path.endsWith(".test.ts") ? (testArrows[source.room] ?? []) : [];
      const allowed = [...arrows[source.room], ...ofTests];
      return source.imports.files
        .filter((file) => roomOf(file) !== source.room && !allowed.some((room) => room === roomOf(file)))
        .map((file) => `${source.path} → ${file}`);
    });
    expect(wrong).toEqual([]);
  });

  it("has no import cycle, types included", () => {
    expect(findCycles(sources)).toEqual([]);
  });

  it("would notice a cycle", () => {
    const file = (path: string, ...files: string[]): Source => ({
      path,
      room: "common",
      text: "",
      lines: 0,
      imports: { files, packages: [] },
    });
    expect(findCycles([file("a", "b"), file("b", "c", "d"), file("c", "a"), file("d")])).toEqual([["a", "b", "c"]]);
  });

  it.each(Object.entries(engines))("keeps %s in one place", (engine, { folder, files }) => {
    const users = product.filter((source) => source.imports.packages.includes(engine)).map((source) => source.path);
    if (files !== undefined) expect(users.sort()).toEqual([...files]);
    else if (folder === undefined) expect(users.length, users.join(", ")).toBeLessThanOrEqual(1);
    else expect(users.filter((path) => !path.startsWith(folder))).toEqual([]);
  });

  it.each(Object.entries(folders))("has imports downwards only between the folders of the %s", (room, order) => {
    const rankOf = (path: string): number => order.indexOf(path.split("/")[1] ?? "");
    const files = product.filter((source) => source.room === room && !source.path.includes("/testing/"));
    expect(files.filter(({ path }) => rankOf(path) < 0).map(({ path }) => path)).toEqual([]);
    const upwards = files.flatMap(({ path, imports }) =>
      imports.files
        .filter((file) => roomOf(file) === room && rankOf(file) > rankOf(path))
        .map((file) => `${path} → ${file}`),
    );
    expect(upwards).toEqual([]);
  });

  it("decodes what strangers send in the edge alone", () => {
    const decoding = (room: Room): string[] =>
      reachableFrom(`${room}/main.ts`).filter((path) => path.startsWith("audio/decoding/"));
    expect(decoding("edge")).not.toEqual([]);
    expect([decoding("control-plane"), decoding("scheduler"), decoding("workers")]).toEqual([[], [], []]);
  });

  it("is what docs/architecture.md says", () => {
    const rows = [
      ...readFileSync(join(root, "docs/architecture.md"), "utf8").matchAll(
        /^\| (`[\w-]+\/`(?:, `[\w-]+\/`)*) \|.*\| (.*) \|$/gm,
      ),
    ];
    const namesIn = (cell: string): string[] => [...cell.matchAll(/`([\w-]+)\/?`/g)].map(([, name = ""]) => name);
    const written = rows.flatMap(([, names = "", cell = ""]) => namesIn(names).map((name) => [name, cell] as const));
    expect(written.map(([name]) => name).sort()).toEqual(Object.keys(arrows).sort());
    for (const [name, cell] of written) {
      if (cell.startsWith("everything")) continue;
      expect([name, namesIn(cell).sort()]).toEqual([name, [...arrows[name as Room]].sort()]);
    }
  });

  it("reads the environment in the configuration only", () => {
    const readers = product.filter((source) => /\bprocess\.env\b/.test(source.text)).map((source) => source.path);
    expect(readers.filter((path) => !environmentReaders.some((allowed) => path.startsWith(allowed)))).toEqual([]);
  });
});

describe("the size of things", () => {
  it("keeps the median file below 130 lines and every file below 400", () => {
    const long = product.filter((source) => source.lines > 400).map((source) => `${source.path}: ${source.lines}`);
    expect(long).toEqual([]);
    const sizes = product.map((source) => source.lines).sort((a, b) => a - b);
    expect(sizes[sizes.length >> 1]).toBeLessThan(130);
  });

  it("keeps functions below 80 lines, by a rule of the linter that leaves out tests alone", () => {
    const rule = "noExcessiveLinesPerFunction";
    const options = ["lint", `--only=complexity/${rule}`, "--reporter=github", "--max-diagnostics=none"];
    const run = spawnSync(join(root, "node_modules/.bin/biome"), options, { cwd: root, encoding: "utf8" });
    expect(run.stdout).toContain("edge/http/uws.test.ts");
    expect(run.stdout.match(/^::error.*$/gm) ?? []).toEqual([]);
    const { linter, overrides } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8")) as LinterSettings;
    expect(linter.rules.complexity?.[rule]).toEqual({ level: "error", options: { maxLines: 80 } });
    const loosened = overrides.filter((override) => JSON.stringify(override).includes(rule));
    expect(loosened.map(({ includes }) => includes)).toEqual([
      ["test/**", "bench/**", "**/*.test.ts", "**/testing/**"],
    ]);
  });

  it("keeps every room's main.ts to wiring: 80 lines", () => {
    const mains = product.filter((source) => source.path === `${source.room}/main.ts`);
    expect(mains.filter((source) => source.lines > 80).map((source) => `${source.path}: ${source.lines}`)).toEqual([]);
  });

  it("leaves no word of unfinished work", () => {
    const marks = /\b(TODO|FIXME|XXX|HACK)\b/;
    const found = sources
      .filter((source) => marks.test(source.text) && source.path !== "test/structure/arrows.test.ts")
      .map((source) => source.path);
    expect(found).toEqual([]);
  });
});

function roomOf(path: string): Room | undefined {
  return byPath.get(path)?.room ?? (path.split("/")[0] as Room);
}

/** A file, and all that it imports, directly or not. */
function reachableFrom(path: string): string[] {
  const reached = new Set([path]);
  for (const file of reached) for (const next of byPath.get(file)?.imports.files ?? []) reached.add(next);
  return [...reached];
}

/**
 * Every set of files that import each other in a ring (strongly connected components, Tarjan 1972), in the order of the
 * ring.
 */
function findCycles(files: readonly Source[]): string[][] {
  const edges = new Map(files.map((file) => [file.path, file.imports.files]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path) ?? 0);
    stack.push(path);
    for (const next of edges.get(path) ?? []) {
      if (!edges.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(path) !== index.get(path)) return;
    const ring = stack.splice(stack.indexOf(path));
    if (ring.length > 1 || edges.get(path)?.includes(path) === true) cycles.push(ring);
  };
  for (const { path } of files) if (!index.has(path)) visit(path);
  return cycles;
}
