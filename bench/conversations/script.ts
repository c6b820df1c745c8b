import type { Step } from "./messages.js";

/** What is asked aloud, and by which words of it the model knows its answer. */
export const questions: readonly { text: string; keyword: string; answer: string }[] = [
  { text: "When do you open in the morning?", keyword: "morning", answer: "We open at nine, and we close at six." },
  { text: "Where can I park my car?", keyword: "park", answer: "There is a car park behind the building." },
  { text: "How much does a ticket cost?", keyword: "ticket", answer: "A ticket costs twelve dollars." },
  { text: "Which bus goes to the station?", keyword: "bus", answer: "Take the number nine bus from the front door." },
];

/** The answer to everything else, such as the recordings of people. */
const OTHER_ANSWER = "I have nothing to say about that, I am afraid.";

/** What the model is to tell a story for; typed, so that nothing has to be recognized. */
export const ASK_FOR_STORY = "Tell me the story.";

/** Some 25 seconds with few pauses, so that somebody speaks into words and not into a pause. */
const STORY =
  "An old man lived with seven goats in a small house on the hill above the river and every morning he walked down to the water with " +
  "two wooden buckets and filled them to the brim and carried them all the way back up to the garden where he grew beans and apples " +
  "and the sweetest onions of the whole valley and one day the river was gone and he followed the dry bed up into the mountains " +
  "until he found a giant who had fallen asleep across the spring.";

/** What people say while they listen. */
export const backchannels: readonly string[] = [
  "Mhm.",
  "Uh-huh.",
  "Yeah.",
  "Okay.",
  "Right.",
  "Yes.",
  "I see.",
  "Sure.",
  "Oh, okay.",
  "Got it.",
];

/** What people say to be answered now. */
export const interruptions: readonly string[] = [
  "Stop, please.",
  "Wait a moment.",
  "Where can I park my car?",
  "No, that is not what I asked.",
  "Excuse me, which bus goes to the station?",
  "How much does a ticket cost?",
  "Can you tell me something else?",
  "I have another question.",
  "Hold on, I need a pen.",
  "Please call my brother.",
];

/** What the model says to the last thing that the caller said or typed. */
export function replyTo(text: string): string {
  const words = text.toLowerCase();
  if (words.includes(ASK_FOR_STORY.toLowerCase())) return STORY;
  return questions.find(({ keyword }) => words.includes(keyword))?.answer ?? OTHER_ANSWER;
}

/** Every text that the model may say but the story. */
export const answers: readonly string[] = [...questions.map(({ answer }) => answer), OTHER_ANSWER];

/** The numbers from 0, the next one each time, beginning anew after `count`. */
export function* takingTurns(count: number): Generator<number, never> {
  for (let number = 0; ; number = (number + 1) % count) yield number;
}

/** What each of so many callers does: all questions first, then the interruptions. */
export function conversationSteps(
  callers: number,
  { questionClips, interruptionClips }: { questionClips: readonly number[]; interruptionClips: readonly number[] },
  { questions: asked, interruptions: interrupted }: { questions: number; interruptions: number },
): Step[][] {
  const [question, interruption] = [takingTurns(questionClips.length), takingTurns(interruptionClips.length)];
  return Array.from({ length: callers }, () => [
    ...Array.from(
      { length: asked },
      (): Step => ({ type: "question", clip: questionClips[question.next().value] ?? 0 }),
    ),
    ...Array.from(
      { length: interrupted },
      (): Step => ({ type: "interruption", clip: interruptionClips[interruption.next().value] ?? 0 }),
    ),
  ]);
}
