import { describe, expect, it } from "vitest";
import { bracedPath } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";
import { documentationPage, examplePath } from "./documentation.js";
import { escapeHtml } from "./html.js";
import { landingPage } from "./landing.js";

describe("the pages", () => {
  const documentation = documentationPage("http://host:1");

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

  it("show bounds and every error", () => {
    expect(documentation).toContain("integer, 100 to 300");
    expect(documentation).toContain("Out of API credit");
    expect(documentation).not.toContain("undefined");
  });

  it("fetch nothing from elsewhere and run no script", () => {
    for (const html of [documentation, landingPage("http://host:1", { hasConsole: true })]) {
      expect(html).not.toMatch(/<script|<link|<img|@import|url\(|src=/i);
      expect(html.match(/href="(?!\/|#)[^"]*"/g)).toBeNull();
    }
  });

  it("lead to the console where there is one", () => {
    expect(landingPage("http://host:1", { hasConsole: true })).toContain('<a href="/console">');
    expect(landingPage("http://host:1", { hasConsole: false })).not.toContain("/console");
  });

  it("escapes what it is given", () => {
    expect(escapeHtml(`<a href="x">'&'</a>`)).toBe("&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  });
});
