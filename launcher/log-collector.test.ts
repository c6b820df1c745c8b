import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { forTerminal, openLogFile } from "./log-collector.js";

it("shows warnings and errors in words, and keeps the rest for the file", () => {
  expect(forTerminal('{"level":30,"msg":"ready"}')).toBeNull();
  expect(forTerminal('{"level":40,"msg":"lost the connection to NATS"}')).toEqual({ level: "warn", text: "lost the connection to NATS" });
  const fatal = '{"level":60,"err":{"type":"Error","message":"boom","stack":"…"},"msg":"could not start"}';
  expect(forTerminal(fatal)).toEqual({ level: "error", text: "could not start: boom" });
});

it("takes lines that are not JSON for errors", () => {
  expect(forTerminal("FATAL ERROR: heap out of memory")).toEqual({ level: "error", text: "FATAL ERROR: heap out of memory" });
  expect(forTerminal("{ half an object")).toEqual({ level: "error", text: "{ half an object" });
  expect(forTerminal("")).toBeNull();
});

it("keeps the log file one JSON object a line", () => {
  const directory = mkdtempSync(join(tmpdir(), "parley-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "edge.log");
  const log = openLogFile(file, "edge");
  log.write('{"level":30,"msg":"ready"}');
  log.write("    at somewhere (file.js:1:2)");
  log.close();
  const records = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as { msg: string; role?: string });
  expect(records.map((record) => record.msg)).toEqual(["ready", "    at somewhere (file.js:1:2)"]);
  expect(records[1]?.role).toBe("edge");
});
