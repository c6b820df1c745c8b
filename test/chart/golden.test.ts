import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { metricCatalogue } from "#common/metrics/catalogue";
import { canTestChart } from "./can-test-chart.js";
import { type Manifest, manifestsOf, podsOf, template, type ValueSet } from "./render.js";
import { valueSets } from "./value-sets.js";

const BUILD_MS = 20 * 60_000;

/** What must hold of the objects of particular values. */
describe.skipIf(!canTestChart)("the chart's objects", () => {
  const sets = {
    plain: {},
    small: valueSets["one pod of each, without budgets"] ?? {},
    keda: valueSets["scaled by KEDA"] ?? {},
    hpa: valueSets["scaled on processor time"] ?? {},
    gpu: valueSets["the GPU example"] ?? {},
    spare: valueSets["a GPU to spare"] ?? {},
    production: valueSets["the production example"] ?? {},
  } satisfies Record<string, ValueSet>;
  const rendered: Record<string, Manifest[]> = {};
  beforeAll(async () => {
    for (const [name, set] of Object.entries(sets)) rendered[name] = manifestsOf((await template(set)).stdout);
  }, BUILD_MS);

  const find = (set: keyof typeof sets, kind: string, name: string): Manifest => {
    const found = rendered[set]?.find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
    return found;
  };
  const count = (set: keyof typeof sets, kind: string): number =>
    rendered[set]?.filter((object) => object.kind === kind).length ?? 0;
  const strategyOf = (manifest: Manifest): unknown =>
    z.looseObject({ strategy: z.looseObject({ rollingUpdate: z.unknown() }) }).parse(manifest.spec).strategy
      .rollingUpdate;

  it("have a number of pods only where nothing scales them, and never two scalers", () => {
    expect(find("plain", "Deployment", "parley-edge").spec?.replicas).toBe(2);
    for (const name of ["parley-edge", "parley-agent", "parley-worker-cpu"]) {
      expect(find("keda", "Deployment", name).spec).not.toHaveProperty("replicas");
      expect(find("hpa", "Deployment", name).spec).not.toHaveProperty("replicas");
    }
    expect([count("keda", "ScaledObject"), count("keda", "HorizontalPodAutoscaler")]).toEqual([3, 0]);
    expect([count("hpa", "ScaledObject"), count("hpa", "HorizontalPodAutoscaler")]).toEqual([0, 3]);
    expect([count("plain", "ScaledObject"), count("plain", "HorizontalPodAutoscaler")]).toEqual([0, 0]);
  });

  it("scale on metrics that a role gives", () => {
    const queries = rendered.keda
      ?.filter(({ kind }) => kind === "ScaledObject")
      .map(({ spec }) => JSON.stringify(spec));
    const names = queries?.flatMap((text) => text.match(/parley_[a-z_]+(?=\{)/g) ?? []) ?? [];
    expect(names.length).toBe(4);
    expect(names.filter((name) => !(name in metricCatalogue))).toEqual([]);
  });

  it("have budgets where there are two pods or more", () => {
    expect(count("plain", "PodDisruptionBudget")).toBe(5);
    expect(count("small", "PodDisruptionBudget")).toBe(0);
  });

  it("give a pod with a GPU what it needs, and let the old one leave first where no GPU is spare", () => {
    const manifest = find("gpu", "Deployment", "parley-worker-recognizers");
    const pods = podsOf(manifest);
    const [container] = pods?.containers ?? [];
    expect(container?.image).toBe("parley:gpu");
    expect(container?.resources.limits).toMatchObject({ "nvidia.com/mig-1g.10gb": "1" });
    expect(container?.resources.requests).toMatchObject({ "nvidia.com/mig-1g.10gb": "1" });
    expect(pods?.tolerations).toContainEqual({
      key: "nvidia.com/mig-1g.10gb",
      operator: "Exists",
      effect: "NoSchedule",
    });
    expect(container?.env).toContainEqual({ name: "PARLEY_PROVIDERS", value: "cuda" });
    expect(container?.env).toContainEqual({ name: "PARLEY_MODELS", value: "/models-cache/0000000000000000/models" });
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain("/dev/shm");
    expect(
      pods?.initContainers.map(({ env }) => env.find(({ name }) => name === "MODEL_SHA256")?.value?.length),
    ).toEqual([64]);
    const { failureThreshold = 0, periodSeconds = 0 } = container?.startupProbe ?? {};
    expect(failureThreshold * periodSeconds).toBeGreaterThanOrEqual(600);
    expect(strategyOf(manifest)).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(strategyOf(find("spare", "Deployment", "parley-worker-gpu"))).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(strategyOf(find("plain", "Deployment", "parley-edge"))).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  });

  it("probe differently for the start, for life and for readiness", () => {
    for (const name of ["edge", "scheduler", "control-plane", "agent", "worker-cpu"]) {
      const [container] = podsOf(find("plain", "Deployment", `parley-${name}`))?.containers ?? [];
      const paths = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe].map(
        (probe) => probe?.httpGet?.path,
      );
      expect(paths).toEqual(["/startup", "/live", "/ready"]);
    }
  });

  it("let control plane and agents alone out of the cluster, and nobody to the metadata service", () => {
    const policies = rendered.production?.filter(({ kind }) => kind === "NetworkPolicy") ?? [];
    const open = policies.filter((policy) => JSON.stringify(policy.spec?.egress ?? "").includes("0.0.0.0/0"));
    expect(open.map(({ metadata }) => metadata.name).sort()).toEqual([
      "parley-livekit-media",
      "parley-livekit-out",
      "parley-outbound",
    ]);
    const blocks = JSON.stringify(open).match(/"cidr":"0.0.0.0\/0"(?!,"except":\["169.254.0.0\/16")/g);
    expect(blocks).toBeNull();
    expect(JSON.stringify(find("production", "NetworkPolicy", "parley-outbound").spec)).toContain(
      '"values":["control-plane","agent"]',
    );
  });

  it("give the password of the database to the control plane and the migration alone", () => {
    const holders = rendered.production?.filter((object) =>
      podsOf(object)?.containers.some(({ env }) => env.some(({ name }) => name === "DATABASE_URL")),
    );
    expect(holders?.map(({ metadata }) => metadata.name).sort()).toEqual(["parley-control-plane", "parley-migration"]);
  });

  it("draw the alert rules and the dashboard as they are", () => {
    const { groups } = z
      .looseObject({ groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ alert: z.string() })) })) })
      .parse(find("production", "PrometheusRule", "parley").spec);
    expect(groups[0]?.rules.length).toBeGreaterThan(10);
    expect(find("production", "ConfigMap", "parley-dashboard").data?.["parley.json"]).toContain("parley_turn_seconds");
  });
});
