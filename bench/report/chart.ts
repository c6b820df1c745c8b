import { z } from "zod";

/** Lines over two axes that begin at zero. */
export const chart = z.object({
  /** Part of a file's name. */
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  x: z.string(),
  y: z.string(),
  series: z.array(z.object({ label: z.string(), points: z.array(z.tuple([z.number(), z.number()])) })),
});

export type Chart = z.infer<typeof chart>;

const WIDTH = 640;
const HEIGHT = 320;
/** Where the axes lie. */
const LEFT = 64;
const RIGHT = WIDTH - 16;
const TOP = 56;
const BOTTOM = HEIGHT - 48;
const TICKS = 5;
/** Apart from each other for those who do not tell red from green, on white and on black. */
const COLOURS = ["#0f7fd6", "#d9730d", "#7a5cd0", "#1f9d63"];

/** Draws a chart as SVG, readable on a light page and on a dark one. */
export function drawChart({ title, x, y, series }: Chart): string {
  const points = series.flatMap((line) => line.points);
  const [ticksX, ticksY] = [
    ticksTo(Math.max(...points.map(([at]) => at))),
    ticksTo(Math.max(...points.map(([, to]) => to))),
  ];
  const [mostX, mostY] = [ticksX.at(-1) ?? 1, ticksY.at(-1) ?? 1];
  const placeX = (value: number): number => round(LEFT + (value / mostX) * (RIGHT - LEFT));
  const placeY = (value: number): number => round(BOTTOM - (value / mostY) * (BOTTOM - TOP));
  const lines = [
    ...ticksY.map((value) => `<path class="grid" d="M${LEFT} ${placeY(value)}H${RIGHT}"/>`),
    ...ticksY.map((value) => text(LEFT - 8, placeY(value) + 4, "end", String(value))),
    ...ticksX.map((value) => text(placeX(value), BOTTOM + 18, "middle", String(value))),
    text((LEFT + RIGHT) / 2, HEIGHT - 8, "middle", x),
    text(LEFT, TOP - 10, "start", y),
    `<text class="title" x="${LEFT}" y="18">${escaped(title)}</text>`,
    ...series.flatMap(({ label, points: own }, index) => {
      const colour = COLOURS[index % COLOURS.length] ?? "";
      const path = own.map(([at, to], i) => `${i === 0 ? "M" : "L"}${placeX(at)} ${placeY(to)}`).join("");
      const legendX = RIGHT - (series.length - index) * 110;
      return [
        `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...own.map(([at, to]) => `<circle cx="${placeX(at)}" cy="${placeY(to)}" r="3" fill="${colour}"/>`),
        `<circle cx="${legendX}" cy="${TOP - 14}" r="4" fill="${colour}"/>`,
        text(legendX + 8, TOP - 10, "start", label),
      ];
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    "<style>text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}.grid{stroke:#ccc}svg{background:#fff}",
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}svg{background:#111}}</style>",
    ...lines,
    "</svg>",
    "",
  ].join("\n");
}

/** Round numbers from 0 to at least `most`, evenly apart. */
export function ticksTo(most: number): number[] {
  if (!Number.isFinite(most) || most <= 0) return [0, 1];
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

function text(x: number, y: number, anchor: "start" | "middle" | "end", content: string): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
