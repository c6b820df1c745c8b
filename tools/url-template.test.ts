import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TemplateValue } from "./template.js";
import { fillUrl, literalUrl, placesNoAuthority, sampleUrl } from "./url-template.js";

const filled = (url: string, values: Record<string, TemplateValue>): string | null =>
  fillUrl(url, (name) => values[name]);

describe("placesNoAuthority", () => {
  it.each([
    "https://api.example.com/orders/{{order}}",
    "http://api.example.com?x={{x}}",
    "https://api.example.com/a/{{x}}/b?q={{y}}#{{z}}",
    "HTTPS://api.example.com:8443/{{x}}",
    "https://[2001:db8::1]/{{x}}",
    "https://api.example.com",
  ])("takes %s", (url) => {
    expect(placesNoAuthority(url)).toBe(true);
  });

  it.each([
    "{{base}}/orders",
    "{{scheme}}://api.example.com/",
    "http{{s}}://api.example.com/",
    "https://{{host}}/orders",
    "https://{{sub}}.example.com/orders",
    "https://api.example.com{{path}}",
    "https://api.example.com:{{port}}/orders",
    "https://{{user}}@api.example.com/orders",
    "https://user:{{password}}@api.example.com/orders",
    "https://api.example.com{{a/b}}",
    "https://api.example.com{{a?b}}",
    "https:{{x}}//api.example.com/",
    "https:/{{x}}/api.example.com/",
    "https:///{{x}}",
    "https:///{{x}}.com",
    "https:////{{x}}.com/a",
    "https://\\{{x}}.com",
    "https://\t/{{x}}.com",
    "https:///user@{{x}}.com",
    "https:///{{x}}@example.com",
    "//api.example.com/{{x}}",
    "ftp://api.example.com/{{x}}",
    "javascript:{{x}}",
    " https://api.example.com/{{x}}",
    "api.example.com/{{x}}",
    "",
  ])("refuses %j", (url) => {
    expect(placesNoAuthority(url) && URL.canParse(sampleUrl(url)) && new URL(sampleUrl(url)).host !== "x").toBe(false);
  });
});

describe("fillUrl", () => {
  it.each<[TemplateValue, string]>([
    ["A-17", "A-17"],
    ["a b", "a%20b"],
    ["a/b", "a%2Fb"],
    ["../admin", "..%2Fadmin"],
    ["a?b=c", "a%3Fb%3Dc"],
    ["a#b", "a%23b"],
    ["a&b", "a%26b"],
    ["a\\b", "a%5Cb"],
    ["@evil.example", "%40evil.example"],
    ["a\r\nHost: x", "a%0D%0AHost%3A%20x"],
    ["%2e%2e", "%252e%252e"],
    ["名", "%E5%90%8D"],
    ["\ud800", "%EF%BF%BD"],
    [42, "42"],
    [true, "true"],
    [null, ""],
    [undefined, ""],
    [["a", 1], "%5B%22a%22%2C1%5D"],
  ])("encodes %j", (value, text) => {
    expect(filled("https://api.example.com/orders/{{x}}/state", { x: value })).toBe(
      `https://api.example.com/orders/${text}/state`,
    );
    expect(filled("https://api.example.com/?q={{ x }}&r=1", { x: value })).toBe(
      `https://api.example.com/?q=${text}&r=1`,
    );
  });

  it.each([
    ["https://h.example/a/{{x}}", { x: ".." }],
    ["https://h.example/a/{{x}}/b", { x: ".." }],
    ["https://h.example/a/{{x}}", { x: "." }],
    ["https://h.example/a/{{x}}{{y}}/b", { x: ".", y: "." }],
    ["https://h.example/a/.{{x}}?q", { x: "." }],
    ["https://h.example/a/%2e{{x}}#f", { x: "." }],
    ["https://h.example/a\\{{x}}\\b", { x: ".." }],
    ["https://h.example/a/{{x}}.", { x: "." }],
    ["https://h.example/a/..{{x}}/b", { x: "" }],
  ])("refuses %s with %j, which would leave the path", (url, values) => {
    expect(filled(url, values)).toBeNull();
  });

  it("lets dots stand where they lead nowhere", () => {
    expect(filled("https://h.example/v{{x}}/y?up={{x}}", { x: ".." })).toBe("https://h.example/v../y?up=..");
  });

  it("never changes who is called nor how many segments the path has", () => {
    const url = "https://api.example.com:8443/a/{{x}}/b/{{y}}?q={{x}}";
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (x, y) => {
        const result = filled(url, { x, y });
        if (result === null) return;
        const parsed = new URL(result);
        expect([parsed.origin, parsed.username, parsed.hash]).toEqual(["https://api.example.com:8443", "", ""]);
        const segments = parsed.pathname.split("/");
        expect([segments.length, segments[1], segments[3]]).toEqual([5, "a", "b"]);
        expect(parsed.searchParams.get("q")).toBe(x.replace(/\p{Surrogate}/gu, "\ufffd"));
      }),
    );
  });
});

it("literalUrl keeps the braces, in a form that can be sent", () => {
  expect(new URL(literalUrl("https://h.example/a/{{ x }}?q={{y}}")).href).toBe(
    "https://h.example/a/%7B%7B%20x%20%7D%7D?q=%7B%7By%7D%7D",
  );
});
