import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { declaration, loadConfig } from "#common/config/config";
import { Semaphore } from "#common/semaphore";
import { processEnvironment } from "#launcher/process-environment";
import type { Role } from "#protocol/bus/membership";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { canTestChart } from "./can-test-chart.js";
import { isolationProblems } from "./isolation.js";
import {
  chart,
  type HelmResult,
  kubeVersion,
  type Manifest,
  manifestsOf,
  podsOf,
  runHelm,
  template,
} from "./render.js";
import { refusedValues } from "./refused-values.js";
import { listedSettings, readSettings } from "./role-settings.js";
import { findInvalid, kubernetesVersions } from "./schemas.js";
import { valueSets } from "./value-sets.js";

const BUILD_MS = 20 * 60_000;
/** Helm processes at once: as many as there are cores to run them. */
const AT_ONCE = 3;

describe("what every role reads", () => {
  it("is what the chart gives it", () => {
    const { migration: _, ...listed } = listedSettings;
    expect(listed).toEqual(readSettings());
  });
});

describe.skipIf(!canTestChart)("the chart", () => {
  const rendered: Record<string, { result: HelmResult; manifests: Manifest[] }> = {};
  const refused: Record<string, HelmResult> = {};
  const directory = temporaryDirectory("chart");

  beforeAll(async () => {
    const turns = new Semaphore(AT_ONCE);
    const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
      const release = await turns.take(new AbortController().signal);
      try {
        return await work();
      } finally {
        release();
      }
    };
    const sets = Object.entries(valueSets).map(([name, set]) =>
      inTurn(async () => {
        const result = await template(set);
        rendered[name] = { result, manifests: result.isOk ? manifestsOf(result.stdout) : [] };
      }),
    );
    const refusals = Object.entries(refusedValues).map(([name, set]) =>
      inTurn(async () => {
        refused[name] = await template(set);
      }),
    );
    await Promise.all([...sets, ...refusals]);
    const different = new Map(
      Object.values(rendered).flatMap(({ manifests }) => manifests.map((object) => [withoutChance(object), object])),
    );
    writeFileSync(
      join(directory.path, "manifests.yaml"),
      [...different.values()].map((object) => JSON.stringify(object)).join("\n---\n"),
    );
  }, BUILD_MS);
  afterAll(() => directory.remove());

  const manifestsOfSet = (name: string): Manifest[] => rendered[name]?.manifests ?? [];

  it("passes helm's own linter", async () => {
    const { isOk, stdout, stderr } = await runHelm(["lint", "--strict", ...kubeVersion, chart]);
    expect({ isOk, stdout, stderr }).toMatchObject({ isOk: true });
  });

  it.each(Object.keys(valueSets))("renders with %s", (name) => {
    expect(rendered[name]?.result.stderr).toBe("");
    expect(manifestsOfSet(name).length).toBeGreaterThan(10);
  });

  it.each(kubernetesVersions)(
    "makes what Kubernetes %s takes, whatever the values",
    async (version) => {
      expect(await findInvalid(join(directory.path, "manifests.yaml"), version)).toBe("");
    },
    BUILD_MS,
  );

  it.each(Object.entries(refusedValues))("refuses %s, and names the value", (name, { names }) => {
    expect(refused[name]?.isOk).toBe(false);
    expect(refused[name]?.stderr).toMatch(names);
  });

  it("has enough of both", () => {
    expect(Object.keys(valueSets).length).toBeGreaterThanOrEqual(25);
    expect(Object.keys(refusedValues).length).toBeGreaterThanOrEqual(40);
  });

  describe.each(Object.keys(valueSets))("with %s", (name) => {
    it("gives each role settings that it reads, with values that it takes", () => {
      const secrets = new Map(
        manifestsOfSet(name)
          .filter(({ kind }) => kind === "Secret")
          .flatMap(({ metadata, stringData = {} }) =>
            Object.entries(stringData).map(([key, value]) => [`${metadata.name}/${key}`, value] as const),
          ),
      );
      for (const object of manifestsOfSet(name)) {
        const role = podLabelsOf(object)["parley.dev/role"];
        const container = podsOf(object)?.containers[0];
        if (role === undefined || container === undefined) continue;
        const settings = container.env.filter((variable) => variable.name in declaration);
        const others = container.env.filter(({ name: it }) => !(it in declaration) && it !== "PARLEY_MEMBER_ID");
        // The image has production for all roles.
        const { NODE_ENV: _env, ...wanted } = processEnvironment(role as Role);
        expect(Object.fromEntries(others.map((variable) => [variable.name, variable.value]))).toEqual(wanted);
        expect(settings.map((variable) => variable.name).filter((it) => !listedSettings[role]?.includes(it))).toEqual(
          [],
        );
        const environment = settings.map(({ name: setting, value, valueFrom }) => {
          const reference = valueFrom?.secretKeyRef;
          const own = reference === undefined ? undefined : secrets.get(`${reference.name}/${reference.key}`);
          return [setting, value ?? own ?? sampleOf(setting)];
        });
        const config = loadConfig(Object.fromEntries(environment));
        expect(object.spec?.template).toBeDefined();
        const seconds = podsOf(object)?.terminationGracePeriodSeconds ?? 0;
        expect(seconds * 1000).toBeGreaterThanOrEqual(config.PARLEY_DRAIN_MS + 15_000);
      }
    });

    it("has no pod with a right that it does not need", () => {
      expect(manifestsOfSet(name).flatMap(isolationProblems)).toEqual([]);
    });

    it("refers to nothing that is not there", () => {
      expect(danglingReferences(manifestsOfSet(name))).toEqual([]);
    });

    it("shows no secret outside of Secrets", () => {
      const secrets = manifestsOfSet(name)
        .filter(({ kind }) => kind === "Secret")
        .flatMap(({ stringData = {} }) => Object.values(stringData).filter((value) => value.length >= 24));
      const others = JSON.stringify(manifestsOfSet(name).filter(({ kind }) => kind !== "Secret"));
      expect(secrets.filter((secret) => others.includes(secret))).toEqual([]);
    });
  });
});

/** An object's text without what is drawn at each render: of most objects all sets of values have the same. */
const withoutChance = ({ stringData, ...object }: Manifest): string =>
  `${JSON.stringify(object).replace(/[0-9a-f]{64}/g, "")} ${Object.keys(stringData ?? {}).join()}`;

/** A value of a setting's kind, for what a Secret of somebody else holds. */
function sampleOf(setting: string): string {
  const addresses: Record<string, string> = {
    NATS_URL: "nats://nats:4222",
    REDIS_URL: "redis://redis:6379",
    DATABASE_URL: "postgres://user:secret@database/parley",
    CLICKHOUSE_URL: "https://clickhouse:8443",
  };
  return addresses[setting] ?? "x".repeat(40);
}

function podLabelsOf({ spec }: Manifest): Record<string, string> {
  const pods = spec?.template as { metadata?: { labels?: Record<string, string> } } | undefined;
  return pods?.metadata?.labels ?? {};
}

/** Names of ConfigMaps, Secrets, keys, Services and ports that an object of the release names and none has. */
function danglingReferences(manifests: readonly Manifest[]): string[] {
  const own = /-(secrets|livekit-sip)$/;
  const has = (kind: string, name: string): boolean =>
    manifests.some((object) => object.kind === kind && object.metadata.name === name);
  const keysOf = (name: string): string[] =>
    manifests
      .filter((object) => object.kind === "Secret" && object.metadata.name === name)
      .flatMap(({ stringData = {} }) => Object.keys(stringData));
  const found: string[] = [];
  for (const object of manifests) {
    const pods = podsOf(object);
    for (const { env, volumeMounts, ports, startupProbe, livenessProbe, readinessProbe } of pods?.containers ?? []) {
      for (const reference of env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []))
        if (own.test(reference.name) && !keysOf(reference.name).includes(reference.key))
          found.push(`${object.metadata.name}: ${reference.name}/${reference.key}`);
      const volumes = [
        ...(pods?.volumes ?? []).map(({ name }) => name),
        ...((object.spec?.volumeClaimTemplates ?? []) as { metadata: { name: string } }[]).map(
          (it) => it.metadata.name,
        ),
      ];
      for (const { name } of volumeMounts) if (!volumes.includes(name)) found.push(`${object.metadata.name}: ${name}`);
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        const port = probe?.httpGet?.port;
        if (typeof port === "string" && !ports.some(({ name }) => name === port))
          found.push(`${object.metadata.name}: port ${port}`);
      }
    }
    for (const { configMap } of (pods?.volumes ?? []) as { configMap?: { name: string } }[])
      if (configMap !== undefined && !has("ConfigMap", configMap.name)) found.push(configMap.name);
    if (object.kind === "ScaledObject" || object.kind === "HorizontalPodAutoscaler") {
      const { name } = object.spec?.scaleTargetRef as { name: string };
      if (!has("Deployment", name)) found.push(`${object.kind} ${name}`);
    }
  }
  return found;
}
