import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { CommandError, type Terminal } from "../command.js";
import { openShelf } from "./model-shelf.js";

const directory = mkdtempSync(join(tmpdir(), "parley-shelf-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** An inspection that reports `good` and `fatal`, and that loading `fatal` brings down. */
const program = `
const { load, roots } = JSON.parse(process.argv[2]);
for (const name of ["good", "fatal"]) {
  if (roots[0]?.startsWith("/shelf/") && !roots[0].endsWith(name)) continue;
  if (load && name === "fatal") { process.stderr.write("free(): invalid pointer\\n"); process.kill(process.pid, "SIGKILL"); await new Promise(() => setInterval(() => 0, 1000)); }
  console.log(JSON.stringify({ name, folder: "/shelf/" + name, task: "speak", engine: "onnx", languages: [], licence: "x", bytes: 1, embedded: false, problem: null, trial: null }));
}
`;

function terminal(): Terminal {
  const dist = join(directory, "dist");
  mkdirSync(join(dist, "workers/inspection"), { recursive: true });
  writeFileSync(join(dist, "workers/inspection/main.js"), program);
  writeFileSync(join(dist, "package.json"), '{"type":"module"}');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  return {
    environment: { PARLEY_DATA_DIR: join(directory, "data") },
    stdin: Readable.from([]),
    stdout,
    stderr,
    distDirectory: dist,
  };
}

describe("the shelf of models", () => {
  it("tells of a model that brings its process down, and tries the others", async () => {
    const models = await openShelf(terminal()).list([], true);
    expect(models.map(({ report }) => [report.name, report.problem])).toEqual([
      ["good", null],
      ["fatal", expect.stringMatching(/ended with SIGKILL: free\(\): invalid pointer/)],
    ]);
    expect(models.map(({ origin }) => origin)).toEqual(["configured", "configured"]);
  });

  it("says so when it cannot look at models at all", async () => {
    const broken = { ...terminal(), distDirectory: join(directory, "nowhere") };
    await expect(openShelf(broken).list([], false)).rejects.toThrow(CommandError);
  });

  it("throws away what adds that were killed left behind, after a day", async () => {
    const shelf = openShelf(terminal());
    const [old, young] = [await shelf.stage(), await shelf.stage()];
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    utimesSync(old, twoDaysAgo, twoDaysAgo);
    const newest = await shelf.stage();
    expect(
      readdirSync(shelf.folder)
        .map((name) => join(shelf.folder, name))
        .sort(),
    ).toEqual([young, newest].sort());
  });
});
