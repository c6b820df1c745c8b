import { monitorEventLoopDelay } from "node:perf_hooks";
import { dispose } from "@livekit/rtc-node";
import { openTalk, publishAgent } from "../../conversations/open-talk.js";
import type { ServiceAccess } from "../../harness/cluster.js";
import { until } from "../../harness/processes.js";
import { Conversation, type ReceivedStory } from "./conversation.js";

const BEGIN_MS = 30_000;

/** What callers heard while something of the cluster was replaced, and after it. */
export interface Round {
  stories: ReceivedStory[];
  /** From the end of each caller's question, asked when it was over, to the first sound of its answer. */
  answersAfterMs: number[];
  /** Questions that had to be asked again. */
  askedAgain: number;
  /** How late this program was at most: what it heard late may have been said in time. */
  lateMs: number;
  failures: string[];
}

/** Callers who talk with an agent, each in a room of its own. */
export class Conversations {
  readonly #all: readonly Conversation[];

  private constructor(all: readonly Conversation[]) {
    this.#all = all;
  }

  /** Resolves when the agent is with each of so many callers. */
  static async begin(service: ServiceAccess, count: number): Promise<Conversations> {
    const agentId = await publishAgent(service, {
      prompt: { system_prompt: "You tell stories, and say when the shop is open.", first_message_mode: "off" },
    });
    const talks = await Promise.all(Array.from({ length: count }, () => openTalk(service, agentId)));
    const all = talks.map((talk) => new Conversation(talk));
    try {
      await Promise.all(all.map((one) => one.untilPresent()));
      return new Conversations(all);
    } catch (error) {
      await Promise.all(talks.map(({ caller }) => caller.leave()));
      await dispose();
      throw error;
    }
  }

  /** Has stories told while `change` goes on, and asks each caller's question when it is over. */
  async through(change: () => Promise<void>): Promise<Round> {
    const round: Round = { stories: [], answersAfterMs: [], askedAgain: 0, lateMs: 0, failures: [] };
    const lag = monitorEventLoopDelay();
    lag.enable();
    let isOver = false;
    const telling = this.#each(round, async (conversation) => {
      do round.stories.push(await conversation.story());
      while (!isOver);
    });
    try {
      await until(() => this.#all.every(({ isUnderWay }) => isUnderWay), { withinMs: BEGIN_MS, what: "the stories" });
      await change();
    } finally {
      isOver = true;
      await telling;
    }
    await this.#each(round, async (conversation) => {
      const { afterMs, asked } = await conversation.ask();
      round.answersAfterMs.push(afterMs);
      round.askedAgain += asked - 1;
    });
    await this.#each(round, async (conversation, name) => {
      for (const problem of await conversation.problems()) round.failures.push(`${name}: ${problem}`);
    });
    lag.disable();
    round.lateMs = lag.max / 1e6;
    return round;
  }

  /** All callers leave; gives what is wrong with the records of their sessions. */
  async end(): Promise<string[]> {
    const round = { failures: [] as string[] };
    await this.#each(round, async (conversation, name) => {
      for (const problem of await conversation.leave()) round.failures.push(`${name}: ${problem}`);
    });
    await dispose();
    return round.failures;
  }

  /** Does something with all conversations at once; what throws is a failure of that caller. */
  async #each(
    round: { failures: string[] },
    work: (conversation: Conversation, name: string) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      this.#all.map(async (conversation, index) => {
        const name = `caller ${index + 1}`;
        await work(conversation, name).catch((error: unknown) => {
          round.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
        });
      }),
    );
  }
}

/** A round in one line. */
export function summary({ stories, answersAfterMs, askedAgain, lateMs }: Round): string {
  const most = (values: readonly number[]): number => Math.round(Math.max(0, ...values));
  const wrong = stories.reduce((sum, { wrongWords }) => sum + wrongWords, 0);
  const again = askedAgain === 0 ? "" : ` (${askedAgain} asked again)`;
  return (
    `${stories.length} stories, longest gap ${most(stories.map(({ gapMs }) => gapMs))} ms, ${wrong} words wrong; ` +
    `${answersAfterMs.length} questions answered${again}, after ${most(answersAfterMs)} ms at most; ` +
    `the callers' own event loop was ${Math.round(lateMs)} ms late at most`
  );
}
