import { describe, expect, it } from "vitest";
import { MAX_ARGUMENT_CHARACTERS, type Rendering, renderTestRequest, renderToolRequest } from "./render.js";
import type { ToolDefinition } from "./definition.js";
import { webhook } from "./testing/definition.js";

const order = { name: "order", description: "" };
const render = (change: Partial<ToolDefinition>, given: Record<string, unknown>, system = {}): Rendering =>
  renderToolRequest(
    { definition: webhook({ arguments: [order], ...change }), credentials: { authorization: "Bearer {{order}}" } },
    given,
    system,
  );
const bodyOf = (rendering: Rendering): string | null => {
  const body = rendering.ok ? rendering.request.body : null;
  return body === null ? null : Buffer.from(body).toString();
};

describe("renderToolRequest", () => {
  it("fills the url, custom headers and the body", () => {
    const rendering = render(
      {
        url: "https://api.example.com/orders/{{order}}?day={{system.today}}",
        headers: [{ name: "X-Caller", kind: "custom", value: "{{system.caller_number}} wants {{order}}" }],
        body_template: '{"order": {{order}}, "channel": "{{system.channel}}"}',
      },
      { order: "A 1" },
      { today: "2026-11-20", caller_number: "+4930", channel: "web_voice" },
    );
    expect(rendering).toMatchObject({
      ok: true,
      request: {
        method: "POST",
        url: "https://api.example.com/orders/A%201?day=2026-11-20",
        headers: [
          ["X-Caller", "+4930 wants A 1"],
          ["Content-Type", "application/json"],
        ],
      },
    });
    expect(bodyOf(rendering)).toBe('{"order": "A 1", "channel": "web_voice"}');
  });

  it("sends credentials exactly as stored, out of reach of arguments", () => {
    const rendering = render(
      { headers: [{ name: "Authorization", kind: "authorization_bearer", value: null }] },
      { order: "x", authorization: "y" },
    );
    expect(rendering).toMatchObject({
      ok: true,
      request: { headers: [["Authorization", "Bearer {{order}}"]], body: null },
    });
  });

  it("knows declared arguments and system variables only", () => {
    const template = '["{{order}}", "{{system.language}}"]';
    const given = { order: 1, other: "x", "system.language": "stolen", system: { language: "stolen" } };
    expect(bodyOf(render({ body_template: template }, given))).toBe('["1", ""]');
    expect(
      bodyOf(render({ arguments: [{ name: "toString", description: "" }], body_template: '["{{toString}}"]' }, {})),
    ).toBe('[""]');
  });

  it.each(["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u0000b", "a\u007fb", "naïve 名"])("refuses %j in a header", (value) => {
    const headers = [{ name: "X-Order", kind: "custom" as const, value: "{{order}}" }];
    expect(render({ headers }, { order: value })).toMatchObject({
      ok: false,
      failure: { problem: "value_not_allowed_in_header" },
    });
  });

  it("takes Latin-1 and tabs in a header", () => {
    const headers = [{ name: "X-Order", kind: "custom" as const, value: "<{{order}}>" }];
    expect(render({ headers }, { order: "naïve\tx" })).toMatchObject({
      request: { headers: [["X-Order", "<naïve\tx>"]] },
    });
  });

  it("refuses values that leave the path, that are too long, or that make too long a request together", () => {
    expect(render({ url: "https://h.example/{{order}}/x" }, { order: ".." })).toMatchObject({
      failure: { problem: "value_leaves_path" },
    });
    const long = "x".repeat(MAX_ARGUMENT_CHARACTERS);
    expect(render({ body_template: "{{order}}" }, { order: long }).ok).toBe(true);
    expect(render({ body_template: "{{order}}" }, { order: `${long}x` })).toMatchObject({
      failure: { problem: "argument_too_long" },
    });
    expect(render({ body_template: "{{order}}".repeat(101) }, { order: long })).toMatchObject({
      failure: { problem: "request_too_long" },
    });
    const headers = [{ name: "X", kind: "custom" as const, value: "{{order}}".repeat(101) }];
    expect(render({ headers }, { order: long })).toMatchObject({ failure: { problem: "request_too_long" } });
  });

  it("sends no body with GET, and no content type without a body", () => {
    expect(render({ method: "GET", body_template: "{{order}}" }, { order: 1 })).toMatchObject({
      request: { headers: [], body: null },
    });
    expect(render({ method: "DELETE" }, {})).toMatchObject({ request: { method: "DELETE", headers: [], body: null } });
  });

  it("leaves a content type of the headers alone", () => {
    const headers = [{ name: "content-type", kind: "custom" as const, value: "text/csv" }];
    expect(render({ headers, body_template: "a" }, {})).toMatchObject({
      request: { headers: [["content-type", "text/csv"]] },
    });
  });
});

describe("renderTestRequest", () => {
  const definition = webhook({
    arguments: [order],
    url: "https://h.example/{{order}}",
    headers: [{ name: "X-From", kind: "custom", value: "[{{system.caller_number}}]" }],
    body_template: '{"order": "{{order}}", "today": "{{system.today}}"}',
  });
  const test = (given: Record<string, unknown>): Rendering =>
    renderTestRequest({ definition, credentials: {} }, given, "https://h.example/saved");

  it("leaves system variables empty unless they come in the arguments, and the url alone", () => {
    expect(test({ order: "1" })).toMatchObject({ request: { url: "https://h.example/saved" } });
    expect(test({ order: "1" })).toMatchObject({
      request: {
        headers: [
          ["X-From", "[]"],
          ["Content-Type", "application/json"],
        ],
      },
    });
    expect(bodyOf(test({ order: "1" }))).toBe('{"order": "1", "today": ""}');
    expect(bodyOf(test({ order: "1", system: { today: "2026-11-20", toString: 1 } }))).toBe(
      '{"order": "1", "today": "2026-11-20"}',
    );
    expect(bodyOf(test({ system: "no object" }))).toBe('{"order": "", "today": ""}');
  });

  it("refuses line breaks in a system variable of a header", () => {
    expect(test({ system: { caller_number: "1\r\nX: y" } })).toMatchObject({
      failure: { problem: "value_not_allowed_in_header" },
    });
  });
});
