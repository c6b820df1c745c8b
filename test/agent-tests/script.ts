import type { Answer, ScriptedRequest } from "#agents/model/testing/scripted-endpoint";

const usage = { prompt_tokens: 1000, completion_tokens: 100 };
const stop = { finish: "stop", usage } as const;
const calls = { finish: "tool_calls", usage } as const;

const json = (value: object): Answer => [{ text: JSON.stringify(value) }, stop];

/** What the part of a request says under a heading. */
function section(content: string, title: string): string {
  return content.split("\n\n").find((part) => part.startsWith(`# ${title}\n`)) ?? "";
}

/** Answers as an agent, a judge and a caller would, by rules. */
export function scriptedAnswer(request: ScriptedRequest): Answer {
  const last = request.messages.at(-1);
  const words = typeof last?.content === "string" ? last.content : "";
  const isUnreadable = request.messages.some(({ content }) => content?.includes("unreadable"));
  switch (request.response_format?.json_schema.name) {
    case "verdict":
      return isUnreadable ? [{ text: "I think it is fine." }, stop] : judgeReply(words);
    case "conditions":
      return judgeConditions(words);
    case "caller":
      return callerSays(words, request.messages[0]?.content ?? "");
    default:
      return agentSays(request, words);
  }
}

function judgeReply(words: string): Answer {
  const reply = section(words, "Reply to judge");
  const verdict = reply.includes("nine") ? "success" : reply.includes("perhaps") ? "undecided" : "failure";
  return json({ reasoning: `It says ${verdict}.`, verdict });
}

function judgeConditions(words: string): Answer {
  const conditions = section(words, "Conditions").split("\n").slice(1);
  const said = section(words, "Conversation");
  return json({
    summary: "They talked.",
    conditions: conditions.map((line, index) => {
      const wanted = /says (\w+)/.exec(line)?.[1];
      const result = wanted === undefined ? "unknown" : said.includes(wanted) ? "success" : "failure";
      return { number: index + 1, rationale: `about ${wanted ?? "nothing"}`, result };
    }),
  });
}

function callerSays(words: string, role: string): Answer {
  const turns = words.split("\nCaller: ").length - 1 + (words.startsWith("# The call so far\nCaller") ? 1 : 0);
  if (role.includes("never ends")) return json({ message: `Tell me more, ${turns}.`, ends_call: false });
  if (role.includes("says bye")) return json({ message: "Bye.", ends_call: false });
  if (turns === 0) return json({ message: "What is the weather in Rome?", ends_call: false });
  return json({ message: "Thank you, that is all.", ends_call: true });
}

function agentSays({ tools = [] }: ScriptedRequest, words: string): Answer {
  const has = (name: string): boolean => tools.some((tool) => tool.function.name === name);
  if (/weather/i.test(words) && has("get_weather"))
    return [{ call: { name: "get_weather", arguments: '{"city":"Rome"}' } }, calls];
  if (/bye/i.test(words) && has("hang_up_call"))
    return [{ text: "Goodbye." }, { call: { name: "hang_up_call", arguments: "{}" } }, calls];
  if (/open/i.test(words)) return [{ text: "We open at nine." }, stop];
  if (/close/i.test(words)) return [{ text: "Well, perhaps at five." }, stop];
  return [{ text: `You said: ${words.slice(-60)}` }, stop];
}
