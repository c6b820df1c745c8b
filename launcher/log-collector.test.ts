import { expect, it } from "vitest";
import { forFile, forTerminal } from "./log-collector.js";

it("shows warnings and errors in words, and keeps the rest for the file", () => {
  expect(forTerminal('{"level":30,"msg":"ready"}')).toBeNull();
  expect(forTerminal('{"level":40,"msg":"lost the connection to NATS"}')).toEqual({
    level: "warn",
    text: "lost the connection to NATS",
  });
  const fatal = '{"level":60,"err":{"type":"Error","message":"boom","stack":"…"},"msg":"could not start"}';
  expect(forTerminal(fatal)).toEqual({ level: "error", text: "could not start: boom" });
});

it("takes lines that are not JSON for errors", () => {
  expect(forTerminal("FATAL ERROR: heap out of memory")).toEqual({
    level: "error",
    text: "FATAL ERROR: heap out of memory",
  });
  expect(forTerminal("{ half an object")).toEqual({ level: "error", text: "{ half an object" });
  expect(forTerminal("")).toBeNull();
});

it("keeps the log file one JSON object a line", () => {
  expect(forFile('{"level":30,"msg":"ready"}', "edge")).toBe('{"level":30,"msg":"ready"}');
  expect(JSON.parse(forFile("    at somewhere (file.js:1:2)", "edge"))).toMatchObject({
    role: "edge",
    msg: "    at somewhere (file.js:1:2)",
  });
});
