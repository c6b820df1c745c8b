import { CANARY, elevenLabsJson, type HttpCase, openAiJson, openAiMounts } from "./case.js";

/** Values that no field takes, by what they are. */
const rubbish: [what: string, value: unknown][] = [
  ["a list", [CANARY]],
  ["a map", { [CANARY]: 1 }],
  ["a text", CANARY],
  ["a number", 1e308],
  ["a negative number", -1],
  ["true", true],
];

const openAiFields: Record<string, string[]> = {
  input: ["a text"],
  voice: [],
  response_format: [],
  sample_rate: [],
  speed: [],
  temperature: [],
  top_p: [],
  repetition_penalty: [],
  input_references: [],
  provider: [],
};

/** Every field of OpenAI's speech with every kind of rubbish, on every mount in turn. */
function openAiFieldCases(): HttpCase[] {
  return Object.entries(openAiFields).flatMap(([field, fine], at) =>
    rubbish
      .filter(([what]) => !fine.includes(what) && !isHarmless(field, what))
      .map(([what, value], index) => {
        const mount = openAiMounts[(at + index) % openAiMounts.length] ?? "";
        return openAiJson(
          `${mount} ${field}: ${what}`,
          "/audio/speech",
          { input: "Go.", model: "tts-1", [field]: value },
          [400],
          mount,
        );
      }),
  );
}

/** A map without `options` is no native option at all; sizes in range are fine. */
function isHarmless(field: string, what: string): boolean {
  return field === "provider" && what === "a map";
}

const outputFormats = [
  "mp3_22050_32",
  "mp3_24000_48",
  "mp3_44100_320",
  "mp3_44100_256",
  "mp3_48000_128",
  "mp3",
  "mp3_",
  "mp3_44100_",
  "mp3_44100_1e2",
  "mp3_44100_-1",
  "pcm_22050",
  "pcm_48000",
  "pcm_11025",
  "pcm_0",
  "pcm_",
  "pcm",
  "pcm_16000_16",
  "pcm_16000 ",
  " pcm_16000",
  "PCM_16000",
  "pcm-16000",
  "wav_22050",
  "wav_48000",
  "wav_96000",
  "wav",
  "wav_44100_16",
  "ulaw_8000",
  "alaw_8000",
  "ulaw",
  "mulaw_8000",
  "opus_44100",
  "opus_16000",
  "opus",
  "opus_24000_32",
  "flac_44100",
  "aac_44100_128",
  "ogg_48000",
  "webm_48000",
  "amr_8000",
  "null",
  "undefined",
  "[object Object]",
  "0",
  "true",
  "mp3_44100_128,pcm_16000",
  "mp3%5F44100",
  "__proto__",
  "constructor",
  "toString_44100",
  "mp3_44100_128_extra",
  "mp3_99999_128",
  "mp3_999999999_128",
  "\u0000",
  "mp3_\u0661\u0664\u0664_128",
  CANARY,
  "a".repeat(5000),
];

function outputFormatCases(): HttpCase[] {
  const ways = ["", "/stream", "/with-timestamps", "/stream/with-timestamps"];
  return outputFormats.flatMap((format, index) => {
    const way = ways[index % ways.length] ?? "";
    const path = (of: string): string => `/v1/text-to-speech/default${of}?output_format=${encodeURIComponent(format)}`;
    const name = `output_format ${JSON.stringify(format.slice(0, 30))}`;
    return [
      elevenLabsJson(`${name} ${way}`, path(way), { text: "Go." }, [400]),
      elevenLabsJson(`${name} again`, path(ways[(index + 1) % 4] ?? ""), { text: "Go." }, [400]),
    ];
  });
}

function elevenLabsFieldCases(): HttpCase[] {
  const fields: [string, unknown[]][] = [
    ["text", [null, 1, [], {}, true]],
    ["model_id", [1, [], {}, true, "Ellipsis"]],
    ["voice_settings", [1, [], "x", true]],
    [
      "voice_settings",
      [
        { stability: -0.1 },
        { stability: 1.1 },
        { stability: "high" },
        { stability: [] },
        { speed: 0 },
        { speed: 0.2 },
        { speed: 4.1 },
        { speed: "fast" },
        { speed: {} },
      ],
    ],
  ];
  return fields
    .flatMap(([field, values]) =>
      values.map((value) =>
        elevenLabsJson(
          `${field}: ${JSON.stringify(value)}`,
          "/v1/text-to-speech/default",
          { text: "Go.", [field]: value },
          [400],
        ),
      ),
    )
    .filter(({ name }) => name !== "voice_settings: []");
}

/** Bodies that are no JSON, or no object, on every way to speech. */
function brokenBodies(): HttpCase[] {
  const bodies = [
    "",
    "{",
    '{"input":"Go."',
    '{"text":"Go."',
    "[]",
    "null",
    "5",
    '"text"',
    "{'text':'Go.'}",
    "\ufeff",
    "\u0000",
    "[".repeat(20_000),
    `{"text":"${CANARY}`,
  ];
  const ways: [HttpCase["protocol"], string][] = [
    ["openai", "/compat/v1/audio/speech"],
    ["openai", "/compat/v1/chat/completions"],
    ["elevenlabs", "/compat/elevenlabs/v1/text-to-speech/default"],
    ["elevenlabs", "/compat/elevenlabs/v1/text-to-speech/default/with-timestamps"],
  ];
  const headers = { "content-type": "application/json" };
  return ways.flatMap(([protocol, path]) =>
    bodies.map((body, index) => ({
      name: `${path} broken body ${index}`,
      protocol,
      method: "POST",
      path,
      headers,
      body,
      statuses: [400, 415],
    })),
  );
}

function chatCases(): HttpCase[] {
  const user = (content: unknown): object => ({
    model: "service/s1",
    modalities: ["audio"],
    messages: [{ role: "user", content }],
  });
  const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const bodies: [string, unknown][] = [
    ["no messages", { modalities: ["audio"] }],
    ["an empty list", { modalities: ["audio"], messages: [] }],
    ["no user", { modalities: ["audio"], messages: [{ role: "system", content: "Hi." }] }],
    ["no content", user(null)],
    ["content that is a number", user(5)],
    ["a part of an unknown type", user([{ type: "image_url", image_url: { url: "x" } }])],
    ["no modality", { messages: [{ role: "user", content: "Hi." }] }],
    ["n of 2", { ...user("Hi."), n: 2 }],
    ["tools", { ...user("Hi."), tools: [{ type: "function" }] }],
    ["sound in and out", user([audio])],
    ["two sounds", { model: "whisper-1", messages: [{ role: "user", content: [audio, audio] }] }],
    ["sound that is none", { model: "whisper-1", messages: [{ role: "user", content: [audio] }] }],
    [
      "sound that is no base64",
      { model: "whisper-1", messages: [{ role: "user", content: [{ ...audio, input_audio: { data: "%%%" } }] }] },
    ],
    ["sound to a speech model", { model: "service/s1", messages: [{ role: "user", content: [audio] }] }],
    ["an unknown model", { ...user("Hi."), model: CANARY }],
    ["a format that there is not", { ...user("Hi."), audio: { format: "flac", voice: "default" } }],
    ["an unknown voice", { ...user("Hi."), audio: { format: "mp3", voice: "alloy" } }],
    ["nothing to speak", user("...")],
  ];
  return bodies.map(([name, body]) => openAiJson(`chat: ${name}`, "/chat/completions", body, [400]));
}

function headerCases(): HttpCase[] {
  const fish = (name: string, value: string): HttpCase => {
    const plain = openAiJson(
      `${name}: ${value.slice(0, 20)}`,
      "/audio/speech",
      { input: "Go.", model: "tts-1" },
      [400],
    );
    return { ...plain, headers: { ...plain.headers, [name]: value } };
  };
  return [
    fish("x-fish-temperature", "2"),
    fish("x-fish-temperature", "hot"),
    fish("x-fish-chunk-length", "5"),
    fish("x-fish-chunk_length", "{}"),
    fish("x-fish-format", "flac"),
    fish("x-fish-latency", "soon"),
    fish("x-fish-sample-rate", "1"),
    fish("x-fish-references", "[1]"),
    fish("x-fish-prosody", '{"speed":9}'),
    fish("x-fish-reference-id", CANARY),
  ];
}

function keyCases(): HttpCase[] {
  const paths: [HttpCase["protocol"], string, string][] = [
    ["openai", "POST", "/compat/v1/audio/speech"],
    ["openai", "POST", "/compat/v1/audio/transcriptions"],
    ["openai", "POST", "/compat/api/v1/chat/completions"],
    ["elevenlabs", "POST", "/compat/elevenlabs/v1/text-to-speech/default"],
    ["elevenlabs", "POST", "/compat/elevenlabs/v1/speech-to-text"],
    ["elevenlabs", "GET", "/compat/elevenlabs/v1/voices"],
    ["elevenlabs", "GET", "/compat/elevenlabs/v1/user"],
  ];
  const keys = ["", "Bearer", "Bearer ", `Bearer ${CANARY}`, "Basic dXNlcjpwYXNz", "bearer a b"];
  return paths.flatMap(([protocol, method, path]) =>
    keys.map((authorization) => ({
      name: `${path} with the key ${JSON.stringify(authorization)}`,
      protocol,
      method,
      path,
      headers: { "content-type": "application/json", authorization },
      body: method === "GET" ? null : "{}",
      statuses: [401],
    })),
  );
}

function pathCases(): HttpCase[] {
  const paths: [HttpCase["protocol"], string][] = [
    ...openAiMounts.flatMap((mount): [HttpCase["protocol"], string][] =>
      [
        "/audio/translations",
        "/models/service/s1",
        "/embeddings",
        "/audio",
        "/audio/speech/x",
        "/",
        "/../v1/models/x",
        "/responses",
        "/files",
      ].map((path) => ["openai", `${mount}${path}`]),
    ),
    ...[
      "/v1/text-to-speech",
      "/v1/text-to-speech/a/b/c",
      "/v1/dubbing",
      "/v1/voices/a/b",
      "/",
      "/v3/voices",
      "/v1/speech-to-speech/x",
    ].map((path): [HttpCase["protocol"], string] => ["elevenlabs", `/compat/elevenlabs${path}`]),
  ];
  return paths.map(([protocol, path]) => ({
    name: `${path} is no route`,
    protocol,
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: "{}",
    statuses: [404, 405],
  }));
}

/** Everything about speech that must be refused. */
export function speechCases(): HttpCase[] {
  return [
    ...openAiFieldCases(),
    ...outputFormatCases(),
    ...elevenLabsFieldCases(),
    ...brokenBodies(),
    ...chatCases(),
    ...headerCases(),
    ...keyCases(),
    ...pathCases(),
    ...["aac", "flac", "mulaw", "ogg", "MP3", "wave", "", CANARY, "__proto__", "pcm_16000"].map((format) =>
      openAiJson(`response_format ${format}`, "/audio/speech", { input: "Go.", response_format: format }, [400]),
    ),
    ...["whisper-1", "s9", "service/", "fish-audio/x", CANARY, "../s1", "gpt-4o"].map((model) =>
      openAiJson(`model ${model}`, "/audio/speech", { input: "Go.", model }, [400]),
    ),
    ...["alloy", "nova", "a".repeat(500), CANARY, "../default", "%00"].map((voice) =>
      openAiJson(`voice ${voice.slice(0, 20)}`, "/audio/speech", { input: "Go.", voice }, [400]),
    ),
    ...["", " ", "...", "\u200b", "(happy)"].map((input) =>
      openAiJson(`input ${JSON.stringify(input)}`, "/audio/speech", { input }, [400]),
    ),
    ...["nobody", "..%2F", "%00", "a".repeat(300)].map((voice) =>
      elevenLabsJson(
        `text-to-speech of voice ${voice.slice(0, 20)}`,
        `/v1/text-to-speech/${voice}`,
        { text: "Go." },
        [400],
      ),
    ),
    ...["service/nonsense", "fish-audio/s9", "service/", `service/${CANARY}`].map((model_id) =>
      elevenLabsJson(`model_id ${model_id}`, "/v1/text-to-speech/default", { text: "Go.", model_id }, [404]),
    ),
    openAiJson("a text beyond a million characters", "/audio/speech", { input: "a".repeat(1_000_001) }, [400]),
    {
      ...openAiJson("a body beyond its bound", "/audio/speech", {}, [413]),
      body: Buffer.alloc(32 * 1024 * 1024 + 1, 32),
    },
    {
      ...openAiJson("a form to speech", "/audio/speech", {}, [415]),
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: "--x--",
    },
    { ...openAiJson("no content type", "/audio/speech", {}, [415]), headers: {} },
  ];
}
