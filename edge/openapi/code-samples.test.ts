import { describe, expect, it } from "vitest";
import type { Operation } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { codeSamples } from "./code-samples.js";
import { exampleRequest } from "./example-request.js";

const operationOf = (method: string, path: string): Operation =>
  operations.find((operation) => operation.method === method && operation.path === path) as Operation;
const samplesOf = (method: string, path: string): Record<string, string> =>
  Object.fromEntries(codeSamples(operationOf(method, path)).map(({ lang, source }) => [lang, source]));

describe("the example of an operation", () => {
  it("is read from every curl call, and its JSON is JSON", () => {
    for (const operation of operations) {
      const { json } = exampleRequest(operation);
      if (json !== null) expect(JSON.parse(json)).toBeTypeOf("object");
      if (operation.body !== undefined && operation.body.optional !== true) {
        const { form } = exampleRequest(operation);
        expect([operation.path, json !== null || form.length > 0]).toEqual([operation.path, true]);
      }
    }
  });

  it("refuses a call that it cannot read", () => {
    expect(() => exampleRequest({ curl: "--compressed x" })).toThrow("--compressed is not known");
    expect(() => exampleRequest({ curl: "-H" })).toThrow("-H has no value");
    expect(() => exampleRequest({ curl: "-F audio" })).toThrow("audio has no =");
  });

  it("comes in three languages, and for a socket in curl's", () => {
    for (const operation of operations)
      expect(codeSamples(operation).map(({ lang }) => lang)).toEqual(
        operation.success.status === 101 ? ["Shell"] : ["Shell", "TypeScript", "Python"],
      );
  });

  it("has headers, a body and a file for the answer", () => {
    const { TypeScript, Python } = samplesOf("POST", "/v1/tts");
    expect(TypeScript).toBe(
      [
        'import { writeFileSync } from "node:fs";',
        'import { env } from "node:process";',
        "",
        "const response = await fetch(`http://localhost:8080/v1/tts`, {",
        '  method: "POST",',
        `  headers: { Authorization: \`Bearer \${env.PARLEY_API_KEY}\`, "model": "s2-pro", "Content-Type": "application/json" },`,
        '  body: JSON.stringify({"text": "Hello there.", "format": "mp3"}),',
        "});",
        "if (!response.ok) throw new Error(String(response.status));",
        'writeFileSync("hello.mp3", Buffer.from(await response.arrayBuffer()));',
      ].join("\n"),
    );
    expect(Python).toBe(
      [
        "import os",
        "import requests",
        "",
        "response = requests.post(",
        '    "http://localhost:8080/v1/tts",',
        '    headers={"Authorization": "Bearer " + os.environ["PARLEY_API_KEY"], "model": "s2-pro"},',
        '    json={"text": "Hello there.", "format": "mp3"},',
        ")",
        "response.raise_for_status()",
        'open("hello.mp3", "wb").write(response.content)',
      ].join("\n"),
    );
  });

  it("has forms, queries, placeholders and constants of the language", () => {
    const form = samplesOf("POST", "/v1/asr");
    expect(form["TypeScript"]).toContain('form.append("audio", await openAsBlob("speech.wav"), "speech.wav");');
    expect(form["Python"]).toContain('    files={"audio": open("speech.wav", "rb")},');
    const agent = samplesOf("PATCH", "/v1/agent/agents/:agent_id");
    expect(agent["Python"]).toContain("f\"http://localhost:8080/v1/agent/agents/{os.environ['AGENT_ID']}\"");
    expect(agent["Python"]).toContain('"public_enabled": True');
    expect(agent["TypeScript"]).toContain(`/v1/agent/agents/\${env.AGENT_ID}\``);
    expect(samplesOf("GET", "/model")["Python"]).toContain('/model?page_size=5&self=true"');
  });

  it("takes the key of a body from the environment too", () => {
    const { TypeScript, Python } = samplesOf("POST", "/v1/console/session");
    expect(TypeScript).toContain('JSON.stringify({"api_key": env.PARLEY_API_KEY})');
    expect(Python).toContain('json={"api_key": os.environ["PARLEY_API_KEY"]}');
  });
});
