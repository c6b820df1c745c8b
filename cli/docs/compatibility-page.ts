import { compatMounts, compatOperations } from "#protocol/compat/operations";
import type { CompatOperation } from "#protocol/compat/parameter";
import { generatedNote, markdownTable } from "./markdown.js";

const clients = `A client library of another vendor works against Parley with another base URL and a Parley key, nothing else.

| library | base URL |
|---|---|
| \`openai\` | \`http://localhost:8080/compat/v1\` |
| \`groq-sdk\` | \`http://localhost:8080/compat\` |
| \`@openrouter/sdk\` | \`http://localhost:8080/compat/api/v1\` (\`serverURL\`) |
| \`@elevenlabs/elevenlabs-js\` | \`http://localhost:8080/compat/elevenlabs\` |
| \`ai\` with \`@ai-sdk/openai\` | \`http://localhost:8080/compat/v1\` (\`baseURL\`) |
| \`ai\` with \`@ai-sdk/groq\` | \`http://localhost:8080/compat/openai/v1\` (\`baseURL\`) |
| \`ai\` with \`@ai-sdk/elevenlabs\` | it has no such setting: give it a \`fetch\` that replaces \`https://api.elevenlabs.io\` by \`http://localhost:8080/compat/elevenlabs\` |
| \`@livekit/agents-plugin-openai\` | \`http://localhost:8080/compat/v1\` (\`baseURL\`) |
| \`@livekit/agents-plugin-elevenlabs\` | \`http://localhost:8080/compat/elevenlabs/v1\` (\`baseURL\`) |
| \`@livekit/agents-plugin-fishaudio\` | \`http://localhost:8080\` (\`baseURL\`; without TLS it speaks streams only) |

Every parameter is *mapped* (it has the effect that the table says), *ignored* (it is accepted and changes nothing) or *refused* (a 400 as soon as it is set).
\`false\`, \`0\`, \`null\`, an empty value and the words \`false\`, \`none\`, \`off\` mean that a parameter is not set. Unknown parameters are ignored.
Errors come in the vendor's own shape; every answer carries \`X-Generation-Id\` and \`x-request-id\`.

What there is not: the vendors' preset voices (use the id of a voice made here, or the default voice; \`PARLEY_VOICE_ALIASES\` maps preset names to ids), audio in 22.05 kHz (set an output format where a
client asks for it by default), translations, and languages that no loaded model speaks.

Some clients need a setting of their own:

| client | setting | because |
|---|---|---|
| Pipecat, \`ElevenLabsRealtimeSTTService\` | \`include_timestamps=True\` | each commit has two answers, and Pipecat takes both for transcripts of their own unless it has asked for the second: every sentence would come twice |
| LiveKit, ElevenLabs' text to speech | \`encoding="mp3_44100_64"\` or \`"pcm_44100"\` | its default is in 22.05 kHz, which is refused |
| LiveKit and Pipecat, ElevenLabs' speech to text from files | \`tag_audio_events=False\` | only words are transcribed |
| LiveKit for Node, ElevenLabs' text to speech | \`encoding: "pcm_44100"\` | it plays PCM only, and its default is in 22.05 kHz, which is refused |
| LiveKit for Node, OpenAI's speech to text | its default model, with its own voice activity detector or \`vad: null\` | turns are ended by the client; with another model it leaves that to the server |
| LiveKit for Node, text to speech | \`voice: "default"\`, \`voiceId: "default"\`; with Fish Audio's plugin the id of a voice | its defaults are the vendors' preset voices |
| AI SDK, \`@ai-sdk/elevenlabs\`' transcription | \`providerOptions: { elevenlabs: { diarize: false, tagAudioEvents: false } }\` | it asks for both by default, and speakers are not told apart |
| AI SDK, speech of every vendor | \`voice: "default"\`, or the id of a voice | its defaults are the vendors' preset voices |
`;

/** `docs/compatibility.md`, from the tables that the routers use. */
export function compatibilityPage(): string {
  const chapters = Object.entries(compatMounts).map(([protocol, mounts]) => {
    const own = compatOperations.filter((operation) => operation.protocol === protocol);
    return `## ${protocol}\n\nUnder ${mounts.map((mount) => `\`${mount}\``).join(", ")}.\n\n${own.map(section).join("\n")}`;
  });
  return `# Other vendors' clients\n\n${generatedNote("protocol/compat")}\n\n${clients}\n${chapters.join("\n")}`;
}

function section({ method, path, summary, parameters }: CompatOperation): string {
  const rows = parameters.map(({ name, place, treatment, note }) => [`\`${name}\``, place, treatment, note]);
  return `### ${method} ${path}\n\n${summary}\n\n${markdownTable(["parameter", "in", "is", "how"], rows)}\n`;
}
