import { describe, expect, it } from "vitest";
import type { DialogueSettings } from "./settings.js";
import { TestDialogue } from "./testing/test-dialogue.js";

const story = "The train to the coast leaves at seven. It stops in two small towns on its way.";
const heard = "The train to the coast";

/** The agent is in the middle of a story. */
function speaking(settings: Partial<DialogueSettings> = {}, text = story, part = heard): TestDialogue {
  const talk = TestDialogue.joined(settings);
  talk.takesTurn("Tell me about the train.");
  talk.answers(text);
  talk.heard(part);
  return talk;
}

describe("a caller who speaks while the agent does", () => {
  it("makes the agent silent at once", () => {
    const talk = speaking();
    expect(talk.states.at(-1)).toBe("speaking");
    talk.input({ type: "speech-started" });
    expect(talk.all("pause-reply")).toMatchObject([{ replyId: "reply-1" }]);
    expect(talk.states.at(-1)).toBe("listening");
  });

  it("with a backchannel lets it go on", () => {
    const talk = speaking();
    talk.says("mhm", 200);
    expect(talk.all("resume-reply")).toHaveLength(1);
    expect(talk.all("stop-reply")).toEqual([]);
    talk.playsAll();
    talk.passes(5000);
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${story}`]);
  });

  it("with a hum that was taken for words lets it go on", () => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(300);
    talk.input({ type: "partial", text: "and then", isUnsure: true });
    talk.input({ type: "speech-paused", lastVoicedMs: talk.nowMs });
    talk.passes(250);
    talk.input({ type: "transcript", text: "and then", isUnsure: true });
    talk.input({ type: "transcribed" });
    expect(talk.all("resume-reply")).toHaveLength(1);
    talk.playsAll();
    talk.passes(5000);
    expect(talk.all("stop-reply")).toEqual([]);
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${story}`]);
  });

  it("with a hum that is understood only after the agent has gone on lets it finish", () => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(300);
    talk.input({ type: "speech-paused", lastVoicedMs: talk.nowMs });
    talk.passes(1500);
    talk.input({ type: "transcript", text: "and then", isUnsure: true });
    talk.input({ type: "transcribed" });
    talk.passes(5000);
    expect(talk.all("stop-reply")).toEqual([]);
    talk.playsAll();
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${story}`]);
  });

  it.each([
    ["words after a hum", ["and then", "when does it leave"]],
    ["a word that stops it in any case", ["stop"]],
  ])("with %s interrupts it", (_, [first = "", second]) => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.input({ type: "transcript", text: first, isUnsure: true });
    if (second !== undefined) talk.input({ type: "transcript", text: second, isUnsure: false });
    expect(talk.all("stop-reply")).toHaveLength(1);
  });

  it.each([
    ["a single word that may still change", { text: "left", isUnsure: false }, false],
    ["the same after a sound", { text: "oh left", isUnsure: false }, false],
    ["two of them", { text: "left side", isUnsure: false }, true],
    ["two of which nobody is sure", { text: "and him", isUnsure: true }, false],
    ["words that stop it in any case", { text: "hold on", isUnsure: false }, true],
    ["one that does and another word", { text: "stop it", isUnsure: false }, true],
    ["a single one, which may become another", { text: "oh no", isUnsure: false }, false],
    ["one of these that nobody is sure of", { text: "no", isUnsure: true }, false],
  ])("with %s stops it or waits for what it becomes", (_, words, stops) => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(300);
    talk.input({ type: "partial", ...words });
    expect(talk.all("stop-reply")).toHaveLength(stops ? 1 : 0);
    talk.pauses("right");
    talk.passes(5000);
    expect(talk.all("stop-reply")).toHaveLength(stops ? 1 : 0);
    expect(talk.all("resume-reply")).toHaveLength(stops ? 0 : 1);
  });

  it("with a single word that may still change stops it where that may be an answer", () => {
    const talk = speaking({}, "Shall I book it? There is one seat left.", "Shall I book it?");
    talk.input({ type: "speech-started" });
    talk.input({ type: "partial", text: "please", isUnsure: false });
    expect(talk.all("stop-reply")).toHaveLength(1);
  });

  it("with a word that may still change keeps it silent for half a second longer", () => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(700);
    talk.input({ type: "partial", text: "tomorrow", isUnsure: false });
    talk.passes(799);
    expect(talk.all("resume-reply")).toEqual([]);
    talk.passes(1);
    expect(talk.all("resume-reply")).toHaveLength(1);
    talk.pauses("Tomorrow morning.");
    expect(talk.all("stop-reply")).toHaveLength(1);
  });

  it("with words that nobody is sure of interrupts it where they may be an answer", () => {
    const asked = "Shall I book it? There is one seat left.";
    const talk = speaking({}, asked, "Shall I book it?");
    talk.input({ type: "speech-started" });
    talk.input({ type: "transcript", text: "and then", isUnsure: true });
    expect(talk.all("stop-reply")).toHaveLength(1);
  });

  it("with noise lets it go on after a second", () => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(999);
    expect(talk.all("resume-reply")).toEqual([]);
    talk.passes(1);
    expect(talk.all("resume-reply")).toHaveLength(1);
    expect(talk.states.at(-1)).toBe("speaking");
  });

  it("with words that come late interrupts it after all", () => {
    const talk = speaking();
    talk.input({ type: "speech-started" });
    talk.passes(1500);
    talk.input({ type: "partial", text: "but when" });
    expect(talk.all("stop-reply")).toHaveLength(1);
  });

  it("with words interrupts it; what was heard is remembered, and the words are a turn", () => {
    const talk = speaking();
    talk.says("And the bus?");
    talk.passes(1000);
    expect(talk.all("stop-reply")).toHaveLength(1);
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${heard}—`, "caller: And the bus?"]);
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: heard, isInterrupted: true }]);
    expect(talk.request.history).toHaveLength(3);
    talk.answers("It leaves at eight.");
    expect(talk.spoken).toEqual([story, "It leaves at eight."]);
  });

  it("drops what the model is still writing", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Tell me about the train.");
    talk.modelSays("The train to");
    talk.heard("The train");
    const { requestId } = talk.request;
    talk.says("And the bus?");
    talk.input({ type: "model-text", requestId, text: " the coast" });
    expect(talk.all("drop-request").map((action) => action.requestId)).toEqual([requestId]);
    expect(talk.spoken).toEqual(["The train to"]);
  });

  it.each<[DialogueSettings["interruptionSensitivity"], string, boolean]>([
    ["low", "but when", false],
    ["low", "but when exactly", true],
    ["low", "stop", true],
    ["balanced", "when", true],
    ["balanced", "okay", false],
    ["high", "okay", true],
  ])("at %s sensitivity with %j: interrupts is %s", (interruptionSensitivity, text, interrupts) => {
    const talk = speaking({ interruptionSensitivity });
    talk.says(text, 400);
    expect(talk.all("stop-reply")).toHaveLength(interrupts ? 1 : 0);
    expect(talk.all("resume-reply")).toHaveLength(interrupts ? 0 : 1);
  });

  it.each<[DialogueSettings["interruptionSensitivity"], number | null]>([
    ["high", 300],
    ["low", 1000],
    ["balanced", null],
  ])("at %s sensitivity interrupts by speech alone after %s ms", (interruptionSensitivity, afterMs) => {
    const talk = speaking({ interruptionSensitivity });
    const startedMs = talk.nowMs;
    talk.input({ type: "speech-started" });
    talk.passes(5000);
    expect(talk.all("stop-reply").map(({ atMs }) => atMs - startedMs)).toEqual(afterMs === null ? [] : [afterMs]);
  });

  it("answers a question with what is a backchannel elsewhere", () => {
    const question = "Shall I book it? It costs ten.";
    const talk = speaking({}, question, "Shall I book it?");
    talk.says("yes");
    talk.passes(2000);
    expect(talk.lines.slice(1)).toEqual(["agent: Shall I book it?—", "caller: yes"]);
  });

  it("waits for an agent that cannot be interrupted", () => {
    const talk = speaking({ isInterruptible: false });
    talk.says("And the bus?");
    talk.passes(3000);
    expect(talk.all("pause-reply")).toEqual([]);
    expect(talk.recorded("caller-said")).toHaveLength(1);
    talk.playsAll();
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${story}`, "caller: And the bus?"]);
    expect(talk.request.history).toHaveLength(3);
  });

  it("does not lose an answer over words that were none", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Tell me about the train.");
    talk.input({ type: "speech-started" });
    talk.input({ type: "partial", text: "hush" });
    expect(talk.all("drop-request")).toHaveLength(1);
    talk.pauses("");
    talk.passes(4000);
    talk.answers("It leaves at seven.");
    expect(talk.spoken).toEqual(["It leaves at seven."]);
  });
});

describe("a caller who types while the agent speaks", () => {
  it("interrupts it at once", () => {
    const talk = speaking();
    talk.input({ type: "typed", text: "And the bus?" });
    expect(talk.lines).toEqual(["caller: Tell me about the train.", `agent: ${heard}—`, "caller: And the bus?"]);
  });
});

describe("a caller who asks for silence", () => {
  it("gets it", () => {
    const talk = speaking();
    talk.input({ type: "interrupt" });
    expect(talk.all("stop-reply")).toHaveLength(1);
    expect(talk.states.at(-1)).toBe("listening");
    expect(talk.all("ask-model")).toHaveLength(1);
  });

  it("gets no answer that is being thought of, here or elsewhere", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Tell me about the train.");
    talk.input({ type: "interrupt" });
    expect(talk.all("drop-request")).toHaveLength(1);
    expect(talk.resumedElsewhere().all("ask-model")).toEqual([]);
  });
});

describe("a caller who leaves the room", () => {
  it("is waited for, the reply being paused", () => {
    const talk = speaking();
    talk.input({ type: "caller-left" });
    expect(talk.all("pause-reply")).toHaveLength(1);
    talk.passes(14_999);
    talk.input({ type: "caller-joined" });
    expect(talk.all("resume-reply")).toHaveLength(1);
    expect(talk.end).toBeNull();
  });

  it("is gone after a while", () => {
    const talk = speaking();
    talk.input({ type: "caller-left" });
    talk.passes(15_000);
    expect(talk.end).toBe("caller_left");
    expect(talk.recorded("reply-ended")).toMatchObject([{ text: heard, isInterrupted: true }]);
  });

  it("hears what was answered meanwhile on coming back", () => {
    const talk = TestDialogue.joined();
    talk.takesTurn("Tell me about the train.");
    talk.input({ type: "caller-left" });
    talk.answers(story);
    expect(talk.spoken).toEqual([]);
    talk.input({ type: "caller-joined" });
    expect(talk.spoken).toEqual([story]);
  });
});
