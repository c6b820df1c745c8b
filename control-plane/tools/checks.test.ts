import { describe, expect, it } from "vitest";
import type { ToolType } from "#protocol/tools";
import { toolProblems } from "./checks.js";
import type { ToolDefinition } from "#tools/definition";
import { webhook } from "#tools/testing/definition";

const found = (toolType: ToolType, change: Partial<ToolDefinition>, name = "tool"): (string | number)[][] =>
  toolProblems(toolType, name, webhook(change)).map((problem) => problem.loc.slice(1));
const client = { url: "" };
const order = { name: "order", description: "" };
const custom = (name: string, value: string) => ({ name, kind: "custom" as const, value });

describe("toolProblems", () => {
  it.each<[string, ToolType, Partial<ToolDefinition>, string?]>([
    ["a plain webhook", "webhook", {}],
    [
      "declared arguments",
      "webhook",
      { arguments: [order], url: "https://h.example/{{order}}", body_template: "{{ order }}" },
    ],
    ["arguments in headers", "webhook", { arguments: [order], headers: [custom("X", "{{order}}")] }],
    [
      "system variables",
      "webhook",
      { url: "https://h.example/{{system.today}}", body_template: "{{system.caller_number}}" },
    ],
    ["a slow background webhook", "webhook", { execution_mode: "background", timeout_seconds: 300 }],
    ["a client tool", "client", client],
    ["an integration", "integration", { url: "", integration: "google_calendar:create_event" }],
    [
      "credentials with braces",
      "webhook",
      { headers: [{ name: "Authorization", kind: "authorization_bearer", value: null }] },
    ],
  ])("finds nothing in %s", (_, toolType, change, name) => {
    expect(found(toolType, change, name)).toEqual([]);
  });

  it.each<[string, ToolType, Partial<ToolDefinition>, (string | number)[], string?]>([
    ["no url", "webhook", { url: "" }, ["url"]],
    ["a placeholder for the host", "webhook", { arguments: [order], url: "https://{{order}}/" }, ["url"]],
    ["an undeclared placeholder in the url", "webhook", { url: "https://h.example/{{order}}" }, ["url"]],
    ["an unknown system variable", "webhook", { url: "https://h.example/{{system.secret}}" }, ["url"]],
    ["a bare system", "webhook", { body_template: "{{system}}" }, ["body_template"]],
    ["an empty placeholder", "webhook", { body_template: "{{}}" }, ["body_template"]],
    [
      "an undeclared placeholder in a header",
      "webhook",
      { headers: [custom("A", "x"), custom("B", "{{order}}")] },
      ["headers", 1, "value"],
    ],
    [
      "a header that frames the message",
      "webhook",
      { headers: [custom("Content-Length", "1")] },
      ["headers", 0, "name"],
    ],
    ["a header that names the host", "webhook", { headers: [custom("host", "internal")] }, ["headers", 0, "name"]],
    ["a header twice", "webhook", { headers: [custom("X-A", "1"), custom("x-a", "2")] }, ["headers", 1, "name"]],
    ["an argument twice", "webhook", { arguments: [order, order] }, ["arguments", 1, "name"]],
    ["a slow blocking webhook", "webhook", { timeout_seconds: 121 }, ["timeout_seconds"]],
    [
      "a slow fire-and-forget webhook",
      "webhook",
      { execution_mode: "fire_and_forget", timeout_seconds: 121 },
      ["timeout_seconds"],
    ],
    ["a slow client tool", "client", { ...client, timeout_seconds: 121 }, ["timeout_seconds"]],
    ["a client tool in the background", "client", { ...client, execution_mode: "background" }, ["execution_mode"]],
    ["a client tool with a url", "client", {}, ["url"]],
    ["a client tool with headers", "client", { ...client, headers: [custom("X", "1")] }, ["headers"]],
    ["a client tool with a body", "client", { ...client, body_template: "x" }, ["body_template"]],
    ["a client tool with a spoken name", "client", client, ["name"], "Open page"],
    ["a client tool with a leading underscore", "client", client, ["name"], "_open"],
    ["a client tool with too long a name", "client", client, ["name"], "a".repeat(65)],
    ["an integration without its name", "integration", { url: "" }, ["integration"]],
    ["a webhook with an integration", "webhook", { integration: "a:b" }, ["integration"]],
  ])("finds %s", (_, toolType, change, loc, name) => {
    expect(found(toolType, change, name)).toEqual([loc]);
  });
});
