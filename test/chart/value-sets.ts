import type { ValueSet } from "./render.js";

const operators = ["keda.sh/v1alpha1", "monitoring.coreos.com/v1", "gateway.networking.k8s.io/v1"];
const production = "values-production.yaml";
const gpu = "values-gpu.yaml";
const dev = "values-dev.yaml";
const sha256 = "a".repeat(64);

const externalStores = {
  nats: { existingSecret: "stores" },
  redis: { existingSecret: "stores" },
  database: { existingSecret: "stores", key: "PG" },
};

const keda = { keda: { prometheusUrl: "http://prometheus:9090" } };

/** Values with which the chart must make what Kubernetes takes: each flag on and off, and the examples. */
export const valueSets: Readonly<Record<string, ValueSet>> = {
  "nothing given": {},
  "the laptop's example": { files: [dev] },
  "the production example": { files: [production], apiVersions: operators },
  "the GPU example": { files: [gpu], apiVersions: operators },
  "the production example with the GPU example": { files: [production, gpu], apiVersions: operators },
  "external stores and nothing more": { values: { global: { embedded: false }, external: externalStores } },
  "one external store beside embedded ones": { values: { external: { redis: { existingSecret: "cache" } } } },
  "external ClickHouse": { values: { external: { clickhouse: { existingSecret: "usage", key: "URL", port: 8443 } } } },
  "no ClickHouse": { values: { clickhouse: { enabled: false } } },
  "no volumes": {
    values: {
      nats: { persistence: { enabled: false } },
      postgres: { persistence: { enabled: false } },
      clickhouse: { persistence: { enabled: false } },
    },
  },
  "volumes of a class": { values: { nats: { persistence: { size: "100Gi", storageClass: "fast" } } } },
  "no conversations": { values: { livekit: { enabled: false } } },
  "external LiveKit": {
    values: {
      external: { livekit: { url: "wss://x.livekit.cloud", existingSecret: "rooms", cidrs: ["203.0.113.0/24"] } },
    },
  },
  "LiveKit on its node's network": { values: { livekit: { hostNetwork: true, useExternalIp: true } } },
  "LiveKit behind a balancer": {
    values: {
      livekit: {
        nodeIp: "203.0.113.7",
        publicUrl: "wss://rooms.example.com",
        mediaService: {
          type: "LoadBalancer",
          annotations: { "balancer/kind": "network" },
          externalTrafficPolicy: "Cluster",
        },
      },
    },
  },
  "media inside the cluster alone": { values: { livekit: { mediaService: { type: "ClusterIP" } } } },
  "several LiveKit servers": { values: { livekit: { replicas: 3, hostNetwork: true } } },
  "TURN with TLS": {
    values: { livekit: { turn: { enabled: true, domain: "turn.example.com", tlsSecret: "turn-tls" } } },
  },
  "TURN without TLS": { values: { livekit: { turn: { enabled: true, domain: "turn.example.com" } } } },
  "phone calls": { values: { livekit: { sip: { enabled: true } } } },
  "phone calls without the node's network": { values: { livekit: { sip: { enabled: true, hostNetwork: false } } } },
  "scaled on processor time": {
    values: {
      edge: { autoscaling: { type: "hpa" } },
      agent: { autoscaling: { type: "hpa" } },
      workerDefaults: { autoscaling: { type: "hpa" } },
    },
  },
  "scaled by KEDA": {
    values: {
      ...keda,
      edge: { autoscaling: { type: "keda" } },
      agent: { autoscaling: { type: "keda" } },
      workerDefaults: { autoscaling: { type: "keda" } },
    },
    apiVersions: operators,
  },
  "several CPU pools": {
    values: {
      cpuWorkers: [
        { name: "voices", models: ["parley-en", "espeak"], replicas: 4, slots: 2, liveSlots: 0 },
        { name: "recognizers", models: ["parley-asr-en", "parley-vad"], replicas: 1 },
      ],
    },
  },
  "GPU pools alone": { values: { cpuWorkers: [], gpuWorkers: [{ name: "gpu" }] } },
  "a GPU to spare": { values: { gpuWorkers: [{ name: "gpu", gpu: { spare: true, tolerateTaint: false, count: 2 } }] } },
  "shared GPUs": {
    values: {
      gpuWorkers: [
        {
          name: "shared",
          gpu: { resourceName: "nvidia.com/gpu.shared", sharedMemory: "64Mi" },
          runtimeClassName: "nvidia",
          tolerations: [{ key: "speech", operator: "Equal", value: "yes", effect: "NoExecute", tolerationSeconds: 60 }],
          nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-L4" },
          affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
        },
      ],
    },
  },
  "models that are fetched": {
    values: {
      workerDefaults: {
        downloads: [
          { url: "https://models.example.com/a.tar.gz", sha256, name: "a" },
          { url: "https://models.example.com/b.onnx", sha256, configSha256: sha256 },
        ],
        modelCache: { existingClaim: "models" },
      },
    },
  },
  "an Ingress": { values: { ingress: { enabled: true, host: "speech.example.com" } } },
  "an Ingress with TLS and rooms": {
    values: {
      ingress: {
        enabled: true,
        className: "nginx",
        annotations: { "cert-manager.io/cluster-issuer": "letsencrypt" },
        host: "speech.example.com",
        tlsSecret: "tls",
        livekitHost: "rooms.example.com",
        livekitTlsSecret: "rooms",
      },
    },
  },
  "an Ingress behind a balancer with TLS": {
    values: {
      ingress: { enabled: true, host: "speech.example.com", livekitHost: "rooms.example.com", tlsElsewhere: true },
    },
  },
  "a Gateway without TLS": {
    values: {
      gateway: {
        enabled: true,
        parents: [{ name: "inside" }],
        host: "speech.example.com",
        livekitHost: "rooms.example.com",
        tls: false,
      },
    },
    apiVersions: operators,
  },
  "a Gateway": {
    values: {
      gateway: {
        enabled: true,
        parents: [{ name: "public", namespace: "gateways", sectionName: "https" }],
        host: "speech.example.com",
        livekitHost: "rooms.example.com",
      },
    },
    apiVersions: operators,
  },
  "a public Service": {
    values: { edge: { service: { type: "LoadBalancer", port: 443, annotations: { "balancer/tls": "yes" } } } },
  },
  "everything of Prometheus's operator": {
    values: {
      monitoring: {
        serviceMonitor: { enabled: true, interval: "30s", labels: { release: "prometheus" } },
        rules: { enabled: true, labels: { release: "prometheus" } },
        dashboard: { enabled: true },
      },
    },
    apiVersions: operators,
  },
  "no network policies": { values: { networkPolicy: { enabled: false } } },
  "narrow network policies": {
    values: {
      networkPolicy: {
        edgeFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } }],
        metricsFrom: [{ podSelector: { matchLabels: { app: "prometheus" } } }],
        outboundPorts: [443, 8443],
        extraEgress: {
          agent: [{ to: [{ ipBlock: { cidr: "10.1.2.3/32" } }], ports: [{ port: 8000, protocol: "TCP" }] }],
        },
      },
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4317" },
    },
  },
  "priority classes": {
    values: { priorityClasses: { create: true }, edge: { priorityClassName: "system-cluster-critical" } },
  },
  "one pod of each, without budgets": {
    values: {
      edge: { replicas: 1, podDisruptionBudget: false, spread: false, preStopSeconds: 0 },
      scheduler: { replicas: 1 },
      controlPlane: { replicas: 1, migrationJob: false },
      agent: { replicas: 1 },
      workerDefaults: { replicas: 1 },
    },
  },
  "secrets of others": {
    values: {
      secrets: { existingSecret: "keys", extraSecret: "others" },
      settings: { LLM_BASE_URL: "https://llm.example.com/v1", LLM_MODEL: "m" },
    },
  },
  "pods on chosen nodes": {
    values: {
      edge: { nodeSelector: { pool: "front" } },
      controlPlane: {
        nodeSelector: { pool: "back" },
        tolerations: [{ key: "back", operator: "Exists", effect: "NoSchedule" }],
        affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      },
      workerDefaults: { runtimeClassName: "gvisor" },
      livekit: {
        nodeSelector: { pool: "public" },
        tolerations: [{ key: "public", operator: "Exists" }],
        sip: { enabled: true, replicas: 2, nodeSelector: { pool: "phones" } },
      },
    },
  },
  "stores wherever they are": {
    values: { external: { nats: { existingSecret: "stores", cidrs: ["0.0.0.0/0", "::/0"] } } },
  },
  "a key of one's own": { values: { secrets: { apiKey: "a-long-key-of-my-own-0123456789" } } },
  "an S3 store": {
    values: {
      secrets: { extraSecret: "others" },
      settings: { S3_BUCKET: "b", S3_ENDPOINT: "https://s3.example.com", S3_ACCESS_KEY_ID: "k", S3_PATH_STYLE: false },
    },
  },
  "numbers of Twilio": {
    values: {
      secrets: { extraSecret: "others" },
      settings: {
        TWILIO_ACCOUNT_SID: `AC${"0123456789abcdef".repeat(2)}`,
        TWILIO_TERMINATION_URI: "x.pstn.twilio.com",
      },
    },
  },
  "settings of every kind": {
    values: {
      settings: {
        LOG_LEVEL: "warn",
        PARLEY_DEMO: true,
        PARLEY_CONSOLE: "off",
        PARLEY_COMPAT_PCM_RATE: 16_000,
        PARLEY_UPLOAD_MIN_RATE: 1_000_000,
        PARLEY_MODEL_MAP: { "s2-pro": "espeak", s1: "espeak" },
        PARLEY_OUTBOUND_ALLOW: ["llm.speech.svc:8000", "10.0.0.0/8"],
        PARLEY_CORS_ALLOWED_ORIGINS: "https://a.example.com,https://b.example.com",
        LLM_PRICES: { "gpt-4o": "2.5/10" },
      },
    },
  },
  "names of one's own": {
    values: {
      fullnameOverride: "voice",
      nameOverride: "voice",
      serviceAccount: { create: false, name: "speech" },
      tests: { enabled: false },
    },
    release: "other",
  },
  "images of a registry": {
    values: {
      image: {
        repository: "registry.example.com/parley",
        tag: "1.2.3",
        pullPolicy: "Always",
        pullSecrets: ["registry"],
      },
      gpuImage: { repository: "registry.example.com/parley", tag: "1.2.3-gpu" },
      serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x" } },
      clusterDomain: "cluster.example",
    },
  },
};
