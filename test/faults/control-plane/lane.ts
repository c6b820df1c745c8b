import type { Bus } from "#common/bus/bus";
import {
  controlSubjects,
  type CreditReply,
  type ForwardedRequest,
  type ForwardedResponse,
  type KeysReply,
  type Principal,
  type Reply,
  type UsageRecord,
  usageSubject,
} from "#protocol/bus/control";
import { form } from "../../knowledge/form.js";
import type { KilledControlPlane } from "./killed-process.js";
import { Known, type KnownRecord } from "./known.js";

export interface LaneOptions {
  principal: Principal;
  controlPlane: KilledControlPlane;
  bus: Bus;
  random: () => number;
  /** Deliveries of the team that are or will be over: they can be asked for again. */
  deliveries: readonly string[];
  /**
   * Writes an event of a session in a transaction of the database's own; null where only the control plane reaches the
   * database.
   */
  writeEvent: ((principal: Principal) => Promise<string[]>) | null;
}

interface Answer {
  status: number;
  json: Record<string, unknown>;
}

/** Credit that a lane's team begins with, and what one usage record costs, in millionths. */
export const OPENING_MICROS = 1_000_000;
export const USAGE_MICROS = 1500;

/** A text of several passages that says one thing over and over. */
const passages = (text: string): string =>
  Array.from({ length: 40 }, (_, index) => `# Part ${index}\n\n${`${text} `.repeat(12)}`).join("\n\n");

/** One client of one team, which does one thing after another and takes down what it was promised. */
export class Lane {
  readonly #options: LaneOptions;
  readonly agents: KnownRecord[] = [];
  readonly tools: KnownRecord[] = [];
  readonly sources: KnownRecord[] = [];
  readonly keys: KnownRecord[] = [];
  /** Highest acknowledged version by agent. */
  readonly versions = new Map<string, number>();
  /** Deliveries that must be made. */
  readonly deliveries: string[] = [];
  readonly usageIds: string[] = [];
  readonly spoiled: string[] = [];
  grantedMicros = 0;
  /** Writes asked for; those whose fate is not known. */
  readonly counts = { writes: 0, acknowledged: 0, unknown: 0, refused: 0 };
  #words = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get principal(): Principal {
    return this.#options.principal;
  }

  /** Makes one write of a kind that is drawn. */
  async write(): Promise<void> {
    this.counts.writes++;
    const kinds = [
      () => this.#createAgent(),
      () => this.#changeDraft(),
      () => this.#changeDraft(),
      () => this.#publish(),
      () => this.#deleteAgent(),
      () => this.#createTool(),
      () => this.#changeTool(),
      () => this.#createSource(),
      () => this.#replaceSource(),
      () => this.#grant(),
      () => this.#use(),
      () => this.#createKey(),
      () => this.#revokeKey(),
      () => this.#redeliver(),
      ...(this.#options.writeEvent === null ? [] : [() => this.#report()]),
    ];
    await kinds[Math.floor(this.#options.random() * kinds.length)]?.();
  }

  #word(): string {
    this.#words++;
    return `w${this.#options.principal.teamId.slice(0, 6)}n${this.#words}`;
  }

  #pick(db: readonly KnownRecord[]): (KnownRecord & { id: string }) | null {
    const candidates = db.filter(
      (record): record is KnownRecord & { id: string } => record.id !== null && record.isThere.all.every(Boolean),
    );
    return candidates[Math.floor(this.#options.random() * candidates.length)] ?? null;
  }

  /**
   * Null when no answer came. Whatever is no success is taken down: nothing here may be refused unless `refusals` says
   * so.
   */
  async #http(
    method: string,
    path: string,
    content: { contentType: string; body: Uint8Array } | null,
    refusals: number[] = [],
  ): Promise<Answer | null> {
    const { controlPlane, principal } = this.#options;
    const headers: Record<string, string> = content === null ? {} : { "content-type": content.contentType };
    const body = content?.body ?? new Uint8Array(0);
    const request: ForwardedRequest = { method, path, query: "", headers, body, bodyObject: null, principal };
    const response = await controlPlane.ask<ForwardedResponse>(controlSubjects.http, request);
    if (response === null) {
      this.counts.unknown++;
      return null;
    }
    const text = Buffer.from(response.body).toString();
    if (response.status >= 300 && !refusals.includes(response.status))
      this.spoiled.push(`${method} ${path}: ${response.status} ${text}`);
    if (response.status < 300) this.counts.acknowledged++;
    else this.counts.refused++;
    return { status: response.status, json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  #json(method: string, path: string, body: object): Promise<Answer | null> {
    return this.#http(method, path, { contentType: "application/json", body: Buffer.from(JSON.stringify(body)) });
  }

  #created(db: KnownRecord[], name: string, answer: Answer | null, idField: string): void {
    const isThere = new Known(false);
    isThere.wrote(true, answer !== null);
    db.push({ name, id: answer === null ? null : String(answer.json[idField]), text: new Known(name), isThere });
  }

  async #createAgent(): Promise<void> {
    const name = this.#word();
    const config = { prompt: { first_message: name, system_prompt: name } };
    this.#created(this.agents, name, await this.#json("POST", "/v1/agent/agents", { name, config }), "agent_id");
  }

  async #changeDraft(): Promise<void> {
    const agent = this.#pick(this.agents);
    if (agent === null) return await this.#createAgent();
    const text = this.#word();
    const [tool, source] = [this.#pick(this.tools), this.#pick(this.sources)];
    const attached = {
      ...(tool === null ? {} : { tools: { tool_ids: [tool.id] } }),
      ...(source === null ? {} : { knowledge_base: { knowledge_source_ids: [source.id] } }),
    };
    const prompt = { first_message: text, system_prompt: text };
    agent.text.wrote(
      text,
      (await this.#json("PATCH", `/v1/agent/agents/${agent.id}/config`, { prompt, ...attached })) !== null,
    );
  }

  async #publish(): Promise<void> {
    const agent = this.#pick(this.agents);
    if (agent === null) return await this.#createAgent();
    const answer = await this.#http("POST", `/v1/agent/agents/${agent.id}/publish`, null);
    if (answer !== null)
      this.versions.set(agent.id, Math.max(this.versions.get(agent.id) ?? 0, Number(answer.json["version_number"])));
  }

  async #deleteAgent(): Promise<void> {
    const agent = this.#pick(this.agents);
    if (agent === null || this.#options.random() < 0.6) return await this.#createAgent();
    agent.isThere.wrote(false, (await this.#http("DELETE", `/v1/agent/agents/${agent.id}`, null)) !== null);
  }

  async #createTool(): Promise<void> {
    const name = this.#word();
    const tool = { name, tool_type: "client", description: name, arguments: [{ name: "a", description: name }] };
    this.#created(this.tools, name, await this.#json("POST", "/v1/agent/tools", tool), "tool_id");
  }

  async #changeTool(): Promise<void> {
    const tool = this.#pick(this.tools);
    if (tool === null) return await this.#createTool();
    const text = this.#word();
    const change = { description: text, arguments: [{ name: "a", description: text }] };
    tool.text.wrote(text, (await this.#json("PATCH", `/v1/agent/tools/${tool.id}`, change)) !== null);
  }

  async #createSource(): Promise<void> {
    const name = this.#word();
    const upload = form(["source", passages(name), "a.md"], ["name", name]);
    this.#created(
      this.sources,
      name,
      await this.#http("POST", "/v1/agent/knowledge-sources", upload),
      "knowledge_source_id",
    );
  }

  async #replaceSource(): Promise<void> {
    const source = this.#pick(this.sources);
    if (source === null) return await this.#createSource();
    const text = this.#word();
    const upload = form(["source", passages(text), "a.md"], ["description", text]);
    source.text.wrote(text, (await this.#http("PATCH", `/v1/agent/knowledge-sources/${source.id}`, upload)) !== null);
  }

  /** Asked until it is answered: the same grant is given once. */
  async #grant(): Promise<void> {
    const [grantId, micros] = [this.#word(), 1 + Math.floor(this.#options.random() * 1000)];
    const { teamId } = this.#options.principal;
    const question = { action: "grant", grantId, teamId, amount: `0.${String(micros).padStart(6, "0")}`, note: "" };
    for (let reply: Reply<CreditReply> | null = null; reply === null; ) {
      reply = await this.#options.controlPlane.ask<Reply<CreditReply>>(controlSubjects.credit, question);
      if (reply?.ok === false) this.spoiled.push(`a grant: ${reply.error.code}`);
    }
    this.grantedMicros += micros;
    this.counts.acknowledged++;
  }

  /** Kept on the bus, twice, whether or not a control plane lives. */
  async #use(): Promise<void> {
    const { bus, principal } = this.#options;
    const usageId = this.#word();
    const facts = {
      firstAudioMs: 1,
      totalMs: 1,
      outcome: "completed" as const,
      traceId: "t",
      finishedAtMs: Date.now(),
    };
    const usage: UsageRecord = {
      usageId,
      teamId: principal.teamId,
      keyId: principal.keyId,
      route: "r",
      model: "s1",
      characters: 100,
      audioMs: 1,
      ...facts,
    };
    for (let copy = 0; copy < 2; copy++) bus.publish(usageSubject, usage);
    await bus.flush();
    this.usageIds.push(usageId);
    this.counts.acknowledged++;
  }

  async #createKey(): Promise<void> {
    const name = this.#word();
    const question = {
      action: "create",
      name,
      teamId: this.#options.principal.teamId,
      scopes: null,
      expiresInMs: null,
    };
    const reply = await this.#keys(question);
    const isThere = new Known(false);
    isThere.wrote(true, reply !== null);
    this.keys.push({ name, id: reply?.keys[0]?.keyId ?? null, text: new Known(name), isThere });
  }

  async #revokeKey(): Promise<void> {
    const key = this.#pick(this.keys);
    if (key === null) return await this.#createKey();
    key.isThere.wrote(false, (await this.#keys({ action: "revoke", keyId: key.id })) !== null);
  }

  async #keys(question: object): Promise<KeysReply | null> {
    const reply = await this.#options.controlPlane.ask<Reply<KeysReply>>(controlSubjects.keys, question);
    if (reply === null) this.counts.unknown++;
    else if (reply.ok) this.counts.acknowledged++;
    else this.spoiled.push(`keys: ${reply.error.code}`);
    return reply?.ok === true ? reply.value : null;
  }

  async #redeliver(): Promise<void> {
    const { deliveries, random } = this.#options;
    const id = deliveries[Math.floor(random() * deliveries.length)] ?? "";
    // 409: the first one is still being attempted.
    const answer = await this.#http("POST", `/v1/agent/webhook-deliveries/${id}/redeliver`, null, [409]);
    if (answer?.status === 202) this.deliveries.push(String(answer.json["delivery_id"]));
  }

  async #report(): Promise<void> {
    this.deliveries.push(...((await this.#options.writeEvent?.(this.#options.principal)) ?? []));
    this.counts.acknowledged++;
  }
}
