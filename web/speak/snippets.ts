import type { SpeechModel, SpeechRequest } from "#protocol/speech/request";

/** One request for speech, as programs send it. */
export interface SnippetRequest {
  /** Address of the service. */
  baseUrl: string;
  model: SpeechModel;
  body: SpeechRequest;
}

/** How the request is written in each language. */
export const snippets = { curl: curlSnippet, typescript: typescriptSnippet, python: pythonSnippet } as const;
export type SnippetLanguage = keyof typeof snippets;

const fileOf = ({ format }: SpeechRequest): string => `speech.${format ?? "mp3"}`;

function curlSnippet({ baseUrl, model, body }: SnippetRequest): string {
  return [
    `curl --fail-with-body ${shellWord(`${baseUrl}/v1/tts`)}`,
    `-H "Authorization: Bearer $PARLEY_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-H "model: ${model}"`,
    `-d ${shellWord(JSON.stringify(body))}`,
    `-o ${fileOf(body)}`,
  ].join(" \\\n  ");
}

function typescriptSnippet({ baseUrl, model, body }: SnippetRequest): string {
  return `import { writeFile } from "node:fs/promises";
import { env } from "node:process";

const response = await fetch(${JSON.stringify(`${baseUrl}/v1/tts`)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${env.PARLEY_API_KEY}\`,
    "Content-Type": "application/json",
    model: ${JSON.stringify(model)},
  },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),
});
if (!response.ok) throw new Error(await response.text());
await writeFile(${JSON.stringify(fileOf(body))}, new Uint8Array(await response.arrayBuffer()));
`;
}

function pythonSnippet({ baseUrl, model, body }: SnippetRequest): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(`${baseUrl}/v1/tts`)},
    headers={
        "Authorization": "Bearer " + os.environ["PARLEY_API_KEY"],
        "Content-Type": "application/json",
        "model": ${JSON.stringify(model)},
    },
    data=json.dumps(${indented(JSON.stringify(body, null, 4), "    ")}).encode(),
)
with urllib.request.urlopen(request) as response, open(${JSON.stringify(fileOf(body))}, "wb") as file:
    file.write(response.read())
`;
}

/** As one word of a shell, whatever is in it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The lines after the first, moved to the right. Our bodies are numbers, texts and maps: JSON is Python of these. */
const indented = (text: string, by = "  "): string => text.replaceAll("\n", `\n${by}`);
