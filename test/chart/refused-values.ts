import type { ValueSet } from "./render.js";

/** A set of values that the chart must refuse, with what the message must name. */
export interface Refusal extends ValueSet {
  names: RegExp;
}

const refused = (values: object, names: RegExp, more: ValueSet = {}): Refusal => ({ ...more, values, names });

/** Mistakes that a person makes: each ends the install with a message that names the value. */
export const refusedValues: Readonly<Record<string, Refusal>> = {
  "a value that nobody knows": refused({ replicas: 3 }, /replicas/),
  "a mistyped value of a role": refused({ edge: { replica: 3 } }, /replica'/),
  "a mistyped flag": refused({ global: { embeded: true } }, /embeded/),
  "a mistyped setting": refused({ settings: { PARLEY_MODELMAP: "x" } }, /PARLEY_MODELMAP/),
  "a setting that the chart gives itself": refused({ settings: { PORT: 9000 } }, /PORT/),
  "a setting of the launcher alone": refused({ settings: { PARLEY_WORKERS: 4 } }, /PARLEY_WORKERS/),
  "a secret among the settings": refused({ settings: { LLM_API_KEY: "sk-x" } }, /LLM_API_KEY/),
  "a password among the settings": refused({ settings: { DATABASE_URL: "postgres://a:b@c/d" } }, /DATABASE_URL/),
  "a setting out of its bounds": refused({ settings: { PARLEY_CONVERSATIONS: 100_000 } }, /PARLEY_CONVERSATIONS/),
  "a setting of another kind": refused({ settings: { PARLEY_QUEUE_CHUNKS: "many" } }, /PARLEY_QUEUE_CHUNKS/),
  "a word that a setting does not know": refused({ settings: { LOG_LEVEL: "loud" } }, /LOG_LEVEL/),
  "an address of another kind": refused({ settings: { LLM_BASE_URL: "llm.example.com" } }, /LLM_BASE_URL/),
  "an empty setting": refused({ settings: { LLM_MODEL: "" } }, /LLM_MODEL/),
  "no pods": refused({ edge: { replicas: 0 } }, /edge.replicas|edge\/replicas/),
  "text for a number": refused({ scheduler: { replicas: "2" } }, /scheduler.replicas|scheduler\/replicas/),
  "an endless drain": refused({ agent: { drainSeconds: 90_000 } }, /drainSeconds/),
  "no time to start": refused({ workerDefaults: { startupSeconds: 1 } }, /startupSeconds/),
  "an amount without a unit that exists": refused({ edge: { resources: { limits: { memory: "1 GB" } } } }, /memory/),
  "resources of another form": refused({ edge: { resources: { memory: "1Gi" } } }, /memory/),
  "the image's tag latest": refused({ image: { tag: "latest" } }, /tag/),
  "no image": refused({ image: { repository: "" } }, /repository/),
  "a policy that nodes do not know": refused({ image: { pullPolicy: "Sometimes" } }, /pullPolicy/),
  "two kinds of scaling": refused({ edge: { autoscaling: { type: "both" } } }, /autoscaling/),
  "a scale of the scheduler": refused({ scheduler: { autoscaling: { type: "hpa" } } }, /autoscaling/),
  "a pool without a name": refused({ cpuWorkers: [{ replicas: 2 }] }, /name/),
  "a pool with a name of capitals": refused({ cpuWorkers: [{ name: "CPU" }] }, /name/),
  "a CPU pool with a GPU": refused({ cpuWorkers: [{ name: "a", gpu: { count: 1 } }] }, /gpu/),
  "a model without a checksum": refused(
    { cpuWorkers: [{ name: "a", downloads: [{ url: "https://models.example.com/a.tar" }] }] },
    /sha256/,
  ),
  "a checksum that is none": refused(
    { cpuWorkers: [{ name: "a", downloads: [{ url: "https://models.example.com/a.tar", sha256: "abc" }] }] },
    /sha256/,
  ),
  "a provider that does not exist": refused({ gpuWorkers: [{ name: "a", providers: ["rocm"] }] }, /providers/),
  "a GPU that is no resource": refused({ gpuWorkers: [{ name: "a", gpu: { resourceName: "gpu" } }] }, /resourceName/),
  "half a GPU": refused({ gpuWorkers: [{ name: "a", gpu: { count: 0.5 } }] }, /count/),
  "a port above all ports": refused({ livekit: { udpPort: 70_000 } }, /udpPort/),
  "a Service that does not exist": refused({ edge: { service: { type: "External" } } }, /type/),
  "rooms over HTTP": refused({ livekit: { publicUrl: "http://rooms.example.com" } }, /publicUrl/),
  "a key that is short": refused({ secrets: { apiKey: "short" } }, /apiKey/),
  "a password in the values": refused({ postgres: { password: "x" } }, /password/),
  "a mistyped toleration": refused({ edge: { tolerations: [{ key: "a", operator: "Equals" }] } }, /operator/),
  "a network block without a length": refused({ external: { nats: { cidrs: ["10.0.0.0"] } } }, /cidrs/),
  "a peer that is none": refused({ networkPolicy: { edgeFrom: [{}] } }, /edgeFrom/),
  "an interval without a unit": refused({ monitoring: { serviceMonitor: { interval: "15" } } }, /interval/),
  "a Prometheus without a scheme": refused({ keda: { prometheusUrl: "prometheus:9090" } }, /prometheusUrl/),
  "a default password": refused({ secrets: { apiKey: "changeme-changeme-changeme" } }, /secrets\.apiKey/),
  "two sources of keys": refused(
    { secrets: { apiKey: "a-long-key-of-my-own-0123456789", existingSecret: "keys" } },
    /secrets\.apiKey and secrets\.existingSecret/,
  ),
  "production without its stores": refused({ global: { embedded: false } }, /external\.nats\.existingSecret/),
  "production without a database": refused(
    { global: { embedded: false }, external: { nats: { existingSecret: "s" }, redis: { existingSecret: "s" } } },
    /external\.database\.existingSecret/,
  ),
  "an external LiveKit without its key": refused(
    { external: { livekit: { url: "wss://x.livekit.cloud" } } },
    /external\.livekit\.existingSecret/,
  ),
  "an S3 store without its key": refused(
    { settings: { S3_BUCKET: "b", S3_ACCESS_KEY_ID: "k" } },
    /secrets\.extraSecret/,
  ),
  "an account of Twilio without its token": refused(
    { settings: { TWILIO_ACCOUNT_SID: `AC${"0123456789abcdef".repeat(2)}` } },
    /secrets\.extraSecret/,
  ),
  "nobody who speaks": refused({ cpuWorkers: [] }, /cpuWorkers and gpuWorkers/),
  "two pools of one name": refused({ gpuWorkers: [{ name: "cpu" }] }, /two pools named cpu/),
  "a GPU pool scaled on processor time": refused(
    { gpuWorkers: [{ name: "a", autoscaling: { type: "hpa" } }] },
    /gpuWorkers\[a\]\.autoscaling\.type/,
  ),
  "fewest pods above most": refused(
    { edge: { autoscaling: { type: "hpa", minReplicas: 20, maxReplicas: 10 } } },
    /edge\.autoscaling\.minReplicas/,
  ),
  "KEDA without Prometheus": refused({ agent: { autoscaling: { type: "keda" } } }, /keda\.prometheusUrl/),
  "KEDA in a cluster without it": refused(
    { agent: { autoscaling: { type: "keda" } }, keda: { prometheusUrl: "http://p:9090" } },
    /keda\.sh\/v1alpha1/,
  ),
  "an Ingress without a host": refused({ ingress: { enabled: true } }, /ingress\.host/),
  "a Gateway without parents": refused({ gateway: { enabled: true, host: "a.example.com" } }, /gateway\.parents/),
  "a Gateway in a cluster without the API": refused(
    { gateway: { enabled: true, host: "a.example.com", parents: [{ name: "g" }] } },
    /gateway\.networking\.k8s\.io/,
  ),
  "Prometheus's objects in a cluster without them": refused(
    { monitoring: { rules: { enabled: true } } },
    /monitoring\.rules\.enabled/,
  ),
  "TURN without a name": refused({ livekit: { turn: { enabled: true } } }, /livekit\.turn\.domain/),
  "phone calls without the release's Redis": refused(
    { livekit: { sip: { enabled: true } }, external: { redis: { existingSecret: "s" } } },
    /livekit\.sip\.enabled/,
  ),
  "several LiveKit servers that cannot meet": refused(
    { livekit: { replicas: 2 }, external: { redis: { existingSecret: "s" } } },
    /livekit\.replicas/,
  ),
  "several LiveKit servers behind one Service": refused({ livekit: { replicas: 2 } }, /livekit\.hostNetwork/),
};
