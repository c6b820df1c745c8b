import { describe, expect, it } from "vitest";
import { TranscriptPublisher, type TranscriptSegment } from "./transcript-publisher.js";

interface Sent {
  speaker: string;
  attributes: Record<string, string>;
  text: string;
  isClosed: boolean;
}

function scene(options: { failsAt?: number } = {}) {
  const streams: Sent[] = [];
  const failures: unknown[] = [];
  let opened = 0;
  const publisher = new TranscriptPublisher({
    async open(speaker, attributes) {
      await settle();
      opened += 1;
      if (opened === options.failsAt) throw new Error("no way out");
      const sent: Sent = { speaker, attributes, text: "", isClosed: false };
      streams.push(sent);
      return {
        async write(text) {
          await settle();
          sent.text += text;
        },
        async close() {
          sent.isClosed = true;
        },
      };
    },
    trackId: (speaker) => (speaker === "agent" ? "TR_agent" : null),
    onFailed: (error) => failures.push(error),
  });
  return { streams, failures, publisher };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const say = (speaker: TranscriptSegment["speaker"], segmentId: string, text: string, isFinal = false) => ({
  speaker,
  segmentId,
  text,
  isFinal,
});

describe("published transcripts", () => {
  it("are a stream for every change of what a caller says, with the whole text", async () => {
    const { streams, publisher } = scene();
    publisher.publish(say("caller", "u1", "one"));
    await publisher.flush();
    publisher.publish(say("caller", "u1", "one too"));
    await publisher.flush();
    publisher.publish(say("caller", "u1", "One, two.", true));
    await publisher.flush();
    expect(streams.map(({ text, attributes }) => [text, attributes["lk.transcription_final"]])).toEqual([
      ["one", "false"],
      ["one too", "false"],
      ["One, two.", "true"],
    ]);
    expect(streams.every(({ isClosed, attributes }) => isClosed && attributes["lk.segment_id"] === "u1")).toBe(true);
    expect(streams[0]?.attributes).not.toHaveProperty("lk.transcribed_track_id");
  });

  it("are one growing stream for what an agent says, which ends with its last word", async () => {
    const { streams, publisher } = scene();
    for (const text of ["Good", "Good morning", "Good morning to you."]) {
      publisher.publish(say("agent", "a1", text));
      await publisher.flush();
    }
    expect(streams).toHaveLength(1);
    expect(streams[0]).toMatchObject({ text: "Good morning to you.", isClosed: false });
    publisher.publish(say("agent", "a1", "Good morning to you.", true));
    await publisher.flush();
    expect(streams).toEqual([
      {
        speaker: "agent",
        text: "Good morning to you.",
        isClosed: true,
        attributes: { "lk.segment_id": "a1", "lk.transcription_final": "false", "lk.transcribed_track_id": "TR_agent" },
      },
    ]);
  });

  it("begin anew where an agent's text is another than what was sent of it", async () => {
    const { streams, publisher } = scene();
    publisher.publish(say("agent", "a1", "Good morning to you."));
    await publisher.flush();
    publisher.publish(say("agent", "a1", "Good morning", true));
    await publisher.flush();
    expect(streams.map(({ text, isClosed }) => [text, isClosed])).toEqual([
      ["Good morning to you.", true],
      ["Good morning", true],
    ]);
  });

  it("leave out what is out of date by the time that it could be sent, and never a last word", async () => {
    const { streams, publisher } = scene();
    publisher.publish(say("caller", "u1", "first"));
    for (let count = 0; count < 100; count++) publisher.publish(say("caller", "u1", `first ${count}`));
    publisher.publish(say("caller", "u1", "First.", true));
    publisher.publish(say("caller", "u2", "second"));
    await publisher.flush();
    expect(streams.map(({ text }) => text)).toEqual(["first", "First.", "second"]);
  });

  it("go on after one that could not be sent", async () => {
    const { streams, failures, publisher } = scene({ failsAt: 1 });
    publisher.publish(say("agent", "a1", "lost"));
    publisher.publish(say("agent", "a2", "found", true));
    await publisher.flush();
    expect(failures).toHaveLength(1);
    expect(streams.map(({ text, isClosed }) => [text, isClosed])).toEqual([["found", true]]);
  });

  it("begin a stream of their own in the next room", async () => {
    const { streams, publisher } = scene();
    publisher.publish(say("agent", "a1", "Good"));
    await publisher.flush();
    publisher.reset();
    publisher.publish(say("agent", "a1", "Good morning", true));
    await publisher.flush();
    expect(streams.map(({ text }) => text)).toEqual(["Good", "Good morning"]);
  });
});
