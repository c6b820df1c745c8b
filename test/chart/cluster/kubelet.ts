/**
 * What a kubelet would say of a pod, as kwok's stages: no container runs. Which image a container has decides what
 * becomes of it, so that an install can fail in the ways in which it does on real nodes.
 */

/** An image that ends with an error: pods restart without end, and Jobs fail. */
export const BROKEN_TAG = "broken";
/** An image that runs and never becomes ready. */
export const STUCK_TAG = "stuck";

const START_MS = 500;
/** What a pod takes to leave, in which the resources that it holds are not free. */
const LEAVE_MS = 1000;

interface Expression {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values?: readonly string[];
}

const images = ".spec.containers.[].image";
const broken: Expression = { key: images, operator: "In", values: [`parley:${BROKEN_TAG}`] };
const notBroken: Expression = {
  key: images,
  operator: "NotIn",
  values: [`parley:${BROKEN_TAG}`, `parley:${STUCK_TAG}`],
};
const stuck: Expression = { key: images, operator: "In", values: [`parley:${STUCK_TAG}`] };
const stays: Expression = { key: ".metadata.deletionTimestamp", operator: "DoesNotExist" };
const starts: Expression[] = [stays, { key: ".status.podIP", operator: "DoesNotExist" }];
/** Pods of Jobs and of `helm test` end by themselves. */
const restartPolicy = ".spec.restartPolicy";
const ends: Expression = { key: restartPolicy, operator: "In", values: ["Never"] };
const serves: Expression = { key: restartPolicy, operator: "NotIn", values: ["Never"] };

function stage(name: string, matchExpressions: readonly Expression[], delayMs: number, next: object): object {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: "v1", kind: "Pod" },
      selector: { matchExpressions },
      delay: { durationMilliseconds: delayMs },
      next,
    },
  };
}

/** The template of a status: JSON is YAML, and the templates in it are texts of it. */
function status(phase: string, isReady: boolean, state: string): { statusTemplate: string } {
  const condition = (type: string, isTrue: boolean): string =>
    `{type: ${type}, status: "${isTrue ? "True" : "False"}", lastTransitionTime: {{ $now | Quote }}}`;
  const container = (ready: boolean, its: string): string =>
    `{name: {{ .name | Quote }}, image: {{ .image | Quote }}, ready: ${ready}, restartCount: 0, state: ${its}}`;
  const conditions = [
    ...["Initialized", "PodReadyToStartContainers"].map((type) => condition(type, true)),
    ...["Ready", "ContainersReady"].map((type) => condition(type, isReady)),
  ];
  return {
    statusTemplate: [
      "{{ $now := Now }}",
      `phase: ${phase}`,
      `conditions: [${conditions.join(", ")}]`,
      `containerStatuses: [{{ range .spec.containers }}${container(isReady, state)}, {{ end }}]`,
      `initContainerStatuses: [{{ range .spec.initContainers }}${container(true, terminated("Completed", 0))}, {{ end }}]`,
      "hostIP: {{ NodeIPWith .spec.nodeName | Quote }}",
      'podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}',
      "startTime: {{ $now | Quote }}",
    ].join("\n"),
  };
}

const runs = "{running: {startedAt: {{ $now | Quote }}}}";
const restarts = "{waiting: {reason: CrashLoopBackOff}}";
const terminated = (reason: string, exitCode: number): string =>
  `{terminated: {exitCode: ${exitCode}, reason: ${reason}, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}}}`;

/** How every pod of the cluster lives. */
export const podStages: readonly object[] = [
  stage("serves", [...starts, serves, notBroken], START_MS, status("Running", true, runs)),
  stage("crashes", [...starts, serves, broken], START_MS, status("Running", false, restarts)),
  stage("is-stuck", [...starts, stuck], START_MS, status("Running", false, runs)),
  stage("succeeds", [...starts, ends, notBroken], START_MS, status("Succeeded", false, terminated("Completed", 0))),
  stage("fails", [...starts, ends, broken], START_MS, status("Failed", false, terminated("Error", 1))),
  stage("leaves", [{ key: ".metadata.deletionTimestamp", operator: "Exists" }], LEAVE_MS, {
    finalizers: { empty: true },
    delete: true,
  }),
];
