import type { Answer, ScriptedRequest, Step } from "#agents/model/testing/scripted-endpoint";

/** What the agent tells: no word comes twice but for small ones, so that what is missing or repeated can be told. */
export const STORY = [
  "Every morning the old farmer walked down to the river.",
  "One day the water was gone.",
  "He followed the dry stones into the mountains and found a sleeping giant.",
] as const;

const storyText = STORY.join(" ");

/** What the caller types to be told the story. */
export const STORY_WANTED = "Tell me a story.";
/** The same, by a model that writes as slowly as one speaks. */
export const SLOW_STORY_WANTED = "Tell me a story slowly.";

/** About as long as the words of one sentence take to say. */
const SENTENCE_MS = 2000;

/** The words of a text, in lower case, without punctuation. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

/**
 * A model that tells the story, and goes on in it where its own last message ends when it is asked to: what a runtime
 * asks that took over before the answer was whole. To anything else it says that it is open.
 */
export function tellStory({ messages }: ScriptedRequest): Answer {
  const asked = messages.findLast((message) => message.role === "user" && message.content.includes("story"));
  if (asked === undefined) return [{ text: "We open at nine in the morning." }, { finish: "stop" }];
  const isSlow = (asked.content ?? "").includes("slowly");
  const told = messages.slice(messages.indexOf(asked) + 1).findLast((message) => message.role === "assistant");
  const rest = restAfter(wordsOf(told?.content ?? "").length);
  const steps = rest.flatMap((sentence, index): Step[] => [
    ...(isSlow && index > 0 ? [{ waitMs: SENTENCE_MS }] : []),
    { text: `${sentence} ` },
  ]);
  return [...steps, { finish: "stop" }];
}

/** The story without its first words, by sentences. */
function restAfter(words: number): string[] {
  const rest = storyText.split(" ").slice(words).join(" ");
  return rest === "" ? [] : rest.split(/(?<=\.) /);
}
