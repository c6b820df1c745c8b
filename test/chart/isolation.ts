import { type Manifest, podsOf } from "./render.js";

/** What a pod may do that none of the chart's needs, in words. */
export function isolationProblems(object: Manifest): string[] {
  const pods = podsOf(object);
  if (pods === null) return [];
  const at = `${object.kind} ${object.metadata.name}`;
  const expected: [string, unknown, unknown][] = [
    ["has the service account's token", pods.automountServiceAccountToken, false],
    ["has the variables of services, which look like settings", pods.enableServiceLinks, false],
    ["may run as root", pods.securityContext?.runAsNonRoot, true],
    ["names no user", typeof pods.securityContext?.runAsUser, "number"],
    [
      "has no seccomp profile",
      JSON.stringify(pods.securityContext?.seccompProfile),
      JSON.stringify({ type: "RuntimeDefault" }),
    ],
  ];
  for (const { name, image, securityContext, resources } of [...pods.initContainers, ...pods.containers]) {
    expected.push(
      [`${name} may gain privileges`, securityContext?.allowPrivilegeEscalation, false],
      [`${name} writes into its image`, securityContext?.readOnlyRootFilesystem, true],
      [`${name} has capabilities`, JSON.stringify(securityContext?.capabilities), JSON.stringify({ drop: ["ALL"] })],
      [`${name} has no bound of memory`, typeof resources.limits?.memory, "string"],
      [`${name} requests nothing`, typeof resources.requests?.memory, "string"],
      [`${name} has an image without a tag`, /:[\w][\w.-]*$/.test(image) && !image.endsWith(":latest"), true],
    );
  }
  return expected.filter(([, found, wanted]) => found !== wanted).map(([problem]) => `${at}: ${problem}`);
}
