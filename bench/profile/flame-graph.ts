import type { Frame, Origin } from "./cpu-profile.js";

const WIDTH = 1200;
const ROW = 17;
const HEAD = 44;
/** Narrower frames cannot be seen, and their sum would make the file large. */
const LEAST_WIDTH = 2.4;
const CHARACTER_WIDTH = 6.3;

const colours: Readonly<Record<Origin, string>> = {
  ours: "#7fb2e5",
  dependency: "#f2c572",
  node: "#c3c9d1",
  collector: "#ec8f8f",
};

/**
 * Stacks as a flame graph: each row is called by the one above it, the width of a frame is its time with all that it
 * called. A picture for any background, with each frame's name, place and time as its tooltip.
 */
export function flameGraph(title: string, root: Frame): string {
  const rows: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, x: number, row: number): void => {
    const width = root.ms === 0 ? 0 : (frame.ms / root.ms) * WIDTH;
    if (width < LEAST_WIDTH) return;
    depth = Math.max(depth, row + 1);
    rows.push(box(frame, { x, y: HEAD + row * ROW, width }, root.ms));
    let left = x;
    for (const child of frame.children) {
      draw(child, left, row + 1);
      left += (child.ms / root.ms) * WIDTH;
    }
  };
  draw(root, 0, 0);
  const height = HEAD + depth * ROW + 4;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="4" y="15" font-size="13">${escaped(title)}</text>`,
    `<text x="4" y="34">${legend()}</text>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function legend(): string {
  const meanings: Record<Origin, string> = {
    ours: "Parley",
    dependency: "packages",
    node: "Node.js",
    collector: "garbage collector",
  };
  return (Object.keys(meanings) as Origin[])
    .map((origin) => `<tspan fill="${colours[origin]}">■</tspan> ${meanings[origin]}  `)
    .join("");
}

function box(frame: Frame, { x, y, width }: { x: number; y: number; width: number }, totalMs: number): string {
  const share = `${((100 * frame.ms) / totalMs).toFixed(1)} %`;
  const tip = `${frame.name} ${frame.place}, ${frame.ms.toFixed(0)} ms, ${share}`.replaceAll("  ", " ");
  const room = Math.floor((width - 4) / CHARACTER_WIDTH);
  const label = frame.name.length <= room ? frame.name : room >= 4 ? `${frame.name.slice(0, room - 1)}…` : "";
  const text = label === "" ? "" : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`;
  const size = `x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, width - 0.5).toFixed(1)}" height="${ROW - 1}"`;
  return `<g><title>${escaped(tip)}</title><rect ${size} fill="${colours[frame.origin]}"/>${text}</g>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
