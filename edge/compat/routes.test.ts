import { describe, expect, it } from "vitest";
import { compatMounts, compatOperations } from "#protocol/compat/operations";
import { TranscriptionBench } from "../transcription/testing/transcription-bench.js";
import { SpeechBench } from "../speech/testing/speech-bench.js";
import { compatRoutes } from "./routes.js";

const { http, sockets } = compatRoutes(new SpeechBench().context, new TranscriptionBench().context);
const served = new Set([
  ...http.map(({ method, path }) => `${method} ${path}`),
  ...sockets.map(({ path }) => `WebSocket ${path}`),
]);
const declared = compatOperations.flatMap(({ protocol, method, path }) =>
  compatMounts[protocol].map((mount) => `${method} ${mount}${path}`),
);

/** They take no parameters to speak of: lists and stubs. */
const lists = /^GET .*\/(models|voices|voices\/:voice_id|user|user\/subscription)$/;

describe("the tables of docs/compatibility.md and the router", () => {
  it("tell of the same operations", () => {
    expect(declared.filter((operation) => !served.has(operation))).toEqual([]);
    const unreported = [...served].filter(
      (operation) => !declared.includes(operation) && !operation.endsWith("/*") && !lists.test(operation),
    );
    expect(unreported).toEqual([]);
  });

  it("name no parameter of an operation twice, and explain each", () => {
    for (const { path, parameters } of compatOperations) {
      const names = parameters.map(({ name, place }) => `${place} ${name}`);
      expect(
        names.filter((name, index) => names.indexOf(name) !== index),
        path,
      ).toEqual([]);
      for (const { note } of parameters) expect(note.length).toBeGreaterThan(5);
    }
  });
});
