import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Engines, openEngines } from "../turn/engine-recognition.js";
import { loadVoiceEngine } from "../voice-engine.js";
import { greetingAudio, noRecordings } from "./greeting-audio.js";
import { type Greeting, tuningGreetings } from "./greetings.js";
import { answerOf } from "./measure.js";

/** A few of the greetings by which the thresholds were chosen, of each kind, made by our own voices. */
const chosen = [
  "human: Hello?",
  "human: Smith speaking.",
  "human: Hi, who's this?",
  "human: Thank you for calling the Harbour Hotel, my name is Susan, how may I help you today?",
  "human: Yeah?",
  "voicemail: Hi, this is Anna. |500| I can't come to the phone right now. Please leave a message after the tone. |400| |beep|",
  "voicemail: Hey, it's Tom, you know what to do. |700| |beep|",
  "voicemail: Hi, you've reached Susan Clark. I'm either on another call or away from my desk. |500| Please leave a message. |none|",
  "voicemail: |beep|",
];

describe("who answers a call, by the models that come with Parley", () => {
  let engines: Engines;
  let voice: Awaited<ReturnType<typeof loadVoiceEngine>>;
  beforeAll(async () => {
    [engines, voice] = await Promise.all([openEngines(), loadVoiceEngine()]);
  });
  afterAll(async () => {
    await Promise.all([engines.close(), voice.close()]);
  });

  const greetingOf = (name: string): Greeting => {
    const found = tuningGreetings.find((greeting) => greeting.name === name);
    if (found === undefined) throw new RangeError(name);
    return { ...found, signalToNoiseDb: null };
  };

  it.each(chosen)("%s", async (name) => {
    const greeting = greetingOf(name);
    const audio = await greetingAudio(greeting, chosen.indexOf(name), {
      engine: voice.engine,
      recordings: noRecordings,
    });
    const { answeredBy, decidedMs, recordingMs } = await answerOf(audio, engines);
    expect(answeredBy).toBe(greeting.answeredBy);
    // Whoever has said something is spoken to before they ask again…
    if (answeredBy === "human") expect((decidedMs ?? 0) - audio.spokenToMs).toBeLessThan(1000);
    // …and a message does not begin before the machine records.
    else expect(recordingMs).toBeGreaterThan(audio.beepedToMs ?? audio.spokenToMs);
  });
});
