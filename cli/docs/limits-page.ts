import { type Limit, limits } from "#protocol/limit-table";
import { type SizedOperation, sizedOperations } from "#protocol/operations/sized-operations";
import { generatedNote, markdownTable } from "./markdown.js";

const introduction = `What one request, one socket or one client may take, and what happens at the first byte, value or second more. None of it can be set; what an operator
can set (streams of a team, silence on a connection, a client that does not read, the least rate of an upload) is in [configuration.md](configuration.md). Bounds of single fields are in
\`/openapi.json\`. A refusal looks as [errors.md](errors.md) says, or as the other vendor's does.

All uploads of audio to one edge share 168 MB, counted as they arrive. A team may have half of what the others leave; an upload that finds no room waits for up to 20 seconds,
then the answer is a 503.
`;

/** `docs/limits.md`, from the declarations that the code uses. */
export function limitsPage(): string {
  const bodies = sizedOperations.filter(({ method }) => method !== "WebSocket");
  const frames = sizedOperations.filter(({ method }) => method === "WebSocket");
  return [
    "# Limits",
    generatedNote("protocol/limits.ts, protocol/limit-table.ts and the tables of operations"),
    introduction,
    "## Bodies\n\nA larger one is a 413, as soon as its size is announced or so much has come. Every other operation takes no body.\n",
    sizesTable(bodies, "operations"),
    "\n## Frames\n\nA larger one closes the socket with 1009.\n",
    sizesTable(frames, "sockets"),
    "\n## Everything else\n",
    markdownTable(
      ["what", "at most", "beyond it", ""],
      Object.values<Limit>(limits).map(({ of, most, unit, beyond, note }) => [
        of,
        amount(most, unit),
        beyond,
        note ?? "",
      ]),
    ),
    "",
  ].join("\n");
}

/** One line for each size, the smallest first. */
function sizesTable(operations: readonly SizedOperation[], head: string): string {
  const sizes = [...new Set(operations.map(({ maxBytes }) => maxBytes))].sort((a, b) => a - b);
  const names = (bytes: number): string =>
    operations
      .filter(({ maxBytes }) => maxBytes === bytes)
      .map(({ method, path }) => `\`${method} ${path}\``)
      .join("<br>");
  return markdownTable(
    ["at most", head],
    sizes.map((bytes) => [amount(bytes, "bytes"), names(bytes)]),
  );
}

/** An amount with its unit; bytes in the largest unit that divides them. */
function amount(most: number, unit: Limit["unit"]): string {
  if (unit === "ms") return `${most / 1000} seconds`;
  if (unit !== "bytes") return `${most.toLocaleString("en-US")} ${unit}`;
  if (most % (1024 * 1024) === 0) return `${most / (1024 * 1024)} MiB`;
  return most % 1024 === 0 ? `${(most / 1024).toLocaleString("en-US")} KiB` : `${most.toLocaleString("en-US")} bytes`;
}
