import { expect, it } from "vitest";
import { type Chart, chart, drawChart, ticksTo } from "./chart.js";

const goodput: Chart = {
  name: "goodput",
  title: 'Good streams < offered & "more"',
  x: "× capacity",
  y: "streams a second",
  series: [
    {
      label: "good",
      points: [
        [0.5, 5],
        [1, 10],
        [2, 9],
      ],
    },
    {
      label: "offered",
      points: [
        [0.5, 5],
        [1, 10],
        [2, 20],
      ],
    },
  ],
};

it("has round ticks that reach the largest value", () => {
  expect(ticksTo(20)).toEqual([0, 5, 10, 15, 20]);
  expect(ticksTo(4)).toEqual([0, 1, 2, 3, 4]);
  expect(ticksTo(0.73)).toEqual([0, 0.2, 0.4, 0.6, 0.8]);
  expect(ticksTo(0)).toEqual([0, 1]);
  expect(ticksTo(Number.NaN)).toEqual([0, 1]);
});

it("places every point between the axes, the largest at their ends", () => {
  const drawn = drawChart(goodput);
  const places = [...drawn.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="3"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);
  expect(places).toHaveLength(6);
  // Two is the end of one axis, and twenty that of the other.
  expect(places.at(-1)).toEqual([624, 56]);
  expect(places[0]).toEqual([204, 218]);
});

it("escapes what a chart says, and knows dark pages", () => {
  const drawn = drawChart(goodput);
  expect(drawn).toContain("Good streams &lt; offered &amp; &quot;more&quot;");
  expect(drawn).toContain("prefers-color-scheme:dark");
  expect(drawn).toMatch(/^<svg [^>]*viewBox="0 0 640 320"/);
});

it("refuses a name that could not be a file's", () => {
  expect(chart.safeParse({ ...goodput, name: "../goodput" }).success).toBe(false);
  expect(chart.safeParse(goodput).success).toBe(true);
});
