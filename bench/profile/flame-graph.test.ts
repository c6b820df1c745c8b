import { expect, it } from "vitest";
import { type CpuProfile, stacksOf } from "./cpu-profile.js";
import { flameGraph } from "./flame-graph.js";

const frame = (functionName: string, url = "", lineNumber = -1) => ({ functionName, url, lineNumber });

const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 3, 4, 6] },
    { id: 2, callFrame: frame("(idle)") },
    { id: 3, callFrame: frame("speak", "file:///srv/parley/dist/edge/speech.js", 9), children: [5] },
    { id: 4, callFrame: frame("(garbage collector)") },
    { id: 5, callFrame: frame("parse<T>", "file:///srv/parley/node_modules/zod/index.js", 0) },
    { id: 6, callFrame: frame("speak", "file:///srv/parley/dist/edge/speech.js", 9), children: [7] },
    { id: 7, callFrame: frame("", "node:net", 3) },
  ],
  samples: [2, 3, 5, 4, 7, 2],
  timeDeltas: [90_000, 1000, 2000, 3000, 4000, 50_000],
};

it("joins the stacks of a profile, without the time of waiting", () => {
  const root = stacksOf(profile);
  expect(root.ms).toBe(10);
  expect(root.children.map(({ name, ms, origin }) => [name, ms, origin])).toEqual([
    ["speak", 7, "ours"],
    ["(garbage collector)", 3, "collector"],
  ]);
  expect(root.children[0]).toMatchObject({ place: "edge/speech.js:10" });
  expect(root.children[0]?.children.map(({ name, place, origin }) => [name, place, origin])).toEqual([
    ["(anonymous)", "node:net:4", "node"],
    ["parse<T>", "zod/index.js:1", "dependency"],
  ]);
});

it("draws each frame as wide as its time, with a name that is no markup", () => {
  const picture = flameGraph("edge & co", stacksOf(profile));
  const widths = [...picture.matchAll(/<rect x="[\d.]+" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths).toEqual([1199.5, 839.5, 479.5, 239.5, 359.5]);
  expect(picture).toContain("edge &amp; co");
  expect(picture).toContain("parse&lt;T&gt; zod/index.js:1, 2 ms, 20.0 %");
  expect(picture.match(/<g>/g)).toHaveLength(picture.match(/<\/g>/g)?.length ?? 0);
});

it("leaves out what is too narrow to be seen", () => {
  const root = stacksOf(profile);
  const long = { ...root, ms: 10_000, children: root.children };
  expect(flameGraph("x", long)).not.toContain("garbage collector)");
});
