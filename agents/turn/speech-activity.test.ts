import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { GateFrame } from "./energy-gate.js";
import { type ActivityChange, PAUSE_STEPS, SpeechActivity } from "./speech-activity.js";

type Found = ActivityChange & { knownAtStep: number };

const silent: GateFrame = { levelDb: -70, isAudible: false, isVoiced: false, isSure: false, isSpeech: false };
const sure: GateFrame = { levelDb: -25, isAudible: true, isVoiced: true, isSure: true, isSpeech: true };
const unvoiced: GateFrame = { levelDb: -35, isAudible: true, isVoiced: false, isSure: false, isSpeech: true };

const runs = <Value>(...parts: [steps: number, value: Value][]): Value[] =>
  parts.flatMap(([steps, value]) => new Array<Value>(steps).fill(value));

/**
 * Runs frames in real time, with answers for them that come so many steps later, every so many steps; the first of them
 * are final.
 */
function follow(
  frames: readonly GateFrame[],
  answers: readonly number[] | null,
  { late = 12, every = 5, future = 27 } = {},
): Found[] {
  const activity = new SpeechActivity();
  const found: Found[] = [];
  let finalStep = 0;
  const add = (change: ActivityChange | null): void => {
    if (change !== null) found.push({ ...change, knownAtStep: activity.stepsTaken });
  };
  for (const [step, frame] of frames.entries()) {
    add(activity.next(frame));
    const known = step + 1 - late;
    if (answers === null || known <= finalStep || (step + 1) % every > 0) continue;
    const given = Uint8Array.from(answers.slice(finalStep, known));
    const finalSteps = Math.max(0, known + late - future - finalStep);
    add(activity.answer(finalStep, given, finalSteps));
    finalStep += finalSteps;
  }
  return found;
}

describe("speech activity", () => {
  it("starts as soon as the gate is sure, from where its voiced frames began, and pauses after 200 ms", () => {
    const frames = runs([100, silent], [40, sure], [60, silent]);
    for (const answers of [null, runs([95, 0], [45, 255], [60, 0])])
      expect(follow(frames, answers)).toMatchObject([
        { kind: "started", atStep: 95, knownAtStep: 101 },
        { kind: "paused", lastSpeechStep: 140, isFalseStart: false, knownAtStep: 160 },
      ]);
  });

  it("goes on through consonants that have no voice, but does not start by them", () => {
    expect(follow(runs([50, silent], [60, unvoiced], [60, silent]), null)).toEqual([]);
    expect(follow(runs([50, silent], [20, sure], [18, unvoiced], [60, silent]), null)).toMatchObject([
      { kind: "started" },
      { kind: "paused", lastSpeechStep: 88 },
    ]);
  });

  it('goes on through the silence of a "stop" whose s the gate knows and the detector does not', () => {
    const stop = runs([100, silent], [10, sure], [9, silent], [40, sure], [60, silent]);
    const vowel = runs([119, 0], [40, 255], [60, 0]);
    expect(follow(stop, vowel)).toMatchObject([
      { kind: "started", knownAtStep: 101 },
      { kind: "paused", lastSpeechStep: 159, isFalseStart: false },
    ]);
    const nothing = follow(runs([100, silent], [10, sure], [80, silent]), runs([190, 0]));
    expect(nothing).toMatchObject([{ kind: "started" }, { kind: "paused", isFalseStart: true, knownAtStep: 140 }]);
  });

  it("starts by the detector alone where the gate finds nothing", () => {
    const found = follow(runs([300, silent]), runs([100, 0], [80, 230], [120, 0]));
    expect(found).toMatchObject([
      { kind: "started", atStep: 100 },
      { kind: "paused", lastSpeechStep: 180, isFalseStart: false },
    ]);
    expect(found[0]?.knownAtStep).toBeLessThanOrEqual(100 + 30);
    expect(found[1]?.knownAtStep).toBeLessThanOrEqual(180 + 22);
  });

  it("does not pause before the detector, a little late, has found that nobody speaks", () => {
    const found = follow(runs([500, silent]), runs([100, 0], [200, 230], [200, 0]), { late: 17, every: 12 });
    expect(found).toMatchObject([
      { kind: "started", atStep: 100 },
      { kind: "paused", lastSpeechStep: 300 },
    ]);
  });

  it("takes a short answer of the detector without voice for a click", () => {
    expect(follow(runs([300, silent]), runs([100, 0], [9, 255], [191, 0]))).toEqual([]);
  });

  it("takes a start back within 600 ms when the detector finds nothing, though the gate goes on", () => {
    const found = follow(runs([100, silent], [300, sure], [60, silent]), runs([460, 3]));
    expect(found).toMatchObject([
      { kind: "started", knownAtStep: 101 },
      { kind: "paused", isFalseStart: true },
    ]);
    expect((found[1]?.knownAtStep ?? 0) - 101).toBeLessThanOrEqual(60);
  });

  it("does not believe the gate for a while where it was wrong, unless it is much louder", () => {
    const wrong = runs([100, silent], [150, sure], [50, silent], [60, sure], [60, silent]);
    expect(follow(wrong, runs([420, 3])).length).toBe(2);
    const louder = { ...sure, levelDb: -15 };
    const right = [...runs([100, silent], [150, sure], [50, silent]), ...runs([60, louder], [60, silent])];
    const found = follow(right, [...runs([300, 3]), ...runs([60, 255], [60, 3])]);
    expect(found).toMatchObject([
      { kind: "started" },
      { kind: "paused", isFalseStart: true },
      { kind: "started", knownAtStep: 301 },
      { kind: "paused", lastSpeechStep: 360, isFalseStart: false },
    ]);
  });

  it("ends by the detector where the gate takes an echo for speech", () => {
    const frames = runs([100, silent], [50, sure], [15, unvoiced], [100, silent]);
    const found = follow(frames, runs([98, 0], [52, 255], [115, 0]));
    expect(found).toMatchObject([{ kind: "started" }, { kind: "paused", lastSpeechStep: 150 }]);
    expect(found[1]?.knownAtStep).toBeLessThanOrEqual(172);
  });

  it("does not start again when the detector moves an end a little", () => {
    const activity = new SpeechActivity();
    const changes: (ActivityChange | null)[] = [];
    for (const frame of runs([50, silent], [40, sure], [21, silent])) changes.push(activity.next(frame));
    changes.push(activity.answer(0, Uint8Array.from(runs([50, 0], [48, 255], [5, 0])), 80));
    for (const frame of runs([60, silent])) changes.push(activity.next(frame));
    expect(changes.filter((change) => change !== null)).toMatchObject([{ kind: "started" }, { kind: "paused" }]);
  });

  it("goes by the gate when the detector has not answered for long", () => {
    const activity = new SpeechActivity();
    const found: ActivityChange[] = [];
    for (let second = 0; second < 100; second++)
      for (const frame of runs([50, sure], [50, silent])) {
        const change = activity.next(frame);
        if (change !== null) found.push(change);
      }
    expect(found.length).toBe(200);
    // What has been decided long ago is not changed by answers that come now.
    expect(activity.answer(0, new Uint8Array(10_000), 9000)?.kind).not.toBe("started");
  });
});

describe("whatever gate and detector say", () => {
  const frame = fc.constantFrom(silent, silent, sure, unvoiced, { ...sure, isSure: false });
  const scene = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), frame, fc.integer({ min: 0, max: 255 })), {
    minLength: 1,
    maxLength: 25,
  });

  it("starts and pauses alternate, lie in the past and in order, and no pause comes before 200 ms without speech", () => {
    fc.assert(
      fc.property(
        scene,
        fc.boolean(),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (parts, isDetected, late, every) => {
          const frames = runs(...parts.map(([steps, value]) => [steps, value] as [number, GateFrame]), [60, silent]);
          const answers = runs(...parts.map(([steps, , value]) => [steps, value] as [number, number]), [60, 0]);
          const found = follow(frames, isDetected ? answers : null, { late, every });
          let reached = 0;
          for (const [at, change] of found.entries()) {
            expect(change.kind).toBe(at % 2 === 0 ? "started" : "paused");
            const step = change.kind === "started" ? change.atStep : change.lastSpeechStep;
            expect(step).toBeGreaterThanOrEqual(reached);
            expect(step).toBeLessThanOrEqual(change.knownAtStep);
            reached = step;
            if (change.kind === "started") continue;
            if (!change.isFalseStart)
              expect(change.knownAtStep - change.lastSpeechStep).toBeGreaterThanOrEqual(PAUSE_STEPS);
            if (isDetected) continue;
            const since = frames.slice(change.knownAtStep - PAUSE_STEPS, change.knownAtStep);
            expect(since.some(({ isSure }) => isSure)).toBe(false);
          }
        },
      ),
      { seed: 5, numRuns: howMany(300) },
    );
  });
});
