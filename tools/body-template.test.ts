import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillBody, typedPlaceholders } from "./body-template.js";
import { placeholderNames, type TemplateValue } from "./template.js";

const filled = (template: string, contentType: string, values: Record<string, TemplateValue>): string =>
  fillBody(template, contentType, (name) => values[name]);

describe("JSON bodies", () => {
  it.each<[string, TemplateValue, unknown]>([
    ['{"a": "{{x}}"}', 'quote " here', { a: 'quote " here' }],
    ['{"a": "{{x}}"}', '", "admin": "true', { a: '", "admin": "true' }],
    ['{"a": "{{x}}"}', "line\nbreak \\ \u0001", { a: "line\nbreak \\ \u0001" }],
    ['{"a": "{{x}}"}', 42, { a: "42" }],
    ['{"a": "{{x}}"}', null, { a: "" }],
    ['{"a": "{{x}}"}', { b: [1] }, { a: '{"b":[1]}' }],
    ['{"a": "before {{x}} after"}', true, { a: "before true after" }],
    ['{"a": "\\"{{x}}\\""}', 'q"', { a: '"q""' }],
    ['{"a": "\\\\", "b": {{x}}}', 7, { a: "\\", b: 7 }],
    ['{"a": {{x}}}', 42, { a: 42 }],
    ['{"a": {{x}}}', "42", { a: "42" }],
    ['{"a": {{x}}}', false, { a: false }],
    ['{"a": {{x}}}', undefined, { a: null }],
    ['{"a": {{x}}}', { b: [1, "two"] }, { a: { b: [1, "two"] } }],
    ['{"a": {{ x }}}', '1, "admin": true', { a: '1, "admin": true' }],
    ["[{{x}}, {{x}}]", "v", ["v", "v"]],
    ["{{x}}", "whole", "whole"],
    ['{"{{x}}": 1}', 'key"', { 'key"': 1 }],
    ['{"a":{"b":{}}}', "unused", { a: { b: {} } }],
  ])("%s with %j", (template, value, expected) => {
    expect(JSON.parse(filled(template, "application/json", { x: value }))).toEqual(expected);
    expect(JSON.parse(filled(template, "application/problem+json; charset=utf-8", { x: value }))).toEqual(expected);
  });

  it("stay what they are whatever the values hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.jsonValue(), (text, value) => {
        const body = filled('{"s": "<{{s}}>", "v": {{v}}, "end": true}', "application/json", {
          s: text,
          v: value as TemplateValue,
        });
        expect(JSON.parse(body)).toEqual({ s: `<${text}>`, v: JSON.parse(JSON.stringify(value)), end: true });
      }),
    );
  });
});

describe("other bodies", () => {
  it.each([
    ["application/x-www-form-urlencoded", "a={{x}}&b=1", "1&b=2 +%", "a=1%26b%3D2%20%2B%25&b=1"],
    ["application/xml", "<a>{{x}}</a>", `</a><b c="d">&'`, "<a>&lt;/a&gt;&lt;b c=&quot;d&quot;&gt;&amp;&#39;</a>"],
    ["application/soap+xml", "<a>{{x}}</a>", "<", "<a>&lt;</a>"],
    ["text/html; charset=utf-8", "{{x}}", "<script>", "&lt;script&gt;"],
    ["text/plain", "say {{x}}!", 'a "b" <c> & d', 'say a "b" <c> & d!'],
    ["", "{{x}}", "as it is", "as it is"],
  ])("%s", (contentType, template, value, expected) => {
    expect(filled(template, contentType, { x: value })).toBe(expected);
  });
});

it("finds every placeholder once, and none in other braces", () => {
  expect(placeholderNames('{"a": {"b": "{{x}} {{ system.today }}{{x}}"}} {{}} {{{y}}} {z}')).toEqual([
    "x",
    "system.today",
    "",
    "y",
  ]);
});

describe("placeholders whose values keep their type", () => {
  it.each<[string, string, string[]]>([
    ["application/json", '{"a": {{a}}, "b": "{{b}}", "c{{c}}": [{{d}}, {{a}}]}', ["a", "d"]],
    ["application/problem+json; charset=utf-8", '{"q": "\\" {{b}}", "n": {{n}}}', ["n"]],
    ["application/x-www-form-urlencoded", "a={{a}}", []],
    ["", "{{a}}", []],
  ])("of %j are those outside of strings in %s", (contentType, template, names) => {
    expect([...typedPlaceholders(template, contentType)]).toEqual(names);
    // The value of each is a number in the filled body, and of no other.
    const value = filled(template, contentType, { a: 1, b: 1, c: 1, d: 1, n: 1 });
    if (contentType.includes("json")) expect(() => JSON.parse(value) as unknown).not.toThrow();
  });
});
