import { join } from "node:path";
import { dispose } from "@livekit/rtc-node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { callerToken } from "#common/livekit/livekit-server";
import { createLogger } from "#common/log";
import { openRoom } from "#agents/room/open-room";
import type { Room } from "#agents/room/room";
import { loudness, runProgram } from "../harness/audio.js";
import { canRunChromium, startChromium } from "../harness/chromium.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { type PageRecord, servePage } from "./page.js";
import { Told } from "./told.js";

const clip = join(import.meta.dirname, "../../../workers/engines/ctc/testing/clips/LJ001-0090.flac");
const soon = (condition: () => boolean | Promise<boolean>, what: string, withinMs = 10_000): Promise<void> =>
  until(condition, { withinMs, what });

describe.skipIf(!canRunLiveKit || !canRunChromium)("a caller in a browser", () => {
  const directory = temporaryDirectory("browser");
  let livekit: TestLiveKit;
  let browser: Browser;
  let page: Awaited<ReturnType<typeof servePage>>;

  beforeAll(async () => {
    livekit = await startLiveKit();
    page = await servePage();
    const microphone = join(directory.path, "microphone.wav");
    await runProgram("ffmpeg", ["-loglevel", "error", "-i", clip, "-ar", "48000", microphone], new Uint8Array());
    browser = await startChromium(microphone);
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await browser?.close();
    page?.close();
    await livekit?.stop();
    await dispose();
    directory.remove();
  });

  async function open(
    room: { name: string; callerIdentity: string; agentIdentity: string },
    attempt = 1,
  ): Promise<{ told: Told; room: Room }> {
    const told = new Told();
    const opened = await openRoom({
      ...livekit,
      room,
      attempt,
      hasCallerJoined: attempt > 1,
      sampleRate: 24_000,
      callbacks: told,
      log: createLogger("test", "fatal"),
      clock: systemClock,
    });
    onTestFinished(() => opened.close({ deletesRoom: true }).catch(() => undefined));
    return { told, room: opened };
  }

  const recordOf = (tab: Page): Promise<PageRecord> =>
    tab.evaluate("({ ...window.record, audio: [] })") as Promise<PageRecord>;
  const tone = Int16Array.from({ length: 24_000 }, (_, index) => 8000 * Math.sin((2 * Math.PI * 400 * index) / 24_000));

  it("talks with an agent, is handed over to the next one, and says goodbye by closing the page", async () => {
    const id = newIdentifier().slice(0, 8);
    const where = { name: `room-${id}`, callerIdentity: `caller-${id}`, agentIdentity: `agent-${id}` };
    const first = await open(where);
    const token = await callerToken(livekit, {
      room: where.name,
      identity: where.callerIdentity,
      expiresAtEpochMs: Date.now() + 60_000,
    });
    const context = await browser.newContext({ permissions: ["microphone"] });
    const tab = await context.newPage();
    await tab.goto(page.url);
    await tab.evaluate(`window.join(${JSON.stringify(livekit.url)}, ${JSON.stringify(token)})`);
    await soon(() => loudness({ samples: first.told.samples(), sampleRate: 16_000 }) > 0.01, "the microphone");

    void first.room.voice.write(tone);
    await soon(async () => (await recordOf(tab)).peaks.some(([, peak]) => peak > 0.1), "the agent's voice");
    first.room.voice.clear();
    first.room.setState("listening");
    first.room.sendEvent({ type: "error", code: "provider_error" });
    first.room.publishTranscript({ segmentId: "u1", speaker: "caller", text: "Hello?", isFinal: true });
    first.room.publishTranscript({ segmentId: "a1", speaker: "agent", text: "Good", isFinal: false });
    await soon(async () => (await recordOf(tab)).transcripts.at(-1)?.text === "Good", "the agent's first word");
    first.room.publishTranscript({ segmentId: "a1", speaker: "agent", text: "Good morning.", isFinal: true });
    await soon(async () => (await recordOf(tab)).transcripts.at(-1)?.text === "Good morning.", "the agent's words");
    await soon(async () => (await recordOf(tab)).states.at(-1) === "listening", "the state");
    await soon(async () => (await recordOf(tab)).events.length > 0, "the event");
    const record = await recordOf(tab);
    expect(record.events).toEqual([{ type: "error", code: "provider_error" }]);
    expect(record.transcripts).toEqual([
      { identity: where.callerIdentity, segmentId: "u1", isFinal: "true", text: "Hello?" },
      { identity: where.agentIdentity, segmentId: "a1", isFinal: "false", text: "Good morning." },
    ]);
    await tab.evaluate(`window.send({ type: "user.message", text: "Typed", audio: false })`);
    await soon(() => first.told.events.length > 0, "the typed message");
    expect(first.told.events).toEqual([{ type: "user.message", text: "Typed", isTextOnly: true }]);

    const next = await open(where, 2);
    await soon(() => first.told.story.includes("replaced"), "the first agent to go");
    await soon(() => loudness({ samples: next.told.samples(), sampleRate: 16_000 }) > 0.01, "the next one to hear");
    await soon(async () => (await recordOf(tab)).company.at(-1) === 1, "one agent to be left");
    const handed = await recordOf(tab);
    expect(handed.company).not.toContain(0);
    expect(handed.disconnected).toBe(false);

    await tab.close({ runBeforeUnload: true });
    await soon(() => next.told.story.at(-1)?.startsWith("left") === true, "the goodbye");
    expect(next.told.story).toEqual(["joined", "left for good"]);
    await context.close();
  }, 90_000);
});
