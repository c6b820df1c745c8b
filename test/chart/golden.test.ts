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
    chosen: valueSets["pods on chosen nodes"] ?? {},
    anywhere: valueSets["stores wherever they are"] ?? {},
    rooms: valueSets["several LiveKit servers"] ?? {},
    ingress: valueSets["an Ingress"] ?? {},
    ingressTls: valueSets["an Ingress with TLS and rooms"] ?? {},
    balancerTls: valueSets["an Ingress behind a balancer with TLS"] ?? {},
    gateway: valueSets["a Gateway without TLS"] ?? {},
    gatewayTls: valueSets["a Gateway"] ?? {},
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

  it("have failed to roll out only after the time that an old pod may take to leave, and a new one to start", () => {
    const deadlineOf = (set: keyof typeof sets, name: string): unknown =>
      find(set, "Deployment", name).spec?.progressDeadlineSeconds;
    expect(deadlineOf("plain", "parley-edge")).toBe(600 + 10 + 120 + 120);
    expect(deadlineOf("gpu", "parley-worker-voices")).toBe(600 + 0 + 30 + 1200);
    // On its node's network the new server waits for the ports of the old one, and that for its rooms.
    expect(deadlineOf("rooms", "parley-livekit")).toBe(600 + 3600);
    expect(deadlineOf("chosen", "parley-livekit-sip")).toBe(600 + 3600);
  });

  it("are on the nodes that are chosen, the migration where the control plane is and the test where the edge is", () => {
    const placeOf = (kind: string, name: string): unknown[] => {
      const pods = podsOf(find("chosen", kind, name));
      return [pods?.nodeSelector?.pool, pods?.tolerations?.map(({ key }) => key)];
    };
    expect(placeOf("Deployment", "parley-edge")).toEqual(["front", undefined]);
    expect(placeOf("Pod", "parley-smoke-test")).toEqual(["front", undefined]);
    expect(placeOf("Deployment", "parley-control-plane")).toEqual(["back", ["back"]]);
    expect(placeOf("Job", "parley-migration")).toEqual(["back", ["back"]]);
    expect(podsOf(find("chosen", "Job", "parley-migration"))?.affinity).toHaveProperty("nodeAffinity");
    expect(placeOf("Deployment", "parley-livekit")).toEqual(["public", ["public"]]);
    expect(placeOf("Deployment", "parley-livekit-sip")).toEqual(["phones", undefined]);
    expect(podsOf(find("chosen", "Deployment", "parley-worker-cpu"))?.runtimeClassName).toBe("gvisor");
    expect(podsOf(find("chosen", "Deployment", "parley-edge"))?.runtimeClassName).toBeUndefined();
  });

  it("spread what there is more than one of", () => {
    const spreadOf = (set: keyof typeof sets, name: string): string[] | undefined =>
      podsOf(find(set, "Deployment", name))?.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey);
    const both = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"];
    for (const name of ["edge", "scheduler", "control-plane", "agent", "worker-cpu", "livekit"])
      expect(spreadOf("rooms", `parley-${name}`)).toEqual(both);
    expect(spreadOf("chosen", "parley-livekit-sip")).toEqual(both);
    expect(spreadOf("plain", "parley-livekit")).toBeUndefined();
    expect(spreadOf("small", "parley-edge")).toBeUndefined();
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
    const anywhere = JSON.stringify(find("anywhere", "NetworkPolicy", "parley-nats-out").spec);
    expect(anywhere).toContain('"cidr":"0.0.0.0/0","except":["169.254.0.0/16"]');
    expect(anywhere).toContain('"cidr":"::/0","except":["fe80::/10","fd00:ec2::254/128"]');
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

  it.each([
    ["ingress", "http://speech.example.com", undefined],
    ["ingressTls", "https://speech.example.com", "wss://rooms.example.com"],
    ["balancerTls", "https://speech.example.com", "wss://rooms.example.com"],
    ["gateway", "http://speech.example.com", "ws://rooms.example.com"],
    ["gatewayTls", "https://speech.example.com", "wss://rooms.example.com"],
  ] as const)("tell callers of TLS where there is some: %s", (set, publicUrl, liveKitUrl) => {
    const env = podsOf(find(set, "Deployment", "parley-control-plane"))?.containers[0]?.env ?? [];
    const urlOf = (name: string): string | undefined => env.find((variable) => variable.name === name)?.value;
    expect([urlOf("PARLEY_PUBLIC_URL"), urlOf("LIVEKIT_PUBLIC_URL")]).toEqual([publicUrl, liveKitUrl]);
  });

  it("draw the alert rules and the dashboard as they are", () => {
    const { groups } = z
      .looseObject({ groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ alert: z.string() })) })) })
      .parse(find("production", "PrometheusRule", "parley").spec);
    expect(groups[0]?.rules.length).toBeGreaterThan(10);
    expect(find("production", "ConfigMap", "parley-dashboard").data?.["parley.json"]).toContain("parley_turn_seconds");
  });
});
