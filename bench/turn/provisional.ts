import { recognizeOne } from "#workers/engines/testing/recognize";
import type { Engines } from "./engine-recognition.js";
import type { Scene } from "./scenes.js";

const STEP = 160;
const PAST_STEPS = 60;
const FUTURE_STEPS = 27;
/** A window ends after each of so many steps. */
const EVERY_STEPS = 16;
const START_ANSWER = 160;
const STAY_ANSWER = 90;

/** Prints how often an answer that has less audio after it than it may depend on is another one than that of the whole. */
export async function printProvisional(scenes: readonly Scene[], { detector }: Engines): Promise<void> {
  const answers = async (samples: Int16Array): Promise<Uint8Array> => {
    const result = await recognizeOne(detector, samples);
    if (result.result !== "vad") throw new RangeError(result.result);
    return result.speech;
  };
  const counts = Array.from({ length: FUTURE_STEPS + 1 }, () => ({
    steps: 0,
    missedStart: 0,
    wrongStart: 0,
    missedStay: 0,
    wrongStay: 0,
  }));
  for (const { samples } of scenes) {
    const whole = await answers(samples.subarray(0, 29 * 16_000));
    for (let end = PAST_STEPS + FUTURE_STEPS + 1; end <= whole.length; end += EVERY_STEPS) {
      const from = end - PAST_STEPS - FUTURE_STEPS - 1;
      const early = await answers(samples.subarray(from * STEP, end * STEP));
      for (const [future, count] of counts.entries()) {
        const [truth, given] = [whole[end - 1 - future] ?? 0, early[early.length - 1 - future] ?? 0];
        count.steps++;
        if (truth >= START_ANSWER && given < START_ANSWER) count.missedStart++;
        if (truth < START_ANSWER && given >= START_ANSWER) count.wrongStart++;
        if (truth >= STAY_ANSWER && given < STAY_ANSWER) count.missedStay++;
        if (truth < STAY_ANSWER && given >= STAY_ANSWER) count.wrongStay++;
      }
    }
  }
  console.log("\nanswers with less audio after them, % of steps: at 160 missed / wrong, at 90 missed / wrong");
  for (const [future, { steps, ...wrong }] of counts.entries())
    if (future % 3 === 0)
      console.log(
        `  ${future * 10} ms: ${Object.values(wrong)
          .map((count) => ((100 * count) / steps).toFixed(2))
          .join(" / ")}`,
      );
}
