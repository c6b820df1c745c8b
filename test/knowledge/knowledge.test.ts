import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knowledgeChunks, knowledgeRevisions } from "#control-plane/knowledge/tables";
import {
  type KnowledgeList,
  knowledgeList,
  knowledgeSearchResult,
  type KnowledgeSourceEntity,
  knowledgeSourceEntity,
  MAX_KNOWLEDGE_BYTES,
} from "#protocol/knowledge";
import { dependentAgents } from "#protocol/paging";
import { engines } from "../control-plane/databases.js";
import { type Answer, type Platform, startPlatform } from "../tools/platform.js";
import { form, type Part } from "./form.js";

const ROOT = "/v1/agent/knowledge-sources";
const CANARY = "c4n4ry";
const file: Part = ["source", "# FAQ\n\nWe are open at nine.\n", "faq.md"];

describe.each(engines)("/v1/agent/knowledge-sources on %s", (engine) => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform(engine);
  });
  afterAll(() => platform.stop());

  const upload = (...parts: Part[]): Promise<Answer> => platform.call(platform.team, "POST", ROOT, form(...parts));
  const replace = (id: string, ...parts: Part[]): Promise<Answer> =>
    platform.call(platform.team, "PATCH", `${ROOT}/${id}`, form(...parts));
  const create = async (...parts: Part[]): Promise<KnowledgeSourceEntity> => {
    const { status, json } = await upload(...(parts.length === 0 ? [file] : parts));
    expect(status).toBe(201);
    return knowledgeSourceEntity.strict().parse(json);
  };
  const countRows = async (): Promise<number[]> => {
    const count = async (table: typeof knowledgeRevisions | typeof knowledgeChunks): Promise<number> => {
      const [row] = await platform.db.select({ count: sql<number>`count(*)::int` }).from(table);
      return row?.count ?? -1;
    };
    return [await count(knowledgeRevisions), await count(knowledgeChunks)];
  };
  const attach = (agentId: string, ids: string[]): Promise<Answer> => {
    return platform.send(platform.team, "PATCH", `/v1/agent/agents/${agentId}/config`, {
      knowledge_base: { knowledge_source_ids: ids },
    });
  };
  const makeAgent = async (name: string): Promise<string> => {
    return ((await platform.send(platform.team, "POST", "/v1/agent/agents", { name })).json as { agent_id: string })
      .agent_id;
  };

  it("takes a file, named or not, and shows it", async () => {
    const text = "# FAQ\n\nWe are open at nine. Größe, 名前 🙂\n\n# Two\n\nMore.\n";
    const named = await create(["source", text, "faq.md"], ["name", "Customer FAQ"], ["description", "For support"]);
    expect(named).toMatchObject({
      workspace_id: platform.team.teamId,
      name: "Customer FAQ",
      description: "For support",
      file_name: "faq.md",
      size_bytes: Buffer.byteLength(text),
      chunk_count: 2,
      revision_number: 1,
      content: text,
    });
    expect((await platform.call(platform.team, "GET", `${ROOT}/${named.knowledge_source_id}`)).json).toEqual(named);
    expect(await create(file)).toMatchObject({ name: "faq.md", description: "" });
    expect(await create(["source", "x", ""])).toMatchObject({ name: "source.txt", file_name: "source.txt" });
    expect(await create(["source", "without a file name"])).toMatchObject({ content: "without a file name" });
  });

  it("takes the largest file there may be, and gives it back whole", async () => {
    const text = "All work and no play. ".repeat(60_000).slice(0, MAX_KNOWLEDGE_BYTES);
    const { knowledge_source_id: id, chunk_count: chunks } = await create(["source", text, "large.txt"]);
    expect(chunks).toBeGreaterThan(800);
    expect((await platform.call(platform.team, "GET", `${ROOT}/${id}`)).json).toMatchObject({
      content: text,
      size_bytes: MAX_KNOWLEDGE_BYTES,
    });
    expect((await platform.call(platform.team, "DELETE", `${ROOT}/${id}`)).status).toBe(204);
  });

  it("renames without a new revision, and replaces content with one", async () => {
    const made = await create();
    const id = made.knowledge_source_id;
    const renamed = await replace(id, ["name", "New name"], ["description", "d"]);
    expect(renamed).toMatchObject({
      status: 200,
      json: { ...made, name: "New name", description: "d", updated_at: expect.any(String) },
    });
    const replaced = await replace(id, ["source", "Other text.", "other.txt"]);
    expect(replaced).toMatchObject({
      status: 200,
      json: {
        knowledge_source_id: id,
        name: "New name",
        revision_number: 2,
        content: "Other text.",
        file_name: "other.txt",
        size_bytes: 11,
      },
    });
    expect(await replace(id, ["description", ""])).toMatchObject({
      status: 200,
      json: { description: "", revision_number: 2 },
    });
    const many = await Promise.all(
      Array.from({ length: 6 }, (_, index) => replace(id, ["source", `Text ${index}.`, "a.md"])),
    );
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200));
    const { json } = await platform.call(platform.team, "GET", `${ROOT}/${id}`);
    expect(json).toMatchObject({ revision_number: 8, content: expect.stringMatching(/^Text \d\.$/) });
  });

  it("finds the passages of the team's own sources that answer best, and none of others'", async () => {
    const hours = await create(["source", "# Hours\n\nWe open at nine.\n\n# Pets\n\nDogs are welcome.\n", "hours.md"]);
    const parking = await create(["source", "# Parking\n\nCars park behind the house.\n", "parking.md"]);
    const ids = [hours, parking].map((source) => source.knowledge_source_id);
    const search = (body: unknown, team = platform.team): Promise<Answer> =>
      platform.send(team, "POST", `${ROOT}/search`, body);
    const found = await search({ query: "When do you open?", knowledge_source_ids: ids });
    expect(found.status).toBe(200);
    expect(knowledgeSearchResult.strict().parse(found.json).passages).toMatchObject([
      {
        knowledge_source_id: ids[0],
        source_name: "hours.md",
        heading: "Hours",
        content: expect.stringContaining("nine"),
      },
    ]);
    expect((await search({ query: "dogs park open", knowledge_source_ids: ids, limit: 2 })).json).toMatchObject({
      passages: [{}, {}],
    });
    await replace(ids[0] ?? "", ["source", "We open at ten.", "hours.md"]);
    expect((await search({ query: "open", knowledge_source_ids: ids })).json).toMatchObject({
      passages: [{ content: expect.stringContaining("ten") }],
    });
    const nothing = { status: 200, json: { passages: [] } };
    expect(await search({ query: "quantum", knowledge_source_ids: ids })).toMatchObject(nothing);
    expect(await search({ query: "open", knowledge_source_ids: ["no-id", "0".repeat(32)] })).toMatchObject(nothing);
    expect(await search({ query: "open", knowledge_source_ids: ids }, platform.otherTeam)).toMatchObject(nothing);
    for (const body of [{}, { query: "", knowledge_source_ids: ids }, { query: "a", knowledge_source_ids: [] }])
      expect((await search(body)).status).toBe(422);
    expect((await search({ query: "open", knowledge_source_ids: ids, limit: 21 })).json).toMatchObject([
      { type: "less_than_equal", loc: ["body", "limit"] },
    ]);
    const limited = { ...platform.team, scopes: ["voices"] };
    expect((await search({ query: "open", knowledge_source_ids: ids }, limited)).status).toBe(403);
  });

  it("makes a draft differ from its published version when the content changes, and pins what is live", async () => {
    const { knowledge_source_id: id } = await create();
    const agentId = await makeAgent("Pins");
    expect((await attach(agentId, [id])).status).toBe(200);
    const publish = async (): Promise<{ version_number: number }> => {
      return (await platform.send(platform.team, "POST", `/v1/agent/agents/${agentId}/publish`, {})).json as {
        version_number: number;
      };
    };
    expect([(await publish()).version_number, (await publish()).version_number]).toEqual([1, 1]);
    await replace(id, ["name", "Only the name"]);
    expect((await publish()).version_number).toBe(1);
    await replace(id, ["source", "New text.", "a.md"]);
    expect((await publish()).version_number).toBe(2);
  });

  it("tells which agents use a source in their draft or live version, and lets it go only when none does", async () => {
    const { knowledge_source_id: id } = await create();
    const [drafted, published] = [await makeAgent("Drafted"), await makeAgent("Published")];
    for (const agentId of [drafted, published]) expect((await attach(agentId, [id])).status).toBe(200);
    const publish = () => platform.send(platform.team, "POST", `/v1/agent/agents/${published}/publish`, {});
    await publish();
    await attach(published, []);
    const dependents = async () =>
      dependentAgents.parse((await platform.call(platform.team, "GET", `${ROOT}/${id}/agents`)).json);
    expect(new Set((await dependents()).agents.map((agent) => agent.name))).toEqual(new Set(["Drafted", "Published"]));
    const refused = await platform.call(platform.team, "DELETE", `${ROOT}/${id}`);
    expect(refused).toMatchObject({
      status: 409,
      json: { message: expect.stringMatching(/^Knowledge source is attached to 2 agent\(s\)/) },
    });
    await attach(drafted, []);
    expect(await dependents()).toMatchObject({ agents: [{ agent_id: published }], total: 1 });
    expect((await platform.call(platform.team, "DELETE", `${ROOT}/${id}`)).status).toBe(409);
    await publish();
    expect(await dependents()).toEqual({ agents: [], total: 0 });
    const before = await countRows();
    const gone = await platform.call(platform.team, "DELETE", `${ROOT}/${id}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect(await countRows()).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) - 1]);
    expect((await platform.call(platform.team, "DELETE", `${ROOT}/${id}`)).status).toBe(404);
  });

  it("never ends with an agent that has a source that is gone", async () => {
    const agents = [await makeAgent("R1"), await makeAgent("R2")];
    for (let round = 0; round < 10; round++) {
      const ids = [(await create()).knowledge_source_id, (await create()).knowledge_source_id];
      const remove = (id: string) => platform.call(platform.team, "DELETE", `${ROOT}/${id}`);
      const publish = (agentId: string) =>
        platform.send(platform.team, "POST", `/v1/agent/agents/${agentId}/publish`, {});
      const calls = [
        ...agents.map((id) => () => attach(id, ids)),
        ...ids.map((id) => () => remove(id)),
        ...agents.map((id) => () => publish(id)),
      ];
      const rotated = [...calls.slice(round % calls.length), ...calls.slice(0, round % calls.length)];
      const answers = await Promise.all(rotated.map((call) => call()));
      expect(answers.every(({ status }) => [200, 204, 409, 422].includes(status))).toBe(true);
      const left = new Set<string>();
      for (const id of ids)
        if ((await platform.call(platform.team, "GET", `${ROOT}/${id}`)).status === 200) left.add(id);
      for (const agentId of agents) {
        const { json } = await platform.send(platform.team, "GET", `/v1/agent/agents/${agentId}/config`);
        const held = (json as { knowledge_base: { knowledge_source_ids: string[] } }).knowledge_base
          .knowledge_source_ids;
        expect(held.filter((id) => !left.has(id))).toEqual([]);
        expect((await attach(agentId, [])).status).toBe(200);
        expect((await publish(agentId)).status).toBe(200);
      }
      for (const id of left) expect((await remove(id)).status).toBe(204);
    }
  });

  it.each<[number, string, Part[], string?]>([
    [400, "not UTF-8", [["source", Buffer.from([0xff, 0xfe, 0x41]), "a.md"]]],
    [400, "a binary file", [["source", Buffer.from("\u0089PNG\r\n\u001a\n\u0000"), "a.md"]]],
    [400, "another kind of file", [["source", "text", "a.pdf"]]],
    [400, "an empty file", [["source", "", "a.md"]]],
    [400, "a byte too many", [["source", "x".repeat(MAX_KNOWLEDGE_BYTES + 1), "a.md"]]],
    [400, "five megabytes", [["source", "x".repeat(5_000_000), "a.md"]]],
    [400, "ten megabytes", [["source", "x".repeat(10_000_000), "a.md"]]],
    [400, "three files", [file, file, file]],
    [422, "an empty name", [file, ["name", ""]], "name"],
    [422, "a long name", [file, ["name", CANARY.repeat(60)]], "name"],
    [422, "NUL in the name", [file, ["name", `${CANARY}\u0000`]], "name"],
    [422, "a long description", [file, ["description", "x".repeat(2001)]], "description"],
    [422, "an unknown field", [file, ["folder", CANARY]], "folder"],
  ])("%i for %s, on both verbs, and nothing is made", async (status, _, parts, field) => {
    const { knowledge_source_id: id } = await create();
    const before = await countRows();
    for (const answer of [await upload(...parts), await replace(id, ...parts)]) {
      expect(answer.status).toBe(status);
      if (status === 422) expect(answer.json).toMatchObject([{ loc: ["body", field] }]);
      else expect(answer.json).toMatchObject({ status, message: expect.any(String) });
      expect(answer.text).not.toContain(CANARY);
    }
    expect(await countRows()).toEqual(before);
  });

  it("422 without a file, 400 for a broken form, 415 for anything but a form", async () => {
    expect(await upload(["name", "N"])).toMatchObject({
      status: 422,
      json: [{ type: "missing", loc: ["body", "source"] }],
    });
    const { knowledge_source_id: id } = await create();
    for (const [method, path] of [
      ["POST", ROOT],
      ["PATCH", `${ROOT}/${id}`],
    ] as const) {
      const call = (contentType: string | undefined, body: string) =>
        platform.call(platform.team, method, path, { contentType, body });
      expect(
        await call("multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data; name="),
      ).toMatchObject({ status: 400 });
      expect(await call("multipart/form-data", "x")).toMatchObject({ status: 400 });
      expect(await call("application/json", '{"name": "N"}')).toMatchObject({ status: 415, text: "" });
      expect(await call("multipart/form-data; boundary=B", "")).toMatchObject({ status: 415, text: "" });
      expect(await call(undefined, "")).toMatchObject({ status: 415, text: "" });
    }
  });

  it("403 for uploading without beta access and for a key without the scope", async () => {
    expect(await platform.call(platform.noBeta, "POST", ROOT, form(file))).toMatchObject({
      status: 403,
      json: { message: expect.stringMatching(/^Agent platform is in private beta/) },
    });
    expect((await platform.call({ ...platform.team, scopes: ["voices"] }, "GET", ROOT)).status).toBe(403);
  });

  it("answers another team byte for byte as for a missing source, on every route", async () => {
    const { knowledge_source_id: own } = await create();
    const routes: [string, string, { contentType: string; body: Uint8Array }?][] = [
      ["GET", ""],
      ["PATCH", "", form(["name", "x"])],
      ["PATCH", "", form(["name", ""])],
      ["DELETE", ""],
      ["GET", "/agents"],
    ];
    for (const [method, suffix, body] of routes) {
      const answers = [];
      for (const id of [own, "0".repeat(32), "no-id", "%00"]) {
        answers.push(await platform.call(platform.otherTeam, method, `${ROOT}/${id}${suffix}`, body));
      }
      expect(answers[0]?.status).toBe(404);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
    const attachAsOther = (id: string): Promise<Answer> => {
      const config = { knowledge_base: { knowledge_source_ids: [id] } };
      return platform.send(platform.otherTeam, "POST", "/v1/agent/agents", { name: "A", config });
    };
    expect((await attachAsOther(own)).status).toBe(422);
    expect(await attachAsOther(own)).toEqual(await attachAsOther("0".repeat(32)));
    expect((await platform.call(platform.team, "GET", `${ROOT}/${own}`)).status).toBe(200);
  });

  it("lists the team's sources newest first, found by name and file name, by cursor and by page", async () => {
    const list = async (query: string): Promise<KnowledgeList> => {
      const { status, json } = await platform.call(platform.otherTeam, "GET", ROOT, { query });
      expect(status).toBe(200);
      return knowledgeList.parse(json);
    };
    const names = ["One", "Two", "Three", "Four", "Five"];
    for (const name of names) {
      await platform.call(
        platform.otherTeam,
        "POST",
        ROOT,
        form(["source", "text", `${name.toLowerCase()}-file.md`], ["name", name]),
      );
    }
    const shown = (page: KnowledgeList): string[] => page.knowledge_sources.map((row) => row.name);
    expect(shown(await list(""))).toEqual(names.toReversed());
    expect(await list("include_total=true")).toMatchObject({ total: 5, has_more: false, next_cursor: null });
    const first = await list("page_size=2");
    const second = await list(`page_size=2&cursor=${first.next_cursor}`);
    const third = await list(`page_size=2&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(shown)).toEqual(names.toReversed());
    expect(await list("page=2&page_size=2")).toMatchObject({ knowledge_sources: second.knowledge_sources, total: 5 });
    expect(shown(await list("search=THREE-"))).toEqual(["Three"]);
    expect(shown(await list("search=f"))).toEqual(names.toReversed());
    for (const [query, status] of [
      ["page=1&cursor=x", 400],
      ["cursor=x", 400],
      ["page=9999999", 400],
      ["page_size=0", 422],
    ] as const) {
      expect((await platform.call(platform.otherTeam, "GET", ROOT, { query })).status).toBe(status);
    }
  });

  it("shows every source exactly once to one who follows cursors while others add and delete", async () => {
    const standing = new Set<string>();
    for (let count = 0; count < 12; count++) {
      const { json } = await platform.call(platform.noBeta, "GET", ROOT);
      expect((json as KnowledgeList).knowledge_sources).toEqual([]);
      standing.add((await create(["source", "standing", "s.md"], ["name", `standing ${count}`])).knowledge_source_id);
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const noise = create(["source", "noise", "n.md"]).then((made) =>
        platform.call(platform.team, "DELETE", `${ROOT}/${made.knowledge_source_id}`),
      );
      const query: string = cursor === "" ? "page_size=3" : `page_size=3&cursor=${cursor}`;
      const [page] = await Promise.all([platform.call(platform.team, "GET", ROOT, { query }), noise]);
      const answer = knowledgeList.parse(page.json);
      seen.push(...answer.knowledge_sources.map((row) => row.knowledge_source_id));
      cursor = answer.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect([...standing].filter((id) => !seen.includes(id))).toEqual([]);
  });
});
