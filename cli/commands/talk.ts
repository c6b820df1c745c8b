import { basename } from "node:path";
import { systemClock } from "#common/clock";
import { findAgent } from "../agents/find-agent.js";
import { type Command, CommandError, exitCodes } from "../command.js";
import { apiOptions, openPublicApi } from "../public-api.js";
import { type AudioPrograms, findAudioPrograms } from "../talk/audio-programs.js";
import { beginSession } from "../talk/session.js";
import { talk } from "../talk/talk.js";

export const talkCommand: Command = {
  name: "talk",
  arguments: "AGENT [--typed]",
  summary: "Talks to an agent of the running cluster, by voice or typed.",
  details: [
    "AGENT is an id, or a name that only one agent has; it must have a published version.",
    "With arecord and aplay, sox, or ffmpeg and ffplay the conversation is spoken (use headphones); lines can be typed too.",
    "Without audio the answers are only written, as soon as the model has them.",
    "What both say goes to standard output, states, tools and latencies to standard error. Ctrl-C or /quit hangs up.",
    "From a pipe each line is a turn: it is sent when the agent has answered the one before, and the last answer is the end.",
  ],
  options: { typed: { type: "boolean", doc: "Type, whatever programs there are." }, ...apiOptions },
  async run(terminal, positionals, values) {
    const [idOrName, ...more] = positionals;
    if (idOrName === undefined || more.length > 0)
      throw new CommandError("say: talk AGENT, with quotes around a name of several words", exitCodes.usage);
    const isScript = terminal.stdin.isTTY !== true;
    const isTyped = values.typed === true || isScript;
    const audio = isTyped ? null : findAudioPrograms(terminal.environment.PATH, process.platform);
    const api = openPublicApi(terminal, values);
    const agent = await findAgent(api, idOrName);
    const session = await beginSession(api, agent.agent_id);
    terminal.stderr.write(`Session ${session.session_id} with "${agent.name}". ${howToTalk(audio, isTyped)}\n`);
    return await talk({ terminal, api, session, audio, isScript, clock: systemClock });
  },
};

function howToTalk(audio: AudioPrograms | null, isTyped: boolean): string {
  if (audio !== null) {
    const programs = [audio.microphone, audio.loudspeaker].map(({ command }) => basename(command)).join(", ");
    return `Speak (${programs}; use headphones) or type; Ctrl-C hangs up.`;
  }
  const why = isTyped ? "" : " No arecord and aplay, sox, or ffmpeg and ffplay is installed:";
  return `${why === "" ? "A" : `${why.trim()} a`} typed conversation; Ctrl-C or /quit hangs up.`;
}
