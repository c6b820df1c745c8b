import { expect, it } from "vitest";
import { differencesOf } from "./difference.js";

const config = {
  prompt: { system_prompt: "You help.\nBe short.", first_message: "Hello." },
  conversation: { interruptible: true, outbound: { voicemail: { action: "hangup" } } },
  tools: { tool_ids: ["t1"] },
  webhooks: { conversation_init: null, post_call: [{ url: "https://a.example/", has_secret: true }] },
  analysis: { data_fields: [] as unknown[] },
};

it("finds nothing between equal configurations", () => {
  expect(differencesOf(config, structuredClone(config))).toEqual([]);
});

it("names each field as the editor does, with what stood and stands in it", () => {
  const after = {
    ...config,
    prompt: { system_prompt: "You help.\nBe kind.", first_message: "" },
    conversation: { interruptible: false, outbound: { voicemail: { action: "leave_message" } } },
  };
  expect(differencesOf(config, after)).toEqual([
    {
      path: "prompt.system_prompt",
      label: "Instructions",
      before: "You help.\nBe short.",
      after: "You help.\nBe kind.",
      lines: [
        { kind: "same", text: "You help." },
        { kind: "gone", text: "Be short." },
        { kind: "new", text: "Be kind." },
      ],
    },
    { path: "prompt.first_message", label: "First message", before: "Hello.", after: "nothing", lines: null },
    { path: "conversation.interruptible", label: "Callers may interrupt it", before: "on", after: "off", lines: null },
    {
      path: "conversation.outbound.voicemail.action",
      label: "At an answering machine",
      before: "Hang up",
      after: "Leave the message",
      lines: null,
    },
  ]);
});

it("shows things of lists one in a line, and ids by name", () => {
  const after = {
    ...config,
    tools: { tool_ids: ["t1", "t2"] },
    webhooks: { conversation_init: { url: "https://b.example/", has_secret: false }, post_call: [] },
    analysis: { data_fields: [{ name: "room", type: "enum", description: "", enum_options: ["one", "two"] }] },
  };
  const found = differencesOf(config, after, new Map([["t1", "Find an order"]]));
  expect(found.map(({ label, before, after }) => [label, before, after])).toEqual([
    ["Attached tools", "Find an order", "Find an order\nt2"],
    ["Before a call", "nothing", "url: https://b.example/; has secret: off"],
    ["After a call", "url: https://a.example/; has secret: on", "nothing"],
    ["Data to find", "nothing", "name: room; type: enum; enum options: one, two"],
  ]);
});

it("names a field that the console does not know by its path", () => {
  expect(differencesOf({ later: { field: 1 } }, { later: { field: 2 } })).toMatchObject([
    { label: "later.field", before: "1", after: "2" },
  ]);
});
