import { z } from "zod";

/** What V8's profiler gives: `Profiler.Profile` of the Chrome DevTools Protocol. Times in microseconds. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
export type CpuProfile = z.infer<typeof cpuProfile>;

/** Whose code a frame is. */
export type Origin = "ours" | "dependency" | "node" | "collector";

/** A function in its place in the stacks, the time with all that it called. */
export interface Frame {
  name: string;
  /** File and line, from the repository or the package on. */
  place: string;
  origin: Origin;
  ms: number;
  children: Frame[];
}

/** The stacks of a profile as one tree; waiting for work is left out. */
export function stacksOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const ownMs = new Map<number, number>();
  for (const [at, id] of samples.entries()) ownMs.set(id, (ownMs.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1000);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frameOf = (id: number): Frame | null => {
    const node = byId.get(id);
    if (node === undefined || node.callFrame.functionName === "(idle)") return null;
    const children = joined((node.children ?? []).flatMap((child) => frameOf(child) ?? []));
    const { functionName, url, lineNumber } = node.callFrame;
    return {
      name: functionName === "" ? "(anonymous)" : functionName,
      place: url === "" ? "" : `${shortened(url)}:${lineNumber + 1}`,
      origin: originOf(functionName, url),
      ms: (ownMs.get(id) ?? 0) + children.reduce((sum, child) => sum + child.ms, 0),
      children,
    };
  };
  const root = nodes[0] === undefined ? null : frameOf(nodes[0].id);
  return root ?? { name: "(root)", place: "", origin: "node", ms: 0, children: [] };
}

/** V8 has a function twice where it was compiled anew. */
function joined(frames: readonly Frame[]): Frame[] {
  const byPlace = new Map<string, Frame>();
  for (const frame of frames) {
    const key = `${frame.name} ${frame.place}`;
    const other = byPlace.get(key);
    byPlace.set(
      key,
      other === undefined
        ? frame
        : { ...frame, ms: frame.ms + other.ms, children: joined([...other.children, ...frame.children]) },
    );
  }
  return [...byPlace.values()].toSorted((a, b) => b.ms - a.ms);
}

function shortened(url: string): string {
  const from = Math.max(url.lastIndexOf("/node_modules/"), url.lastIndexOf("/dist/"));
  return from < 0 ? url : url.slice(url.indexOf("/", from + 1) + 1);
}

function originOf(name: string, url: string): Origin {
  if (name === "(garbage collector)") return "collector";
  if (url.includes("/node_modules/")) return "dependency";
  return url.startsWith("file:") || url.startsWith("wasm:") ? "ours" : "node";
}
