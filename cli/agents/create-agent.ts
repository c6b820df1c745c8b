import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { AgentEntity } from "#protocol/agents/agent";
import { speakingLanguages } from "#protocol/agents/config-values";
import type { ConfigPatch } from "#protocol/agents/config-patch";
import type { KnowledgeSourceSummary } from "#protocol/knowledge";
import { localOrigins } from "#common/local-origins";
import { CommandError, exitCodes, type OptionValues, stringOf } from "../command.js";
import type { PublicApi } from "../public-api.js";

/** What `agents create` was asked for. */
export interface NewAgent {
  name: string;
  /** The text, or `@` and the path of a file with it. */
  prompt: string | undefined;
  greeting: string | undefined;
  voiceId: string | undefined;
  language: (typeof speakingLanguages)[number] | undefined;
  knowledgeFiles: string[];
  isPublic: boolean;
}

/**
 * The agent that the arguments after `create` describe: after the name, further files of `--knowledge` may stand.
 * Throws CommandError (usage).
 */
export function readNewAgent(positionals: readonly string[], values: OptionValues): NewAgent {
  const [name, ...more] = positionals;
  const knowledge = Array.isArray(values.knowledge) ? (values.knowledge as string[]) : [];
  if (name === undefined || name.trim() === "") throw new CommandError("say: agents create NAME", exitCodes.usage);
  if (more.length > 0 && knowledge.length === 0)
    throw new CommandError(`too many arguments: ${more.join(" ")}`, exitCodes.usage);
  const code = stringOf(values.language);
  const language = speakingLanguages.find((candidate) => candidate === code);
  if (code !== undefined && language === undefined)
    throw new CommandError(`--language is one of ${speakingLanguages.join(", ")}, not "${code}"`, exitCodes.usage);
  return {
    name,
    prompt: stringOf(values.prompt),
    greeting: stringOf(values.greeting),
    voiceId: stringOf(values.voice),
    language,
    knowledgeFiles: [...knowledge, ...more],
    isPublic: values.public === true,
  };
}

/** Creates the agent and what it knows; where that fails, no document of it stays. Throws CommandError. */
export async function createAgent(api: PublicApi, asked: NewAgent): Promise<AgentEntity> {
  const prompt = asked.prompt?.startsWith("@") === true ? (await read(asked.prompt.slice(1))).toString() : asked.prompt;
  const documents = await Promise.all(
    asked.knowledgeFiles.map(async (path) => ({ fileName: basename(path), bytes: await read(path) })),
  );
  const sourceIds: string[] = [];
  try {
    for (const { fileName, bytes } of documents) {
      const form = new FormData();
      form.append("source", new Blob([bytes]), fileName);
      const source = await api.ask<KnowledgeSourceSummary>("POST", "/v1/agent/knowledge-sources", form);
      sourceIds.push(source.knowledge_source_id);
    }
    const config = configOf(asked, prompt, sourceIds);
    const agent = await api.ask<AgentEntity>("POST", "/v1/agent/agents", { name: asked.name, config });
    return asked.isPublic ? await makePublic(api, agent) : agent;
  } catch (error) {
    // One that an agent refers to already is refused, and stays with it.
    for (const id of sourceIds) await api.send("DELETE", `/v1/agent/knowledge-sources/${id}`).catch(() => undefined);
    throw error;
  }
}

/** What differs from the configuration that every agent begins with. */
export function configOf(asked: NewAgent, prompt: string | undefined, sourceIds: string[]): ConfigPatch {
  const { greeting, voiceId, language } = asked;
  return {
    prompt: {
      ...(prompt === undefined ? {} : { system_prompt: prompt }),
      ...(greeting === undefined ? {} : { first_message_mode: "fixed", first_message: greeting }),
    },
    voice: {
      ...(voiceId === undefined ? {} : { voice_id: voiceId }),
      ...(language === undefined ? {} : { speaking_language: language }),
    },
    ...(sourceIds.length === 0 ? {} : { knowledge_base: { enabled: true, knowledge_source_ids: sourceIds } }),
  };
}

/** Lets pages of this machine, and those of the service itself, talk to the agent without a key. */
async function makePublic(api: PublicApi, { agent_id: id }: AgentEntity): Promise<AgentEntity> {
  const { origin, port } = new URL(api.baseUrl);
  const origins = [...new Set([origin, ...localOrigins(port === "" ? 80 : Number(port))])];
  return await api.ask("PATCH", `/v1/agent/agents/${id}`, { public_enabled: true, allowed_origins: origins });
}

async function read(path: string): Promise<Buffer<ArrayBuffer>> {
  return await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(cause.message, exitCodes.failed, { cause });
  });
}
