import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { noise } from "#audio/testing/signals";
import { AudioBuffer } from "../segmentation/audio-buffer.js";
import { STEP_SAMPLES } from "../segmentation/vad-windows.js";
import { PromptedRecognition } from "../testing/prompted-recognition.js";
import { PROVISIONAL_STEPS, VadFollower, type VadAnswers } from "./vad-follower.js";

function bench() {
  const recognition = new PromptedRecognition();
  const clock = new VirtualClock();
  const given: VadAnswers[] = [];
  const buffer = new AudioBuffer();
  const follower = new VadFollower({
    recognition,
    streamId: "call-vad",
    detector: "vad",
    language: null,
    traceparent: null,
    clock,
    onAnswers: (answers) => given.push(answers),
  });
  const push = (steps: number, amplitude = 0.1): void => {
    buffer.append(noise(steps * STEP_SAMPLES, amplitude));
    follower.follow(buffer, 8);
  };
  /** Answers the latest piece: each step with its number in the stream. */
  const answer = async (): Promise<void> => {
    const piece = recognition.pieces.at(-1);
    const steps = (piece?.samples.length ?? 0) / STEP_SAMPLES;
    const first = buffer.end / STEP_SAMPLES - steps;
    piece?.answer({ task: "vad", speech: Uint8Array.from({ length: steps }, (_, at) => (first + at) % 256) });
    await nextTurn();
  };
  return { recognition, clock, given, buffer, follower, push, answer };
}

describe("a detector that is followed", () => {
  it("is asked about the latest audio, and gives provisional answers before final ones", async () => {
    const { recognition, given, push, answer } = bench();
    push(7);
    expect(recognition.pieces.length).toBe(0);
    push(33);
    await answer();
    push(20);
    await answer();
    expect(recognition.pieces.map(({ samples }) => samples.length / STEP_SAMPLES)).toEqual([40, 60]);
    expect(given.map(({ fromStep, answers, finalSteps }) => [fromStep, answers.length, finalSteps])).toEqual([
      [0, 40 - PROVISIONAL_STEPS, 40 - 27],
      [13, 47 - PROVISIONAL_STEPS, 60 - 27 - 13],
    ]);
    expect([...(given[1]?.answers ?? [])].slice(0, 3)).toEqual([13, 14, 15]);
  });

  it("is asked one question at a time, each with all that an answer depends on", async () => {
    const { recognition, push, answer, follower } = bench();
    push(200);
    push(8);
    push(8);
    expect(recognition.pieces.length).toBe(1);
    await answer();
    push(8);
    expect(recognition.pieces.length).toBe(2);
    // 60 steps before the first that is not final: 200 - 27.
    expect((recognition.pieces[1]?.samples.length ?? 0) / STEP_SAMPLES).toBe(224 - (200 - 27 - 60));
    expect(follower.neededFrom).toBe((200 - 27 - 60) * STEP_SAMPLES);
  });

  it("is not asked about a muted microphone, where nobody speaks", async () => {
    const { recognition, given, push } = bench();
    push(100, 0);
    await nextTurn();
    expect(recognition.pieces).toEqual([]);
    expect(given).toMatchObject([{ fromStep: 0, answers: new Uint8Array(90), finalSteps: 73 }]);
    push(8, 0.1);
    expect(recognition.pieces.length).toBe(1);
  });

  it("is asked again a second after it failed, about what is not old by then", async () => {
    const { recognition, clock, given, push, answer } = bench();
    push(50);
    recognition.pieces[0]?.fail(new Error("away"));
    await nextTurn();
    push(400);
    clock.advance(999);
    push(8);
    expect([recognition.pieces.length, recognition.openStreams]).toEqual([1, 0]);
    clock.advance(1);
    push(8);
    expect(recognition.opened).toEqual(["call-vad-1", "call-vad-2"]);
    await answer();
    expect(given.map(({ fromStep }) => fromStep)).toEqual([466 - 150]);
    expect(given[0]?.answers[0]).toBe((466 - 150) % 256);
  });

  it("is silent after it was closed", async () => {
    const { recognition, clock, given, push, follower } = bench();
    push(50);
    follower.close();
    await nextTurn();
    clock.advance(5000);
    push(50);
    expect([recognition.pieces.length, recognition.openStreams, given.length]).toEqual([1, 0, 0]);
  });
});
