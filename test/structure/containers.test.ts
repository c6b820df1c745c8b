import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { declaration } from "#common/config/config";
import type { Role } from "#protocol/bus/membership";
import { LIVEKIT_VERSION } from "#launcher/livekit/build";
import { processEnvironment } from "#launcher/process-environment";
import { roleFolders } from "#launcher/role-process";
import { NATS_MAX_PAYLOAD_BYTES } from "#launcher/servers";
import { isTest, readSources, rooms, root } from "./sources.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");
const instructions = dockerfile
  .split("\n")
  .filter((line) => !/^\s*#/.test(line))
  .join("\n")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "");
const instructionsOf = (name: string): string[] =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

/** Compiled entry points named anywhere in a text, as the source files that they come from. */
const entryPoints = (text: string): string[] =>
  [...text.matchAll(/dist\/([\w-]+\/[\w-]+)\.js/g)].map((match) => `${match[1]}.ts`);
/** The sources of ours that an image's build step compiles, with all that they import. */
const filesOfImages = (): string[] =>
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json", "--listFilesOnly"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && !path.includes("node_modules"))
    .map((path) => relative(root, path));
/** The role whose entry point `dist/<folder>/main.js` is. */
const roleOf = (script: string): Role =>
  (Object.keys(roleFolders) as Role[]).find((role) => script === `dist/${roleFolders[role]}/main.js`) ?? "edge";
const isSetting = (name: string): boolean => name.replace(/_FILE$/, "") in declaration;

describe("Dockerfile", () => {
  const stages = instructionsOf("FROM").map((line) => /^(\S+) AS (\S+)$/.exec(line)?.slice(1) ?? []);

  it("has the targets cpu and gpu, from pinned images or earlier stages", () => {
    const names = stages.map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(["cpu", "gpu"]));
    for (const [image = ""] of stages) if (!names.includes(image)) expect(image).toMatch(/^[\w/.-]+:\d+\.\d+[\w.-]*$/);
  });

  it("copies only what exists, and what .dockerignore lets through", () => {
    const ignored = read(".dockerignore").trim().split("\n");
    for (const line of instructionsOf("COPY")) {
      const words = line.split(/\s+/);
      if (words[0]?.startsWith("--from=")) {
        expect(stages.map(([, name]) => name)).toContain(words[0].slice("--from=".length));
        continue;
      }
      for (const source of words.slice(0, -1)) {
        expect(existsSync(join(root, source)), source).toBe(true);
        expect(ignored).not.toContain(source);
      }
    }
  });

  it("builds every room of the product, and every entry point that it names", () => {
    const copied = instructionsOf("COPY").map((line) => line.split(/\s+/)[0]);
    for (const room of rooms.filter((name) => name !== "test" && name !== "bench")) expect(copied).toContain(room);
    expect(instructions.join("\n")).toContain(
      "RUN npx tsc -p tsconfig.build.json   && npx vite build --config web/vite.config.mjs ",
    );
    const compiled = filesOfImages();
    for (const file of entryPoints(dockerfile)) expect(compiled).toContain(file);
  });

  it("compiles everything that it runs, and no test", () => {
    const compiled = filesOfImages();
    // The console is bundled instead, by the same step.
    const runs = readSources().filter((source) => !isTest(source) && source.room !== "web");
    expect(runs.map(({ path }) => path).filter((path) => !compiled.includes(path))).toEqual([]);
    expect(compiled.filter((path) => /\.test\.ts$|\/testing\/|^(test|bench)\//.test(path))).toEqual([]);
  });

  it("sets declared settings only, and exposes the port that it sets", () => {
    for (const line of instructionsOf("ENV")) {
      const pairs = Object.fromEntries(line.split(" ").map((pair) => pair.split("=") as [string, string]));
      for (const [name, value] of Object.entries(pairs)) {
        if (name === "NODE_ENV") continue;
        expect(isSetting(name), name).toBe(true);
        expect(() =>
          (declaration as Record<string, { read: (text: string) => unknown }>)[name]?.read(value),
        ).not.toThrow();
      }
      expect(instructionsOf("EXPOSE")).toContain(pairs.PORT);
    }
    expect(instructionsOf("ENV")).toHaveLength(2);
  });

  it("does not run as root", () => {
    expect(instructionsOf("USER")).toEqual(["parley", "parley"]);
  });

  it("says what each image is and whether it is well, and of the one with CUDA which CUDA that is", () => {
    const labels = instructionsOf("LABEL");
    expect(labels).toHaveLength(2);
    for (const line of labels)
      for (const name of ["title", "description", "licenses", "version"])
        expect(line).toContain(`org.opencontainers.image.${name}="`);
    expect(instructionsOf("HEALTHCHECK")).toHaveLength(2);
    const cuda = /^FROM nvidia\/cuda:([\d.]+)-cudnn/m.exec(dockerfile)?.[1];
    expect(labels.filter((line) => line.includes(`dev.parley.cuda="${cuda}"`))).toHaveLength(1);
  });

  it("uses a Node.js that package.json allows and uWebSockets.js has a binary for", () => {
    const version = /^node:(\d+)\.(\d+)/.exec(stages[0]?.[0] ?? "");
    expect(version?.[1]).toBe("20");
    expect(Number(version?.[2])).toBeGreaterThanOrEqual(19);
    expect(existsSync(join(root, "node_modules/uWebSockets.js/dist/bin", "uws_linux_x64_115.node"))).toBe(true);
  });

  it("asks onnxruntime's install script for a provider that it knows", () => {
    const require = createRequire(import.meta.url);
    const [, provider = "", script = ""] = /ONNXRUNTIME_NODE_INSTALL=(cuda\w+) node (\S+)/.exec(dockerfile) ?? [];
    expect(existsSync(join(root, script))).toBe(true);
    const metadata = require(join(root, script, "../install-metadata.js")) as {
      requirements: Record<string, string[]>;
    };
    expect(metadata.requirements["linux/x64"]).toContain(provider);
    expect(read(script)).toContain("ONNXRUNTIME_NODE_INSTALL");
  });
});

interface Service {
  image: string;
  build?: { target: string };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, unknown>;
  volumes?: string[];
  healthcheck?: unknown;
  profiles?: string[];
}

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    configs: { livekit: { content: string }; "livekit-sip": { content: string }; nats: { content: string } };
  };
  const roles = Object.entries(compose.services).filter(([, service]) => service.build !== undefined);

  it("has every role and every store", () => {
    const expected = [
      "agent",
      "clickhouse",
      "control-plane",
      "edge",
      "livekit",
      "livekit-sip",
      "nats",
      "postgres",
      "redis",
      "scheduler",
      "worker",
      "worker-gpu",
    ];
    expect(Object.keys(compose.services).sort()).toEqual(expected);
  });

  it.each(
    roles,
  )("runs %s from a compiled entry point, in a stage that exists, with declared settings", (_, service) => {
    const [program, script = ""] = service.command ?? [];
    expect(program).toBe("node");
    for (const file of entryPoints(script)) expect(existsSync(join(root, file)), file).toBe(true);
    expect(entryPoints(script)).toHaveLength(1);
    expect(dockerfile).toContain(` AS ${service.build?.target}\n`);
    const others = Object.entries(service.environment ?? {}).filter(([name]) => !isSetting(name));
    // The image has production for all roles.
    const { NODE_ENV: _env, ...wanted } = processEnvironment(roleOf(script));
    expect(Object.fromEntries(others)).toEqual(wanted);
    for (const dependency of Object.keys(service.depends_on ?? {}))
      expect(compose.services[dependency]?.healthcheck).toBeDefined();
  });

  it("points the roles at the services by their names", () => {
    for (const [, service] of roles) {
      for (const name of ["NATS_URL", "REDIS_URL", "DATABASE_URL"]) {
        const url = new URL((service.environment?.[name] ?? "").replace(/\$\{\w+:-(\w+)\}/g, "$1"));
        expect(Object.keys(compose.services)).toContain(url.hostname);
      }
    }
  });

  it("publishes the port that the edge listens on, to this machine only", () => {
    const { edge } = compose.services;
    expect(edge?.ports).toEqual([`127.0.0.1:8080:${edge?.environment?.PORT}`]);
  });

  it("pins the images of the stores, checks their health, and declares their volumes", () => {
    for (const [name, service] of Object.entries(compose.services).filter(
      ([, candidate]) => candidate.build === undefined,
    )) {
      expect(service.image, name).toMatch(/:v?\d+\.\d+[\w.-]*$/);
      expect(service.healthcheck, name).toBeDefined();
      for (const volume of service.volumes ?? []) expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0]);
    }
  });

  it("runs the LiveKit that the launcher builds, with the key that the roles have and the ports that are published", () => {
    const { livekit, edge } = compose.services;
    expect(livekit?.image).toBe(`livekit/livekit-server:v${LIVEKIT_VERSION}`);
    const settings = parse(compose.configs.livekit.content) as {
      port: number;
      rtc: { tcp_port: number; udp_port: number };
      keys: Record<string, string>;
    };
    const { port, rtc, keys } = settings;
    expect(livekit?.ports).toEqual(
      [`${port}:${port}`, `${rtc.tcp_port}:${rtc.tcp_port}`, `${rtc.udp_port}:${rtc.udp_port}/udp`].map(
        (ports) => `\${LIVEKIT_LISTEN:-127.0.0.1}:${ports}`,
      ),
    );
    const { LIVEKIT_URL = "", LIVEKIT_API_KEY = "", LIVEKIT_API_SECRET = "" } = edge?.environment ?? {};
    expect(LIVEKIT_URL).toBe(`ws://livekit:${port}`);
    expect(Object.keys(keys)).toEqual([LIVEKIT_API_KEY]);
    const variable = /\$\{(\w+):/;
    expect(variable.exec(keys[LIVEKIT_API_KEY] ?? "")?.[1]).toBe(variable.exec(LIVEKIT_API_SECRET)?.[1]);
  });

  it("runs LiveKit SIP where phones are wanted, beside LiveKit on one Redis, with the ports that are published", () => {
    const { "livekit-sip": sip, livekit, edge } = compose.services;
    const settings = z
      .object({
        redis: z.object({ address: z.string() }),
        api_key: z.string(),
        api_secret: z.string(),
        ws_url: z.string(),
      })
      .extend({ sip_port: z.number(), rtp_port: z.string(), nat_1_to_1_ip: z.string(), health_port: z.number() })
      .extend({ logging: z.object({ level: z.string(), json: z.boolean() }) })
      .strict()
      .parse(parse(compose.configs["livekit-sip"].content));
    expect(sip).toMatchObject({ profiles: ["phone"], image: expect.stringMatching(/^livekit\/sip:v\d+\.\d+\.\d+$/) });
    const values = z.looseObject({
      livekit: z.looseObject({ sip: z.looseObject({ image: z.looseObject({ tag: z.string() }) }) }),
    });
    const { tag } = values.parse(parse(read("helm/parley/values.yaml"))).livekit.sip.image;
    expect(sip?.image).toBe(`livekit/sip:${tag}`);
    const { redis } = z
      .looseObject({ redis: z.object({ address: z.string() }) })
      .parse(parse(compose.configs.livekit.content));
    expect(settings.redis).toEqual(redis);
    expect(livekit?.depends_on).toEqual({ redis: { condition: "service_healthy" } });
    expect([settings.ws_url, settings.api_key]).toEqual([
      edge?.environment?.LIVEKIT_URL,
      edge?.environment?.LIVEKIT_API_KEY,
    ]);
    expect(sip?.ports).toEqual(
      [`${settings.sip_port}:${settings.sip_port}/udp`, `${settings.sip_port}:${settings.sip_port}`]
        .concat(`${settings.rtp_port}:${settings.rtp_port}/udp`)
        .map((ports) => `\${LIVEKIT_LISTEN:-127.0.0.1}:${ports}`),
    );
  });

  it("gives NATS the limits that the launcher gives it", () => {
    expect(compose.configs.nats.content).toContain(`max_payload: ${NATS_MAX_PAYLOAD_BYTES}\n`);
    expect(compose.configs.nats.content).toContain("jetstream");
  });
});
