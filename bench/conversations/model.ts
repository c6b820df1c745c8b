import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** What is read of a request; peers send shapes that a strict endpoint would refuse, such as an empty list of tools. */
const requestBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
const part = z.looseObject({ text: z.string() });

/** A language model's endpoint that speaks OpenAI's protocol and answers at once. */
export interface ScriptedModel {
  baseUrl: string;
  close(): Promise<void>;
}

/** Answers with the words that `replyTo` gives for the user's last message, one delta a word, without a pause. */
export async function startScriptedModel(replyTo: (text: string) => string): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    read(request)
      .then((text) => {
        const { model, messages } = requestBody.parse(JSON.parse(text));
        const last = messages.findLast(({ role }) => role === "user");
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(eventStream(model, wordsOf(replyTo(textOf(last?.content)))));
      })
      // Whoever only looks whether somebody is there, or has gone in the middle of the request.
      .catch(() => response.writeHead(400).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A message's text, whether it is one or comes in parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((entry) => part.safeParse(entry).data?.text ?? []).join("\n");
}

/** A word with the blank before it: about what a model sends at a time. */
const wordsOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

function eventStream(model: string, words: readonly string[]): string {
  const chunk = (delta: object, finish: string | null): string => {
    const body = {
      id: "scripted",
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    };
    return `data: ${JSON.stringify(body)}\n\n`;
  };
  const deltas = words.map((content) => chunk({ role: "assistant", content }, null));
  return `${deltas.join("")}${chunk({}, "stop")}data: [DONE]\n\n`;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
