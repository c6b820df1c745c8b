import { describe, expect, it } from "vitest";
import { AnswererDetector, type AnswererInput } from "./answerer-detector.js";

/** Plays what is heard, each at its time, with ticks between; gives what was found, and when. */
function found(heard: readonly (readonly [atMs: number, input: AnswererInput])[], language = "en", untilMs = 120_000) {
  const detector = new AnswererDetector({ language, nowMs: 0 });
  const findings: string[] = [];
  const put = (input: AnswererInput, nowMs: number): void => {
    for (const finding of detector.input(input, nowMs))
      findings.push(`${nowMs} ${finding.type === "recording" ? "recording" : finding.answeredBy}`);
  };
  const ticksUntil = (endMs: number): void => {
    for (let wakeMs = detector.nextWakeMs(); wakeMs !== null && wakeMs < endMs; wakeMs = detector.nextWakeMs())
      put({ type: "tick" }, wakeMs);
  };
  for (const [atMs, input] of heard) {
    ticksUntil(atMs);
    put(input, atMs);
  }
  ticksUntil(untilMs);
  return findings;
}

/** Somebody speaks from one time to another, is known to pause 200 ms later, and understood 100 ms after that. */
const says = (fromMs: number, toMs: number, text: string): [number, AnswererInput][] => [
  [fromMs + 60, { type: "speech-started", atMs: fromMs }],
  [toMs + 200, { type: "speech-paused", lastVoicedMs: toMs }],
  [toMs + 300, { type: "words", text }],
];

describe("whoever answers a call", () => {
  it.each([
    ["hello", 400, "1150 human"],
    ["smith speaking", 900, "1550 human"],
    ["", 500, "1350 human"],
    ["peter miller", 900, "1750 human"],
    ["hello this is karen from next door", 2000, "3100 human"],
    ["thank you for calling the harbour hotel my name is susan how may i help you", 6000, "6650 human"],
  ])("is a person who says %j and waits, however long they spoke", (text, spokenMs, finding) => {
    expect(found(says(200, 200 + spokenMs, text))).toEqual([finding]);
  });

  it("is unknown where nobody says a word", () => {
    expect(found([])).toEqual(["2500 unknown"]);
  });

  it.each([
    "you've reached the voicemail of anna",
    "please leave us a short message",
    "hi we can't come to the phone right now",
    "the person you are calling is not available",
    "nobody is here please speak after the tone",
    "our office is currently closed",
  ])("is a machine as soon as it is heard to say %j", (text) => {
    const heard: [number, AnswererInput][] = [
      [300, { type: "speech-started", atMs: 240 }],
      [2000, { type: "words", text }],
    ];
    expect(found(heard, "en", 3000)).toEqual(["2000 voicemail"]);
  });

  it.each([
    ["de", "hinterlassen sie eine nachricht nach dem signalton"],
    ["fr", "laissez un message après le bip"],
    ["es", "deje su mensaje después de la señal"],
    ["ja", "発信音の後にメッセージをどうぞ"],
    ["zh", "请在提示音后留言"],
    ["ko", "삐 소리 후 말씀해 주세요"],
  ])("is one in %s, too", (language, text) => {
    const heard: [number, AnswererInput][] = [
      [300, { type: "speech-started", atMs: 240 }],
      [2000, { type: "words", text }],
    ];
    expect(found(heard, language, 3000)).toEqual(["2000 voicemail"]);
  });

  it("is a machine that beeps, and records from the end of the beep on", () => {
    const beep: [number, AnswererInput][] = [
      [2800, { type: "beep-started" }],
      [3400, { type: "beep-ended" }],
    ];
    expect(found([...says(300, 2000, "you know what to do"), ...beep])).toEqual(["2800 voicemail", "3600 recording"]);
  });

  it("is a machine where so many words come without a pause as nobody says into a telephone", () => {
    const heard: [number, AnswererInput][] = [
      [300, { type: "speech-started", atMs: 300 }],
      [9000, { type: "words", text: "one ".repeat(20) }],
    ];
    expect(found(heard, "en", 12_000)).toEqual(["10300 voicemail"]);
    const noise: [number, AnswererInput][] = [[300, { type: "speech-started", atMs: 300 }]];
    expect(found(noise)).toEqual(["14000 unknown"]);
  });

  it("records after three seconds of silence where it does not beep, and after a minute whatever it does", () => {
    expect(found(says(300, 2300, "please leave a message"))).toEqual(["2600 voicemail", "5300 recording"]);
    const endless: [number, AnswererInput][] = [
      [300, { type: "speech-started", atMs: 300 }],
      [1500, { type: "words", text: "please leave a message" }],
    ];
    expect(found(endless)).toEqual(["1500 voicemail", "60000 recording"]);
  });

  it("is decided once", () => {
    const later: [number, AnswererInput][] = [[5000, { type: "words", text: "leave a message after the tone" }]];
    expect(found([...says(200, 600, "hello"), ...later])).toEqual(["1150 human"]);
  });
});
