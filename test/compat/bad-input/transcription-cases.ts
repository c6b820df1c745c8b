import { elevenLabsTranscription } from "#protocol/compat/elevenlabs-transcription";
import { openAiTranscription } from "#protocol/compat/openai-transcription";
import { CANARY, elevenLabs, type HttpCase, openAiMounts } from "./case.js";

function formOf(fields: Record<string, string>, file: Uint8Array | null): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append("file", new Blob([Buffer.from(file)]), "a.wav");
  return form;
}

const openAi = (
  name: string,
  fields: Record<string, string>,
  file: Uint8Array | null,
  statuses: number[],
  mount = openAiMounts[0] ?? "",
): HttpCase => ({
  name: `${mount} transcription: ${name}`,
  protocol: "openai",
  method: "POST",
  path: `${mount}/audio/transcriptions`,
  headers: {},
  body: formOf({ model: "whisper-1", ...fields }, file),
  statuses,
});
const eleven = (
  name: string,
  fields: Record<string, string>,
  file: Uint8Array | null,
  statuses: number[],
  query = "",
): HttpCase => ({
  name: `speech-to-text: ${name}`,
  protocol: "elevenlabs",
  method: "POST",
  path: `${elevenLabs}/v1/speech-to-text${query}`,
  headers: {},
  body: formOf({ model_id: "scribe_v1", ...fields }, file),
  statuses,
});

const setValues = ["true", "True", "1", "yes", "on", CANARY];
const unsetValues = ["false", "False", "0", "off", "none", ""];

/** The truthiness rule, on every refused parameter of both vendors. */
function truthinessCases(good: Uint8Array): HttpCase[] {
  const elevenRows = elevenLabsTranscription.parameters.filter(
    (row) => row.treatment === "refused" && row.place === "form" && row.refusedWhenOff !== true,
  );
  const openAiRows = openAiTranscription.parameters.filter(
    (row) => row.treatment === "refused" && row.place === "form",
  );
  return [
    ...elevenRows.flatMap(({ name }) =>
      setValues.map((value) => eleven(`${name}=${value}`, { [name]: value }, good, [400])),
    ),
    // One unset value each is enough to see that the rule works both ways: every one is a transcription.
    ...elevenRows.map(({ name }, index) =>
      eleven(
        `${name}=${unsetValues[index % unsetValues.length]} is not set`,
        { [name]: unsetValues[index % unsetValues.length] ?? "" },
        good,
        [200],
      ),
    ),
    ...openAiRows.flatMap(({ name }, at) =>
      setValues.map((value, index) =>
        openAi(`${name}=${value}`, { [name]: value }, good, [400], openAiMounts[(at + index) % 3]),
      ),
    ),
    ...["false", "False", "0", "off"].flatMap((value) => [
      eleven(`?enable_logging=${value}`, {}, good, [400], `?enable_logging=${value}`),
      eleven(`enable_logging=${value}`, { enable_logging: value }, good, [400]),
    ]),
  ];
}

/** Files that are none, in every way that a form can carry them. */
function fileCases(good: Uint8Array): HttpCase[] {
  const files: [string, Uint8Array | null][] = [
    ["no file", null],
    ["an empty file", new Uint8Array(0)],
    ["text", Buffer.from(CANARY)],
    ["half a header", good.slice(0, 20)],
    ["a header alone", good.slice(0, 44)],
    ["a twentieth of a second", good.slice(0, 44 + 1600)],
    ["zeros", new Uint8Array(50_000)],
    ["an mp3 that is none", Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(1000, 0x55)])],
    ["an Ogg page that is none", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(500, 1)])],
    ["a playlist", Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:10\nfile:///etc/passwd\n")],
    ["a concat list", Buffer.from("ffconcat version 1.0\nfile /etc/passwd\n")],
  ];
  return files.flatMap(([name, file]) => [openAi(name, {}, file, [400]), eleven(name, {}, file, [400])]);
}

/**
 * Everything about transcription that must be refused, and what looks like it and must not. `good` is a second and more
 * of audio.
 */
export function transcriptionCases(good: Uint8Array): HttpCase[] {
  const json = (name: string, body: unknown, statuses: number[]): HttpCase => ({
    name: `JSON transcription: ${name}`,
    protocol: "openai",
    method: "POST",
    path: "/compat/api/v1/audio/transcriptions",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    statuses,
  });
  const data = Buffer.from(good).toString("base64");
  return [
    ...truthinessCases(good),
    ...fileCases(good),
    ...["xx", "tlh", CANARY, "e", "123"].flatMap((language) => [
      openAi(`language ${language}`, { language }, good, [400]),
      eleven(`language ${language}`, { language_code: language }, good, [400]),
    ]),
    ...["tts-1", "service/s1", "whisper-9", CANARY].map((model) => openAi(`model ${model}`, { model }, good, [400])),
    ...["diarized_json", "JSON", "xml", CANARY].map((format) =>
      openAi(`response_format ${format}`, { response_format: format }, good, [400]),
    ),
    ...[
      {},
      { input_audio: 5 },
      { input_audio: {} },
      { input_audio: { data: 5 } },
      { input_audio: { data: "%%%" } },
      { input_audio: { data: "" } },
      { input_audio: { data: "AAAA" } },
      { input_audio: { data: `${data.slice(0, 90)}*` } },
    ].map((body, index) => json(`bad sound ${index}`, { model: "service/transcribe-1", ...body }, [400])),
    json(
      "provider options",
      { model: "service/transcribe-1", input_audio: { data }, provider: { options: { "fish-audio": { a: 1 } } } },
      [400],
    ),
    json("good sound", { model: "service/transcribe-1", input_audio: { data, format: "wav" } }, [200]),
    { ...openAi("native headers", {}, good, [400]), headers: { "x-fish-temperature": "0.5" } },
    {
      ...openAi("a body that is no form", {}, good, [400, 415]),
      headers: { "content-type": "multipart/form-data" },
      body: "x",
    },
    { ...eleven("JSON", {}, good, [415]), headers: { "content-type": "application/json" }, body: "{}" },
  ];
}
