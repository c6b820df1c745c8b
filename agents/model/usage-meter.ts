import { z } from "zod";
import type { ModelPrice } from "#common/config/setting";
import { withoutTrailing } from "#common/text/trim";
import type { CompletionClient } from "./openai-client.js";

/** Prices by model, in US dollars for a million tokens. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Digits behind the point of a price, and of the cost of one token in dollars. */
const PRICE_DIGITS = 6;
const COST_DIGITS = 12;

const chunkWithUsage = z.looseObject({
  usage: z.looseObject({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) }),
});
const lastChunk = z.looseObject({
  choices: z.tuple([z.looseObject({ finish_reason: z.string().min(1) })], z.unknown()),
});

/** Adds up what the requests of one run cost. Amounts are whole numbers within: no float ever holds money. */
export class UsageMeter {
  readonly #prices: ModelPrices;
  #cost = 0n;
  #isKnown = true;

  constructor(prices: ModelPrices) {
    this.#prices = prices;
  }

  /** US dollars as a decimal in text; null where a request had no price, or its endpoint did not count tokens. */
  get costUsd(): string | null {
    return this.#isKnown ? decimalText(this.#cost) : null;
  }

  /**
   * The client of a model, metered. Endpoints are asked for their count of tokens only where the model has a price,
   * since some refuse what they do not know.
   */
  metered(client: CompletionClient, model: string): CompletionClient {
    const price = Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined;
    if (price === undefined) {
      return {
        stream: (body, signal) => {
          this.#isKnown = false;
          return client.stream(body, signal);
        },
      };
    }
    return {
      stream: (body, signal) => {
        const source = client.stream({ ...body, stream_options: { include_usage: true } }, signal);
        return this.#counted(source, price);
      },
    };
  }

  /** The count comes behind the chunk that ends the answer, behind which nobody reads: that chunk waits for it. */
  async *#counted(source: AsyncIterable<unknown>, price: ModelPrice): AsyncIterable<unknown> {
    const held: unknown[] = [];
    let isCounted = false;
    try {
      for await (const chunk of source) {
        const counted = chunkWithUsage.safeParse(chunk);
        if (counted.success) {
          isCounted = true;
          this.#add(price, counted.data.usage.prompt_tokens, counted.data.usage.completion_tokens);
        }
        if (held.length > 0 || lastChunk.safeParse(chunk).success) held.push(chunk);
        else yield chunk;
      }
      yield* held;
    } finally {
      if (!isCounted) this.#isKnown = false;
    }
  }

  #add(price: ModelPrice, inputTokens: number, outputTokens: number): void {
    this.#cost += BigInt(inputTokens) * perToken(price.input) + BigInt(outputTokens) * perToken(price.output);
  }
}

/** A price for a million tokens, as the price of one in 10^-12 dollars: both are the same digits. */
function perToken(price: string): bigint {
  const [whole = "0", fraction = ""] = price.split(".");
  return BigInt(whole + fraction.padEnd(PRICE_DIGITS, "0"));
}

function decimalText(cost: bigint): string {
  const digits = cost.toString().padStart(COST_DIGITS + 1, "0");
  const whole = digits.slice(0, -COST_DIGITS);
  const fraction = withoutTrailing(digits.slice(-COST_DIGITS), "0");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
