import { z } from "zod";

/** An object as the API server gives it. */
export const found = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    generation: z.number().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.looseObject({}).optional(),
  status: z.looseObject({}).optional(),
  data: z.record(z.string(), z.string()).optional(),
});

export type Found = z.infer<typeof found>;

export const foundList = z.looseObject({ items: z.array(found) });

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

const podFields = z.looseObject({
  spec: z.looseObject({ nodeName: z.string().optional(), priority: z.number().default(0) }),
  status: z.looseObject({ phase: z.string(), conditions: z.array(condition).default([]) }),
});

/** What the tests look at of a pod. */
export interface Pod {
  name: string;
  uid: string;
  component: string;
  /** Null before the scheduler has found one. */
  node: string | null;
  /** Why the scheduler finds no node; null where it found one. */
  unschedulable: string | null;
  priority: number;
  isReady: boolean;
}

/** Reads a pod; null for one that is on its way out. */
export function podOf(object: Found): Pod | null {
  if (object.metadata.deletionTimestamp !== undefined) return null;
  const { spec, status } = podFields.parse(object);
  const scheduled = status.conditions.find(({ type }) => type === "PodScheduled");
  return {
    name: object.metadata.name,
    uid: object.metadata.uid,
    component: object.metadata.labels["app.kubernetes.io/component"] ?? "",
    node: spec.nodeName ?? null,
    unschedulable: scheduled?.status === "False" ? (scheduled.message ?? "") : null,
    priority: spec.priority,
    isReady: status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
  };
}

const deploymentFields = z.looseObject({
  metadata: z.looseObject({ name: z.string(), generation: z.number() }),
  spec: z.looseObject({ replicas: z.number() }),
  status: z.looseObject({
    availableReplicas: z.number().default(0),
    updatedReplicas: z.number().default(0),
    observedGeneration: z.number().default(0),
  }),
});

/** What the tests look at of a Deployment. */
export interface Deployment {
  name: string;
  generation: number;
  replicas: number;
  available: number;
  /** Pods of the newest template. */
  updated: number;
}

export function deploymentOf(object: Found): Deployment {
  const { metadata, spec, status } = deploymentFields.parse(object);
  return {
    name: metadata.name,
    generation: metadata.generation,
    replicas: spec.replicas,
    available: status.availableReplicas,
    updated: status.observedGeneration === metadata.generation ? status.updatedReplicas : 0,
  };
}

/** The state of one of an object's conditions, with its reason; null where it has none. */
export function conditionOf({ status }: Found, type: string): { isTrue: boolean; reason: string } | null {
  const { conditions } = z.looseObject({ conditions: z.array(condition).default([]) }).parse(status ?? {});
  const one = conditions.find((candidate) => candidate.type === type);
  return one === undefined ? null : { isTrue: one.status === "True", reason: one.reason ?? "" };
}
