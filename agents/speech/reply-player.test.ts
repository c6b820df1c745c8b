import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { VirtualClock } from "#common/clock";
import { VirtualTrack } from "../room/testing/virtual-track.js";
import { ReplyAudio } from "./reply-audio.js";
import { ReplyPlayer } from "./reply-player.js";

const RATE = 1000;
const text = "One two three four.";
/** Each word sounds for 200 ms, with 50 ms of silence after it; its samples are its number. */
const words = ["One", "two", "three", "four"].map((word, index) => {
  const sourceStart = text.indexOf(word);
  return {
    ...{ text: word, sourceStart, sourceEnd: sourceStart + word.length },
    startMs: index * 250,
    endMs: index * 250 + 200,
  };
});
const samples = Int16Array.from({ length: RATE }, (_, at) => (at % 250 < 200 ? 1000 * (1 + Math.floor(at / 250)) : 0));

let clock: VirtualClock;
let track: VirtualTrack;
let audio: ReplyAudio;
let told: { characters: number; isOver: boolean }[];
let audible: number[];
let player: ReplyPlayer;
beforeEach(() => {
  clock = new VirtualClock();
  track = new VirtualTrack(clock, { sampleRate: RATE, queueMs: 60 });
  audio = new ReplyAudio(RATE);
  told = [];
  audible = [];
  player = new ReplyPlayer({
    track,
    clock,
    audio,
    onAudible: () => audible.push(clock.nowMs()),
    onPlayed: (characters, isOver) => told.push({ characters, isOver }),
    onError: (error) => {
      throw error;
    },
  });
});

function give(): void {
  audio.addText(text);
  audio.chunkStarted(0, text, 0);
  audio.words(0, words);
  audio.append(samples);
  audio.chunkEnded(0);
  audio.complete();
  player.more();
}

async function elapse(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 5) {
    await nextTurn();
    clock.advance(5);
  }
  await nextTurn();
}

/** The words that were heard, each as often as a stretch of it came. */
function recognizedWords(): number[] {
  const stretches: number[] = [];
  let before = 0;
  for (const sample of track.heard) {
    if (sample !== before && sample !== 0) stretches.push(sample / 1000);
    before = sample;
  }
  return stretches;
}

describe("the player of a reply", () => {
  it("plays everything once and tells what has been heard, word by word", async () => {
    give();
    await elapse(1200);
    expect(track.heard).toEqual([...samples]);
    expect(audible).toEqual([0]);
    expect(told.at(-1)).toEqual({ characters: text.length, isOver: true });
    expect(told.map(({ characters }) => text.slice(0, characters))).toEqual(["One", "One two", "One two three", text]);
  });

  it("falls silent at once and goes on from the beginning of the word that was cut", async () => {
    give();
    await elapse(350);
    player.pause();
    const silentFrom = track.heard.length;
    await elapse(500);
    expect(track.heard.length).toBe(silentFrom);
    expect(told.at(-1)).toEqual({ characters: "One".length, isOver: false });
    player.resume();
    await elapse(1500);
    expect(recognizedWords()).toEqual([1, 2, 3, 4]);
    // What was heard of the second word before the pause, and then the whole of it.
    expect(track.heard.filter((sample) => sample === 2000)).toHaveLength(silentFrom - 250 + 200);
    expect(told.at(-1)).toEqual({ characters: text.length, isOver: true });
  });

  it("says after a stop how much was heard, and no more after that", async () => {
    give();
    await elapse(480);
    expect(player.stop()).toBe("One two".length);
    const before = track.heard.length;
    player.resume();
    await elapse(500);
    expect(track.heard.length).toBe(before);
    expect(told.every(({ isOver }) => !isOver)).toBe(true);
  });

  it("goes on when audio comes late, and ends when the last of it has been played", async () => {
    audio.addText(text);
    audio.chunkStarted(0, text, 0);
    audio.words(0, words);
    audio.append(samples.subarray(0, 300));
    player.more();
    await elapse(600);
    expect(track.heard.length).toBe(300);
    audio.append(samples.subarray(300));
    audio.complete();
    player.more();
    await elapse(900);
    expect(track.heard).toEqual([...samples]);
    expect(told.at(-1)?.isOver).toBe(true);
  });

  it("says every word at least once and repeats none but the cut one, wherever it is paused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 6 }), async (pauses) => {
        clock = new VirtualClock();
        track = new VirtualTrack(clock, { sampleRate: RATE, queueMs: 60 });
        audio = new ReplyAudio(RATE);
        let isOver = false;
        player = new ReplyPlayer({
          ...{ track, clock, audio, onAudible: () => undefined },
          onPlayed: (_, over) => (isOver ||= over),
          onError: (error) => {
            throw error;
          },
        });
        give();
        for (const ms of pauses) {
          await elapse(ms);
          player.pause();
          await elapse(20);
          player.resume();
        }
        await elapse(1500);
        expect(isOver).toBe(true);
        const heard = recognizedWords();
        expect([...new Set(heard)]).toEqual([1, 2, 3, 4]);
        expect(heard).toEqual(heard.toSorted((a, b) => a - b));
        expect(heard.length).toBeLessThanOrEqual(4 + pauses.length);
      }),
      { numRuns: howMany(40) },
    );
  });
});
