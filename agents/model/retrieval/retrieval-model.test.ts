import { describe, expect, it } from "vitest";
import type { KnowledgePassage } from "#protocol/bus/conversation";
import type { ModelToolCall } from "../../dialogue/input.js";
import { modelTools } from "../../prompt/model-tools.js";
import { planOf } from "../../testing/plan.js";
import type { AnswerContext, ModelMessage } from "../language-model.js";
import { intentOf } from "./intent.js";
import { openRetrievalModel, retrievalReply } from "./retrieval-model.js";
import { sentencesOf } from "./sentences.js";

const passage = (heading: string, content: string, sourceName = "visitor-guide.md"): KnowledgePassage => ({
  ...{ sourceId: "s", sourceName, heading, content, score: 1 },
});
const guide = [
  passage(
    "Opening hours",
    "# Opening hours\n\nThe museum is open from Tuesday to Sunday. It opens at nine and closes at five. On Mondays it is closed.\n\n- Last entry is at half past four.",
  ),
  passage("Tickets", "A ticket costs twelve euros. Children under six pay nothing. Dogs stay outside."),
];

const reply = (callerText: string | null, change: Partial<AnswerContext> & { language?: string } = {}): string => {
  const { language = "en", ...context } = change;
  const plan = planOf({ config: { voice: { speaking_language: language as "en" } } });
  return retrievalReply(plan, { passages: guide, instructionKind: null, callerText, ...context }).text;
};

describe("an answer of the embedded responder", () => {
  it.each([
    ["What does a ticket cost?", "A ticket costs twelve euros."],
    ["Hello, could you please tell me how much the tickets cost?", "A ticket costs twelve euros."],
    ["When is the last entry?", "Last entry is at half past four."],
    ["Are you open on Mondays?", "On Mondays it is closed."],
    ["do children pay", "Children under six pay nothing."],
  ])("to %j quotes the sentence that answers, with its source", (question, sentence) => {
    const text = reply(question);
    expect(text).toMatch(/^In “visitor guide” it says: /);
    expect(text).toContain(sentence);
    expect(text.match(/[.]/g)?.length).toBeLessThanOrEqual(3);
  });

  it.each([
    "What is the capital of France?",
    "Can I park my car there?",
    "Tell me a joke.",
    "Which famous painter stole a ticket in Vienna?",
    "um",
    "…",
    "please",
  ])("to %j is that there is none", (question) => {
    expect(reply(question)).toBe("I have no answer to that.");
  });

  it("is none without passages", () => {
    expect(reply("What does a ticket cost?", { passages: [] })).toBe("I have no answer to that.");
  });

  it.each([
    [
      "de",
      "Was kostet eine Eintrittskarte?",
      "Die Eintrittskarte kostet zwölf Euro. Hunde bleiben draußen.",
      "Die Eintrittskarte kostet zwölf Euro.",
    ],
    [
      "fr",
      "Combien coûte le billet ?",
      "Le billet coûte douze euros. Les chiens restent dehors.",
      "Le billet coûte douze euros.",
    ],
    [
      "es",
      "¿Cuánto cuesta la entrada?",
      "La entrada cuesta doce euros. Los perros se quedan fuera.",
      "La entrada cuesta doce euros.",
    ],
    ["ja", "入場料はいくらですか", "入場料は千円です。犬は入れません。", "入場料は千円です。"],
    ["zh", "门票多少钱", "门票价格是多少？门票十二欧元。狗不能入内。", "门票十二欧元。"],
    ["ko", "입장권은 얼마예요", "입장권은 만 원입니다. 개는 들어올 수 없습니다.", "입장권은 만 원입니다."],
  ])("in %s quotes and says that there is none in that language", (language, question, content, sentence) => {
    const text = reply(question, { language, passages: [passage("", content, "info.txt")] });
    expect(text).toContain(sentence);
    expect(text).toContain("info");
    expect(text).not.toMatch(/Hunde|chiens|perros|犬|狗|개는/);
    const none = reply(question, { language, passages: [] });
    expect(none).not.toBe(reply(question, { passages: [] }));
    expect(none).not.toContain("info");
  });

  it("of a document that asks and answers is the answer", () => {
    const content = "How do I pay? In cash or by card.\n\nCan I bring my dog? No, dogs stay outside.";
    const questions = (text: string): string => reply(text, { passages: [passage("Questions", content)] });
    expect(questions("How can I pay?")).toBe("In “visitor guide” it says: In cash or by card.");
    expect(questions("May I bring a dog?")).toBe("In “visitor guide” it says: No, dogs stay outside.");
  });

  it("leaves out sentences that share a word and say something else", () => {
    const content =
      "Every ticket has a number. A ticket costs twelve euros. Keep your ticket. Ask for the ticket office.";
    expect(reply("What does a ticket cost?", { passages: [passage("Prices", content)] })).toBe(
      "In “visitor guide” it says: A ticket costs twelve euros.",
    );
  });

  it("has at most three sentences and some 400 characters", () => {
    const content = "The ticket office sells a ticket. ".repeat(50);
    const text = reply("Where is the ticket office?", { passages: [passage("Ticket office", content)] });
    expect(text.match(/sells a ticket/g)).toHaveLength(3);
    const long = `The ticket ${"really ".repeat(50)}costs. `;
    expect(reply("ticket", { passages: [passage("", long.repeat(3))] }).length).toBeLessThan(500);
  });
});

describe("what else it says", () => {
  it("greets with the agent's own first message, or in its language", () => {
    const greet = { callerText: null, passages: [], instructionKind: "greet" as const };
    const own = { first_message: "Welcome, {{name}}." };
    const plan = planOf({ config: { prompt: own }, dynamicVariables: { name: "Grace" } });
    expect(retrievalReply(plan, greet).text).toBe("Welcome, Grace.");
    expect(retrievalReply(planOf(), greet).text).toBe("Hello! What can I do for you?");
    const german = { voice: { speaking_language: "de" as const } };
    expect(retrievalReply(planOf({ config: german }), greet).text).toBe("Guten Tag. Was möchten Sie wissen?");
    const both = planOf({ config: { ...german, prompt: { first_message: "Moin." } } });
    expect(retrievalReply(both, greet).text).toBe("Moin.");
    const nothing = planOf({ config: { prompt: { first_message: " " } } });
    expect(retrievalReply(nothing, greet).text).toBe("Hello. What would you like to know?");
  });

  it("asks who is silent, takes leave, and answers again after a break", () => {
    expect(reply("Tickets?", { instructionKind: "speak-up" })).toBe("Are you still there?");
    expect(reply("Tickets?", { instructionKind: "say-goodbye" })).toBe("Goodbye.");
    expect(reply("What does a ticket cost?", { instructionKind: "go-on" })).toContain("twelve euros");
    expect(reply("Thanks a lot.")).toBe("You are welcome.");
    expect(reply("Hello there")).toBe("Hello. What would you like to know?");
  });

  async function answer(
    callerText: string,
    options: { hasTool?: boolean; messages?: ModelMessage[]; signal?: AbortSignal } = {},
  ): Promise<{ text: string; calls: ModelToolCall[] }> {
    const plan = planOf({ config: { tools: { system_tools: { hang_up_call: options.hasTool ?? true } } } });
    const given = { text: "", calls: [] as ModelToolCall[] };
    await openRetrievalModel(plan).answer({
      messages: options.messages ?? [{ role: "user", content: callerText }],
      tools: modelTools(plan),
      context: { passages: guide, callerText, instructionKind: null },
      signal: options.signal ?? new AbortController().signal,
      onText: (text) => {
        given.text += text;
      },
      onToolCall: (call) => void given.calls.push(call),
    });
    return given;
  }

  it("hangs up on goodbye where it may, once", async () => {
    const call = { callId: expect.stringMatching(/^\w+$/) as unknown, name: "hang_up_call", arguments: "{}" };
    expect(await answer("Okay, goodbye.")).toEqual({ text: "Goodbye.", calls: [call] });
    expect(await answer("Okay, goodbye.", { hasTool: false })).toEqual({ text: "Goodbye.", calls: [] });
    expect((await answer("What does a ticket cost?")).calls).toEqual([]);
    const messages: ModelMessage[] = [{ role: "tool", callId: "c", content: "Done." }];
    expect(await answer("Okay, goodbye.", { messages })).toEqual({ text: "", calls: [] });
    expect(await answer("Okay, goodbye.", { signal: AbortSignal.abort() })).toEqual({ text: "", calls: [] });
  });
});

describe("intentOf", () => {
  it.each([
    [
      "goodbye",
      [
        "Goodbye!",
        "okay thanks bye",
        "That's all, thank you.",
        "Auf Wiedersehen",
        "Tschüß",
        "au revoir, merci",
        "Adiós",
        "さようなら",
        "再见",
        "안녕히 계세요",
      ],
    ],
    ["thanks", ["Thank you.", "Vielen Dank", "merci beaucoup", "ありがとうございます", "谢谢", "감사합니다"]],
    ["greeting", ["Hello", "hi there", "Guten Tag", "bonjour", "hola", "こんにちは", "你好", "안녕하세요"]],
    [
      "question",
      [
        "How do I say goodbye to my subscription?",
        "bye laws of the club and where to find them please tell",
        "hello what are your opening hours",
        "",
        "...",
        "buy",
        "你好，请问门票多少钱",
        "hi how are the prices",
      ],
    ],
  ] as const)("finds %s", (intent, texts) => {
    expect(texts.map((text) => [text, intentOf(text)])).toEqual(texts.map((text) => [text, intent]));
  });
});

describe("sentencesOf", () => {
  it("takes Markdown's marks off, and joins lines that belong together", () => {
    const text =
      "# Prices\n\nA **ticket** costs\ntwelve euros. [Book](https://x.example/y) now!\n\n- One.\n- Two\n  goes on.\n1. Three.\n\n| a | b |\n|---|---|\n> Quoted.";
    expect(sentencesOf(text, "en")).toEqual([
      ...["Prices", "A ticket costs twelve euros.", "Book now!", "One.", "Two goes on.", "Three."],
      ...["a b", "Quoted."],
    ]);
    expect(sentencesOf(`${"x".repeat(401)}. Short.`, "en")).toEqual(["Short."]);
    expect(sentencesOf("", "en")).toEqual([]);
  });
});
