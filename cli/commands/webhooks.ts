import { type Command, CommandError, exitCodes, type OptionValues, type Terminal } from "../command.js";
import { listenForWebhooks, type ReceivedWebhook, type WebhookListener } from "./webhooks-listener.js";

const DEFAULT_PORT = 8099;

export const webhooksCommand: Command = {
  name: "webhooks",
  arguments: "listen",
  summary: "Shows the webhooks that arrive on a port of this machine, and checks their signatures.",
  details: [
    "  webhooks listen    one line for each delivery on standard output, until Ctrl-C",
    "",
    "Parley calls public addresses only: to try it out on one machine, start Parley with PARLEY_OUTBOUND_ALLOW as the first line says.",
  ],
  options: {
    port: {
      type: "string",
      value: "N",
      doc: `Port on 127.0.0.1; ${DEFAULT_PORT} when absent, 0 for any that is free.`,
    },
    secret: {
      type: "string",
      value: "TEXT",
      doc: "The endpoint's signing secret; signatures are not checked when absent.",
    },
    answer: { type: "string", value: "STATUS", doc: "HTTP status to answer with, to see retries; 200 when absent." },
    count: { type: "string", value: "N", doc: "Ends after this many deliveries." },
    json: { type: "boolean", doc: "Prints each delivery as a JSON object with its body." },
  },
  run(terminal, positionals, values) {
    if (positionals.length !== 1 || positionals[0] !== "listen")
      throw new CommandError("say: webhooks listen", exitCodes.usage);
    return listen(terminal, values);
  },
};

async function listen(terminal: Terminal, values: OptionValues): Promise<number> {
  const port = wholeNumber(values, "port", 0, 65_535) ?? DEFAULT_PORT;
  const answerStatus = wholeNumber(values, "answer", 200, 599) ?? 200;
  const limit = wholeNumber(values, "count", 1, Number.MAX_SAFE_INTEGER);
  const secret = typeof values.secret === "string" ? values.secret : null;
  const end = untilSignal();
  let count = 0;
  let wrong = 0;
  const onReceived = (received: ReceivedWebhook): void => {
    count++;
    if (received.signature !== null && received.signature !== "valid") wrong++;
    terminal.stdout.write(`${values.json === true ? JSON.stringify(received) : describe(received, new Date())}\n`);
    if (count === limit) end.now();
  };
  const listener = await open({
    port,
    secret,
    answerStatus,
    nowUnixSeconds: () => Math.floor(Date.now() / 1000),
    onReceived,
  });
  terminal.stderr.write(`Listening on ${listener.url} (PARLEY_OUTBOUND_ALLOW=127.0.0.1:${listener.port})\n`);
  await end.reached;
  await listener.close();
  return wrong === 0 ? exitCodes.ok : exitCodes.failed;
}

async function open(options: Parameters<typeof listenForWebhooks>[0]): Promise<WebhookListener> {
  try {
    return await listenForWebhooks(options);
  } catch (cause) {
    throw new CommandError(
      `port ${options.port} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
      exitCodes.failed,
      { cause },
    );
  }
}

/** Resolves at Ctrl-C or another request to end, or when `now` is called. */
function untilSignal(): { reached: Promise<void>; now: () => void } {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let now = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    now = () => {
      for (const signal of signals) process.removeListener(signal, now);
      resolve();
    };
    for (const signal of signals) process.once(signal, now);
  });
  return { reached, now };
}

/** One line: when, what, of which session, and what the signature is worth. */
function describe(received: ReceivedWebhook, at: Date): string {
  const { event, sessionId, signature, path, body } = received;
  const what =
    event === null ? `something else on ${path} (${body.length} characters)` : `${event}  session ${sessionId ?? "?"}`;
  return `${at.toISOString().slice(11, 19)}  ${what}  ${signature === null ? "signature not checked" : `signature ${signature}`}`;
}

function wholeNumber(values: OptionValues, name: string, min: number, max: number): number | null {
  const text = values[name];
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new CommandError(`--${name} is a whole number from ${min} to ${max}`, exitCodes.usage);
  }
  return value;
}
