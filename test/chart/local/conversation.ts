import type { Answer, ScriptedRequest } from "#agents/model/testing/scripted-endpoint";
import type { Talk } from "../../conversations/open-talk.js";
import { until } from "../../harness/processes.js";
import { compareWords, longestGapMs } from "../../survival/recording.js";
import { SLOW_STORY_WANTED, STORY, tellStory, wordsOf } from "../../survival/story.js";

const QUESTION = "When do you open in the morning?";
const ANSWER = "We open at nine in the morning.";
/** What a recognizer must make of the question before another one is asked: a few words may not come through. */
const MOST_ASKED = 3;
/** Of full scale: what is louder is a voice. */
const AUDIBLE = 0.005;
/** An agent that has been silent for so long has finished. */
const FINISHED_MS = 600;
const STORY_MS = 60_000;
const ANSWER_MS = 20_000;
const PRESENT_MS = 30_000;
/** A story is under way when so many of its words were heard. */
const UNDER_WAY_WORDS = 3;

/** What the language model of the callers' agent says: the story where it was asked for last, the hours otherwise. */
export function answerCaller(request: ScriptedRequest): Answer {
  const last = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  return last.includes("story") ? tellStory(request) : [{ text: ANSWER }, { finish: "stop" }];
}

/** One story as a caller heard it. */
export interface ReceivedStory {
  /** The longest silence between two audible frames of it. */
  gapMs: number;
  /** Words of it that no transcript has, or that one has too many. */
  wrongWords: number;
}

/** A caller in its room, who has stories told and asks aloud. */
export class Conversation {
  readonly talk: Talk;
  /** What it said so far, typed and aloud. */
  turns = 0;
  #storyFrom = 0;

  constructor(talk: Talk) {
    this.talk = talk;
  }

  /** Resolves when the agent is there. */
  async untilPresent(): Promise<void> {
    const { caller } = this.talk;
    await until(() => caller.states.includes("listening"), { withinMs: PRESENT_MS, what: "the agent" });
  }

  /** Whether the story of now has begun to be told. */
  get isUnderWay(): boolean {
    return this.#wordsSince(this.#storyFrom).length >= UNDER_WAY_WORDS;
  }

  /** Has the story told to its end. */
  async story(): Promise<ReceivedStory> {
    const { caller } = this.talk;
    const fromMs = performance.now();
    this.#storyFrom = caller.transcripts.length;
    await this.talk.type(SLOW_STORY_WANTED);
    this.turns++;
    const lastWord = wordsOf(STORY.join(" ")).at(-1);
    await this.#until(() => this.#wordsSince(this.#storyFrom).at(-1) === lastWord, STORY_MS, "the end of the story");
    await this.#untilSilent();
    const { lost, extra, changed } = compareWords(wordsOf(STORY.join(" ")), this.#wordsSince(this.#storyFrom));
    const gapMs = longestGapMs(caller.received.filter(({ atMs }) => atMs >= fromMs)) ?? Number.POSITIVE_INFINITY;
    return { gapMs, wrongWords: lost + extra + changed };
  }

  /** Asks aloud; gives how long after the question the first sound of its answer came, and how often it was asked. */
  async ask(): Promise<{ afterMs: number; asked: number }> {
    const { caller } = this.talk;
    for (let asked = 1; ; asked++) {
      const from = caller.transcripts.length;
      const { endedAtMs } = await this.talk.say(QUESTION);
      this.turns++;
      const answer = wordsOf(ANSWER).join(" ");
      try {
        await this.#until(() => this.#wordsSince(from).join(" ").includes(answer), ANSWER_MS, "the answer");
      } catch (error) {
        if (asked === MOST_ASKED) throw error;
        continue;
      }
      await this.#untilSilent();
      const onsetAtMs = caller.onsetAfter(endedAtMs, AUDIBLE);
      if (onsetAtMs === null) throw new Error("the answer has words and no sound");
      return { afterMs: onsetAtMs - endedAtMs, asked };
    }
  }

  /** What is wrong with its room and its session now; empty where both go on. */
  async problems(): Promise<string[]> {
    const { status } = await this.talk.session();
    return [
      ...(this.talk.caller.disconnected === null ? [] : ["it was put out of its room"]),
      ...(status === "active" ? [] : [`its session is ${status}`]),
    ];
  }

  /** Leaves; gives what is wrong with what the session's record says of it. */
  async leave(): Promise<string[]> {
    await this.talk.caller.leave();
    let session = await this.talk.session();
    await until(
      async () => {
        session = await this.talk.session();
        return session.status === "completed" || session.status === "failed";
      },
      { withinMs: PRESENT_MS, what: "the end of the session" },
    );
    const said = session.items.filter((item) => item.type === "message" && item.role === "user").length;
    return [
      ...(session.status === "completed" && session.ended_reason === "caller_left"
        ? []
        : [`its session ended ${session.status}, ${session.ended_reason}`]),
      ...(said === this.turns ? [] : [`its record has ${said} of ${this.turns} turns of the caller`]),
    ];
  }

  /** Words that the agent was heard saying since the transcript of that number. */
  #wordsSince(from: number): string[] {
    const { transcripts, identity } = this.talk.caller;
    const known = new Set(transcripts.slice(0, from).map(({ segmentId }) => segmentId));
    return transcripts
      .slice(from)
      .filter((transcript) => transcript.identity !== identity && !known.has(transcript.segmentId))
      .flatMap(({ text }) => wordsOf(text));
  }

  async #untilSilent(): Promise<void> {
    const { caller } = this.talk;
    const lastAtMs = (): number => caller.received.findLast(({ loudness }) => loudness > AUDIBLE)?.atMs ?? 0;
    await this.#until(() => performance.now() - lastAtMs() > FINISHED_MS, ANSWER_MS, "silence");
  }

  async #until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    const { caller } = this.talk;
    await until(
      () => {
        if (caller.disconnected !== null) throw new Error(`the caller was put out of its room before ${what}`);
        return condition();
      },
      { withinMs, what },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it had said: ${this.talk.said().slice(-300)}`, { cause: error });
    });
  }
}
