import { Semaphore } from "#common/semaphore";
import { z } from "zod";
import { manifestsOf, podsOf, type ValueSet } from "../render.js";
import { valueSets } from "../value-sets.js";
import type { Report } from "./report.js";
import type { TestCluster } from "./test-cluster.js";

/** Both programs wait for the server: as many as there are cores. */
const AT_ONCE = 2;
const NAMESPACE = "dry-run";
const HOST_NETWORK = 'Warning: would violate PodSecurity "restricted:latest": host namespaces (hostNetwork=true)';

/** What helm says that it would install. */
const plan = z.looseObject({ manifest: z.string(), hooks: z.array(z.looseObject({ manifest: z.string() })) });

interface Answer {
  refusal: string;
  warnings: readonly string[];
  /** How many workloads share their node's network: that standard refuses them, and nothing else. */
  onNodeNetwork: number;
}

/**
 * Has the server judge what every set of values makes, as server-side apply: each field is one that the kind has (the
 * operators' kinds as they define them), each pod one that the strictest standard of pods admits.
 */
export async function checkValueSets(cluster: TestCluster, report: Report): Promise<void> {
  await cluster.createNamespace(NAMESPACE, "restricted");
  const turns = new Semaphore(AT_ONCE);
  const answers = await Promise.all(
    Object.entries(valueSets).map(async ([name, set]) => {
      const release = await turns.take(new AbortController().signal);
      try {
        return [name, await judge(cluster, set)] as const;
      } finally {
        release();
      }
    }),
  );
  for (const [name, { refusal, warnings, onNodeNetwork }] of answers) {
    const expected = Array.from({ length: onNodeNetwork }, () => HOST_NETWORK);
    const isExpected = refusal === "" && warnings.join() === expected.join();
    report.check(isExpected, `the server takes ${name}`, [refusal, ...warnings]);
  }
  // Where the standard said nothing of these, it would have judged nobody.
  const shares = answers.filter(([, { onNodeNetwork }]) => onNodeNetwork > 0).length;
  report.check(shares > 0, `but for pods on their node's network, as ${shares} of ${answers.length} sets want`);
}

async function judge(cluster: TestCluster, set: ValueSet): Promise<Answer> {
  const asked = { ...set, namespace: NAMESPACE };
  const planned = await cluster.release("install", asked, ["--dry-run=server", "--output", "json"]);
  if (!planned.isOk) return { refusal: planned.stderr, warnings: [], onNodeNetwork: 0 };
  const { manifest, hooks } = plan.parse(JSON.parse(planned.stdout));
  const objects = [manifest, ...hooks.map((hook) => hook.manifest)].join("\n---\n");
  const apply = ["apply", "--server-side", "--dry-run=server", "--namespace", NAMESPACE, "--filename", "-"];
  const { isOk, stderr } = await cluster.tryKubectl(apply, objects);
  return {
    refusal: isOk ? "" : stderr,
    warnings: stderr.split("\n").filter((line) => line.startsWith("Warning:")),
    onNodeNetwork: manifestsOf(objects).filter((object) => podsOf(object)?.hostNetwork === true).length,
  };
}
