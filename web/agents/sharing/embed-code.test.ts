import { expect, it } from "vitest";
import { embedCode } from "./embed-code.js";

const plain = { position: "bottom-right", isOpen: false, colour: "", avatar: "", startLabel: "" } as const;

it("puts the widget on a page with as little as that takes", () => {
  expect(embedCode("https://speech.example", "a1", plain)).toBe(
    '<script src="https://speech.example/widget.js" defer></script>\n<parley-agent agent-id="a1"></parley-agent>',
  );
});

it("says what was chosen, and nothing of it ends its attribute", () => {
  const chosen = {
    ...plain,
    position: "inline",
    isOpen: true,
    colour: '"><b>&',
    avatar: "https://a.example/a.png",
  } as const;
  expect(embedCode("https://speech.example", "a1", chosen).split("\n")[1]).toBe(
    '<parley-agent agent-id="a1" position="inline" colour="&quot;>&lt;b>&amp;" avatar="https://a.example/a.png" open></parley-agent>',
  );
});

it("has words of the page's own as JSON", () => {
  expect(embedCode("https://speech.example", "a1", { ...plain, startLabel: "Call us" })).toContain(
    ' labels="{&quot;start&quot;:&quot;Call us&quot;}">',
  );
});
