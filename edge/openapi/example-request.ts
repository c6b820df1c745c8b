import type { Operation } from "#protocol/operations/operation";

/** A request that shows what an operation is for. */
export interface ExampleRequest {
  headers: [name: string, value: string][];
  query: [name: string, value: string][];
  /** A JSON body as text. */
  json: string | null;
  form: { name: string; value: string; isFile: boolean }[];
  /** File that the answer goes to. */
  output: string | null;
}

const ignoredFlags: ReadonlySet<string> = new Set(["-i", "-N", "-L"]);

/** Reads the arguments of an operation's `curl` call, so that other languages show the same request. */
export function exampleRequest({ curl }: Pick<Operation, "curl">): ExampleRequest {
  const request: ExampleRequest = { headers: [], query: [], json: null, form: [], output: null };
  const words = shellWords(curl);
  const isQuery = words.includes("-G");
  for (let at = 0; at < words.length; at += 1) {
    const flag = words[at] ?? "";
    if (flag === "-G" || ignoredFlags.has(flag)) continue;
    at += 1;
    const value = words[at];
    if (value === undefined) throw new Error(`${flag} has no value in: ${curl}`);
    if (flag === "-H") request.headers.push(pair(value, ": "));
    else if (flag === "-d" && isQuery) request.query.push(pair(value, "="));
    else if (flag === "-d") request.json = value;
    else if (flag === "-F") request.form.push(formField(value));
    else if (flag === "-o") request.output = value;
    // The method is the operation's, and cookies are curl's own.
    else if (flag !== "-X" && flag !== "-c") throw new Error(`${flag} is not known in: ${curl}`);
  }
  return request;
}

function formField(text: string): ExampleRequest["form"][number] {
  const [name, value] = pair(text, "=");
  return value.startsWith("@") ? { name, value: value.slice(1), isFile: true } : { name, value, isFile: false };
}

function pair(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at === -1) throw new Error(`${text} has no ${separator}`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/** Words as a shell reads them, with both kinds of quotes; variables stay as they are. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const character of text) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " ") {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  return word === null ? words : [...words, word];
}
