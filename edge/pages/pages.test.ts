import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bracedPath } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { demoPage, demoPolicy } from "./demo.js";
import { examplePath } from "../openapi/code-samples.js";
import { documentationPage, documentationPolicy } from "./documentation.js";
import { escapeHtml } from "./html.js";
import { landingPage } from "./landing.js";

describe("the pages", () => {
  const documentation = documentationPage("http://host:1", {
    script: "/docs/assets/r.js",
    style: "/docs/assets/r.css",
  });

  it("show every operation with a call to this service", () => {
    for (const operation of operations) {
      const { method, path } = operation;
      expect(documentation).toContain(
        `<span class="verb">${method}</span><code>${escapeHtml(bracedPath(operation))}</code>`,
      );
      expect(documentation).toContain(escapeHtml(`"http://host:1${examplePath(path)}"`));
    }
  });

  it("name placeholders as shell variables", () => {
    expect(examplePath("/model/:id")).toBe("/model/$VOICE_ID");
    expect(examplePath("/v1/agent/agents/:agent_id/versions/:version_number")).toBe(
      "/v1/agent/agents/$AGENT_ID/versions/$VERSION_NUMBER",
    );
  });

  it("show bounds, defaults and every error", () => {
    expect(documentation).toContain("integer, 100 to 300, default 200");
    expect(documentation).toContain("Out of API credit");
    expect(documentation).not.toContain("undefined");
  });

  it("fetch nothing from elsewhere, and run no script but the reference", () => {
    const landing = landingPage("http://host:1", { hasConsole: true, hasDemo: true });
    expect(landing).not.toMatch(/<script|<link|<img|@import|url\(|src=/i);
    expect(documentation.match(/<script[^>]*>|<link[^>]*>/g)).toEqual([
      '<link rel="icon" href="data:,">',
      '<link rel="stylesheet" href="/docs/assets/r.css">',
      '<script type="module" src="/docs/assets/r.js">',
    ]);
    expect(documentation).not.toMatch(/<img|@import|url\(/i);
    for (const html of [documentation, landing]) expect(html.match(/href="(?!\/|#|data:,")[^"]*"/g)).toBeNull();
    expect(documentationPolicy).not.toMatch(/unsafe|https?:/);
  });

  it("show the messages of sockets, calls and webhooks", () => {
    for (const name of ["/v1/tts/live", "response.output_audio.delta", "client_tool.call", "call.analyzed"])
      expect(documentation).toContain(name);
  });

  it("lead to the console and to the demo where there is one", () => {
    const [all, neither] = [true, false].map((has) => landingPage("http://host:1", { hasConsole: has, hasDemo: has }));
    expect(all).toContain('<a href="/console">');
    expect(all).toContain('<a href="/demo">');
    expect(neither).not.toMatch(/\/console|\/demo/);
  });

  it("show the widget of the agent that is asked for, and nothing that the address smuggles in", () => {
    expect(demoPage("http://host:1", null)).not.toMatch(/<script|<parley-agent/);
    expect(demoPage("http://host:1", " a1 ")).toContain('<parley-agent agent-id="a1"');
    const hostile = demoPage("http://host:1", '"><script>alert(1)</script>');
    expect(hostile.match(/<script[^>]*>/g)).toEqual(['<script src="/widget.js" defer>']);
    expect(hostile).not.toContain('"">');
    expect(demoPage("http://host:1", "a".repeat(200))).not.toContain("a".repeat(129));
  });

  it("have one style sheet, which the policy of the demo names", () => {
    const [, sheet = ""] = /<style>([\s\S]*?)<\/style>/.exec(demoPage("http://host:1", null)) ?? [];
    const hash = createHash("sha256").update(sheet).digest("base64");
    expect(demoPolicy).toContain(`style-src 'sha256-${hash}'`);
    expect(demoPolicy).toContain("script-src 'self';");
  });

  it("escapes what it is given", () => {
    expect(escapeHtml(`<a href="x">'&'</a>`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  });
});
