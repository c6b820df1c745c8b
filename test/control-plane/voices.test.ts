import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ForwardedResponse,
  type KeyRevoked,
  keyRevokedSubject,
  type Principal,
  type Reply,
  type ResolveVoicesReply,
  type UsageRecord,
  type VoiceChanged,
  controlSubjects,
  usageSubject,
  voiceChangedSubject,
} from "#protocol/bus/control";
import type { SavedPrompt } from "#protocol/bus/voice-prompts";
import { encodeMsgpack } from "#protocol/msgpack";
import { apiCredit, walletPackage } from "#protocol/wallet";
import { type ModelEntity, type ModelList, modelEntity, modelList } from "#protocol/voices";
import { sha256Hex } from "#common/identifier";
import { until } from "../harness/processes.js";
import { type CallOptions, type ServiceFixture, startFixture } from "./service.js";
import { engines } from "./databases.js";
import { addTeam } from "./teams.js";

const WAV = Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(100, 7)]);
const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20)]);

type Part = [name: string, value: string | Uint8Array, filename?: string];

function multipart(parts: Part[]): Required<Pick<CallOptions, "contentType" | "body">> {
  const pieces = parts.flatMap(([name, value, filename]) => [
    Buffer.from(
      `--B\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  return { contentType: "multipart/form-data; boundary=B", body: Buffer.concat([...pieces, Buffer.from("--B--\r\n")]) };
}

const required: Part[] = [
  ["type", "tts"],
  ["train_mode", "fast"],
  ["title", "A voice"],
];
const asJson = (value: unknown): CallOptions => ({ contentType: "application/json", body: JSON.stringify(value) });
const minimal = { type: "tts", train_mode: "fast", title: "A voice", voices: [WAV.toString("base64")] };

const allKeys = [
  "_id",
  "author",
  "cover_image",
  "created_at",
  "default_text",
  "description",
  "dmca_taken_down",
  "languages",
  "like_count",
  "liked",
  "lock_visibility",
  "mark_count",
  "marked",
  "pvc_notice_period_months",
  "pvc_release_state",
  "pvc_released_at",
  "pvc_retire_effective_at",
  "pvc_retire_requested_at",
  "quality",
  "samples",
  "shared_count",
  "source",
  "state",
  "tags",
  "task_count",
  "title",
  "train_mode",
  "type",
  "unliked",
  "updated_at",
  "visibility",
];

describe.each(engines)("/model on %s", (engine) => {
  let service: ServiceFixture;
  let owner: Principal;
  let stranger: Principal;
  beforeAll(async () => {
    service = await startFixture(engine);
    owner = (await addTeam(service.db)).principal;
    stranger = (await addTeam(service.db)).principal;
  });
  afterAll(() => service.stop());

  async function create(options: CallOptions, principal = owner): Promise<ModelEntity> {
    const { status, json } = await service.callJson(principal, "POST", "/model", options);
    expect([status, json]).toEqual([201, expect.anything()]);
    return modelEntity.strict().parse(json);
  }

  it("makes a voice from a form with every field, and shows every key", async () => {
    const made = await create(
      multipart([
        ...required,
        ["voices", WAV, "one.wav"],
        ["voices", WAV],
        ["texts", "Hello there, you."],
        ["texts", "And this is the second."],
        ["tags", "calm"],
        ["tags", "deep"],
        ["visibility", "private"],
        ["description", "d"],
        ["cover_image", PNG, "c.png"],
        ["enhance_audio_quality", "false"],
        ["generate_sample", "true"],
      ]),
    );
    expect(Object.keys(made).sort()).toEqual(allKeys);
    expect(made).toMatchObject({
      type: "tts",
      title: "A voice",
      train_mode: "fast",
      state: "trained",
      tags: ["calm", "deep"],
      visibility: "private",
      description: "d",
      languages: ["en"],
      default_text: "Hello there, you.",
      cover_image: `/model/${made._id}/cover`,
      author: { _id: owner.userId, avatar: "" },
    });
    expect(made.samples.map(({ title, text, audio }) => ({ title, text, audio }))).toEqual([
      { title: "one.wav", text: "Hello there, you.", audio: `/model/${made._id}/samples/0` },
      { title: "Sample 2", text: "And this is the second.", audio: `/model/${made._id}/samples/1` },
    ]);
    expect(made._id).toMatch(/^[0-9a-f]{32}$/);
    const sample = await service.call(owner, "GET", made.samples[1]?.audio ?? "");
    expect([sample.status, sample.headers["content-type"], Buffer.from(sample.body).equals(WAV)]).toEqual([
      200,
      "audio/wav",
      true,
    ]);
    const cover = await service.call(owner, "GET", made.cover_image);
    expect([cover.headers["content-type"], Buffer.from(cover.body).equals(PNG)]).toEqual(["image/png", true]);
  });

  it.each<[string, CallOptions]>([
    ["multipart", multipart([...required, ["voices", WAV]])],
    ["JSON", asJson({ ...minimal, texts: null, tags: null, description: null, cover_image: null })],
    ["JSON with one voice outside of a list", asJson({ ...minimal, voices: minimal.voices[0] })],
    ["JSON with a cover of no bytes", asJson({ ...minimal, cover_image: [] })],
    ["JSON with a serialised Buffer", asJson({ ...minimal, voices: [WAV] })],
    ["JSON with a list of bytes", asJson({ ...minimal, voices: [...WAV] })],
    [
      "MessagePack",
      { contentType: "application/msgpack", body: encodeMsgpack({ ...minimal, voices: [new Uint8Array(WAV)] }) },
    ],
    [
      "MessagePack with one voice",
      { contentType: "application/msgpack", body: encodeMsgpack({ ...minimal, voices: new Uint8Array(WAV) }) },
    ],
    [
      "urlencoded",
      {
        contentType: "application/x-www-form-urlencoded",
        body: new URLSearchParams({ ...minimal, voices: WAV.toString("base64") }).toString(),
      },
    ],
  ])("makes the same voice from %s", async (_name, options) => {
    const made = await create(options);
    expect(made).toMatchObject({
      title: "A voice",
      visibility: "public",
      tags: [],
      description: "",
      default_text: "",
      cover_image: "",
    });
    const { body } = await service.call(owner, "GET", made.samples[0]?.audio ?? "");
    expect(Buffer.from(body).equals(WAV)).toBe(true);
  });

  it("undoes the joined lists of the official TypeScript client", async () => {
    const tags = await create(multipart([...required, ["voices", WAV], ["tags", "x, y,,x"]]));
    expect(tags.tags).toEqual(["x", "y"]);
    const three: Part[] = [
      ["voices", WAV],
      ["voices", WAV],
      ["voices", WAV],
    ];
    const perVoice = await create(multipart([...required, ...three, ["texts", "one, two,three"]]));
    expect(perVoice.samples.map((sample) => sample.text)).toEqual(["one", "two", "three"]);
    const ofFirst = await create(multipart([...required, ...three, ["texts", "Well, yes."]]));
    expect([perVoice.languages, ofFirst.languages]).toEqual([[], ["sv"]]);
    // The others are heard.
    expect(ofFirst.samples.map((sample) => sample.text)).toEqual([
      "Well, yes.",
      `${WAV.length} bytes`,
      `${WAV.length} bytes`,
    ]);
    const single = await create(multipart([...required, ["voices", WAV], ["texts", "a,b,c"]]));
    expect(single.samples[0]?.text).toBe("a,b,c");
  });

  it("takes uploads and gives answers that are larger than a message", async () => {
    const large = Buffer.concat([WAV, Buffer.alloc(2_000_000, 1)]);
    const made = await create(multipart([...required, ["voices", large]]));
    const { body } = await service.call(owner, "GET", made.samples[0]?.audio ?? "");
    expect(Buffer.from(body).equals(large)).toBe(true);
  });

  const withVoices = (count: number): CallOptions =>
    multipart([...required, ...Array.from({ length: count }, (): Part => ["voices", WAV])]);
  it("takes up to 20 samples", async () => {
    expect((await create(withVoices(20))).samples).toHaveLength(20);
  });

  it.each<[string, CallOptions, { type: string; loc: (string | number)[] }[]]>([
    [
      "nothing but a title",
      multipart([["title", "t"]]),
      ["type", "train_mode", "voices"].map((name) => ({ type: "missing", loc: ["body", name] })),
    ],
    ["no title", asJson({ ...minimal, title: undefined }), [{ type: "missing", loc: ["body", "title"] }]],
    ["an empty title", asJson({ ...minimal, title: "" }), [{ type: "string_too_short", loc: ["body", "title"] }]],
    [
      "a long title",
      asJson({ ...minimal, title: "x".repeat(257) }),
      [{ type: "string_too_long", loc: ["body", "title"] }],
    ],
    ["a title of another type", asJson({ ...minimal, title: 5 }), [{ type: "string_type", loc: ["body", "title"] }]],
    ["a NUL in the title", asJson({ ...minimal, title: "a\0" }), [{ type: "value_error", loc: ["body", "title"] }]],
    ["another type", asJson({ ...minimal, type: "svc" }), [{ type: "literal_error", loc: ["body", "type"] }]],
    [
      "another train mode",
      asJson({ ...minimal, train_mode: "full" }),
      [{ type: "literal_error", loc: ["body", "train_mode"] }],
    ],
    [
      "another visibility",
      asJson({ ...minimal, visibility: "secret" }),
      [{ type: "literal_error", loc: ["body", "visibility"] }],
    ],
    ["no samples", asJson({ ...minimal, voices: [] }), [{ type: "too_short", loc: ["body", "voices"] }]],
    ["21 samples", withVoices(21), [{ type: "too_long", loc: ["body", "voices"] }]],
    [
      "a sample that is no audio field",
      asJson({ ...minimal, voices: [{}] }),
      [{ type: "value_error", loc: ["body", "voices", 0] }],
    ],
    [
      "more transcripts than samples",
      asJson({ ...minimal, texts: ["a", "b"] }),
      [{ type: "too_long", loc: ["body", "texts"] }],
    ],
    [
      "a boolean that is none",
      multipart([...required, ["voices", WAV], ["generate_sample", "maybe"]]),
      [{ type: "bool_parsing", loc: ["body", "generate_sample"] }],
    ],
    [
      "a tag of another type",
      asJson({ ...minimal, tags: ["a", 1] }),
      [{ type: "string_type", loc: ["body", "tags", 1] }],
    ],
    ["a body that is no map", asJson([1]), [{ type: "dict_type", loc: ["body"] }]],
    ["a body of null", asJson(null), [{ type: "dict_type", loc: ["body"] }]],
  ])("refuses %s with the list of problems", async (_name, options, expected) => {
    const { status, json } = await service.callJson(owner, "POST", "/model", options);
    expect([status, json]).toEqual([
      422,
      expected.map((problem) =>
        expect.objectContaining({ ...problem, msg: expect.any(String), ctx: expect.any(Object) }),
      ),
    ]);
  });

  it.each<[string, CallOptions, number, string]>([
    ["no content type", { body: "{}" }, 415, ""],
    ["another content type", { contentType: "text/plain", body: "{}" }, 415, ""],
    ["no body", { contentType: "application/json" }, 415, ""],
    ["cut JSON", { contentType: "application/json", body: '{"a"' }, 400, "Malformed JSON"],
    [
      "cut MessagePack",
      { contentType: "application/msgpack", body: Uint8Array.of(0x81, 0xa1) },
      400,
      "Malformed MessagePack",
    ],
    [
      "a cut form",
      { contentType: "multipart/form-data; boundary=B", body: "--B\r\n" },
      400,
      "Malformed multipart body: it is cut off or broken",
    ],
    [
      "a form without boundary",
      { contentType: "multipart/form-data", body: "--B\r\n" },
      400,
      "Malformed multipart body: the content type names no boundary",
    ],
    ["silence", multipart([...required, ["voices", "silent"]]), 400, "Reference audio cannot be used: it is silent"],
  ])("refuses %s", async (_name, options, status, message) => {
    const { body, ...answer } = await service.call(owner, "POST", "/model", options);
    expect(answer.status).toBe(status);
    expect(body.byteLength === 0 ? "" : JSON.parse(Buffer.from(body).toString())).toEqual(
      message === "" ? "" : { status, message },
    );
  });

  it("changes what PATCH names, in each encoding, and keeps the rest", async () => {
    const made = await create(multipart([...required, ["voices", WAV], ["tags", "a"], ["description", "d"]]));
    const path = `/model/${made._id}`;
    const changes: [CallOptions, Partial<ModelEntity>][] = [
      [
        multipart([
          ["title", "B"],
          ["tags", "x,y"],
        ]),
        { title: "B", tags: ["x", "y"] },
      ],
      [
        { contentType: "application/x-www-form-urlencoded", body: "description=new&visibility=unlist" },
        { description: "new", visibility: "unlist" },
      ],
      [asJson({ title: null, tags: [], visibility: "private" }), { tags: [], visibility: "private" }],
      [{ contentType: "application/msgpack", body: encodeMsgpack({ description: "" }) }, { description: "" }],
      [
        { contentType: "application/msgpack", body: encodeMsgpack({ cover_image: new Uint8Array() }) },
        { cover_image: "" },
      ],
      [multipart([["cover_image", PNG, "c.png"]]), { cover_image: `${path}/cover` }],
    ];
    let expected: Partial<ModelEntity> = { title: "A voice", tags: ["a"], description: "d", visibility: "public" };
    for (const [options, change] of changes) {
      expect(await service.callJson(owner, "PATCH", path, options)).toEqual({ status: 200, json: { status: "ok" } });
      expected = { ...expected, ...change };
      expect((await service.callJson(owner, "GET", path)).json).toMatchObject(expected);
    }
    expect((await service.callJson(owner, "PATCH", path, asJson({ title: "" }))).status).toBe(422);
    const noPicture = await service.callJson(owner, "PATCH", path, multipart([["cover_image", WAV, "c.png"]]));
    expect([noPicture.status, JSON.stringify(noPicture.json)]).toEqual([422, expect.stringContaining("cover_image")]);
    expect((await service.callJson(owner, "PATCH", path, { contentType: "text/plain", body: "x" })).status).toBe(415);
  });

  it("deletes a voice with its samples", async () => {
    const made = await create(multipart([...required, ["voices", WAV]]));
    expect(await service.callJson(owner, "DELETE", `/model/${made._id}`)).toEqual({
      status: 200,
      json: { status: "ok" },
    });
    for (const path of [`/model/${made._id}`, made.samples[0]?.audio ?? ""])
      expect((await service.call(owner, "GET", path)).status).toBe(404);
    expect(await service.bus.objects({ name: "voices", maxAgeMs: 0 }).get(`${made._id}/sample-0`)).toBeNull();
    expect((await service.call(owner, "DELETE", `/model/${made._id}`)).status).toBe(404);
  });

  it("leaves no object behind when a voice cannot be recorded", async () => {
    const ghost: Principal = { ...owner, userId: "nobody" };
    expect(
      (await service.call(ghost, "POST", "/model", multipart([...required, ["voices", WAV], ["title", "ghost"]])))
        .status,
    ).toBe(500);
    const { json } = await service.callJson(owner, "GET", "/model", { query: "title=ghost&self=true" });
    expect((json as ModelList).total).toBe(0);
  });

  const plain = ({ status, headers, body }: ForwardedResponse): unknown => ({
    status,
    headers,
    body: Buffer.from(body).toString("hex"),
  });
  const verbs: [string, string, string, CallOptions][] = [
    ["GET", "", "read", {}],
    ["GET", "/samples/0", "read", {}],
    ["GET", "/cover", "read", {}],
    ["PATCH", "", "write", asJson({ title: "stolen" })],
    ["PATCH", "", "write", { contentType: "text/plain", body: "not even a form" }],
    ["DELETE", "", "write", {}],
  ];
  it.each([
    "public",
    "unlist",
    "private",
  ])("lets a stranger do to a %s voice what it may, and hides the rest as missing", async (visibility) => {
    for (const [method, suffix, kind, options] of verbs) {
      const made = await create(
        multipart([...required, ["voices", WAV], ["cover_image", PNG], ["visibility", visibility]]),
      );
      const allowed = kind === "read" && visibility !== "private";
      const answer = await service.call(stranger, method, `/model/${made._id}${suffix}`, options);
      if (allowed) expect(answer.status).toBe(200);
      else
        expect(plain(answer)).toEqual(
          plain(await service.call(stranger, method, `/model/${"0".repeat(32)}${suffix}`, options)),
        );
      if (!allowed) expect(answer.status).toBe(404);
      const own = await service.callJson(owner, "GET", `/model/${made._id}`);
      expect(own.json).toMatchObject({ title: "A voice" });
      expect(
        (
          await service.call(
            owner,
            method,
            `/model/${made._id}${suffix}`,
            method === "PATCH" ? asJson({ title: "mine" }) : {},
          )
        ).status,
      ).toBe(200);
    }
  });

  it("answers ids that could never be, and unknown paths and verbs, with the documented statuses", async () => {
    for (const id of ["x", "%00", "..%2f..", "A".repeat(32), "a".repeat(5000), "%ff"]) {
      for (const method of ["GET", "PATCH", "DELETE"])
        expect([id, (await service.call(owner, method, `/model/${id}`)).status]).toEqual([id, 404]);
    }
    expect((await service.call(owner, "GET", "/nothing")).status).toBe(404);
    expect((await service.call(owner, "GET", "//model")).status).toBe(200);
    const wrongVerb = await service.call(owner, "DELETE", "/model");
    expect([wrongVerb.status, wrongVerb.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS, POST"]);
    expect((await service.call({ ...owner, scopes: ["speech"] }, "GET", "/model")).status).toBe(403);
  });

  it("resolves voices for the speech path under the same rule, in the order asked", async () => {
    const ids = await Promise.all(
      ["public", "unlist", "private"].map(
        async (visibility) => (await create(multipart([...required, ["voices", WAV], ["visibility", visibility]])))._id,
      ),
    );
    const resolve = async (principal: Principal): Promise<boolean[]> => {
      const question = { teamId: principal.teamId, voiceIds: [...ids, "missing", "0".repeat(32)] };
      const reply = await service.bus.request<Reply<ResolveVoicesReply>>(controlSubjects.resolveVoices, question, {
        timeoutMs: 5000,
        dependency: "x",
      });
      if (!reply.ok) throw new Error(reply.error.code);
      for (const voice of reply.value.voices)
        if (voice !== null)
          expect(voice.traits).toMatchObject({ pitchHz: WAV.byteLength, spectralTiltDbPerOctave: -6 });
      return reply.value.voices.map((voice) => voice !== null);
    };
    expect(await resolve(owner)).toEqual([true, true, true, false, false]);
    expect(await resolve(stranger)).toEqual([true, true, false, false, false]);
  });

  it("gives workers the recording of a voice, made once, until the voice is gone", async () => {
    const made = await create(multipart([...required, ["voices", WAV], ["voices", WAV]]));
    const objects = service.bus.objects({ name: "voices", maxAgeMs: 0 });
    const ask = async (voiceId: string): Promise<string | Uint8Array> => {
      const reply = await service.bus.request<Reply<SavedPrompt>>(
        controlSubjects.voicePrompt,
        { voiceId },
        { timeoutMs: 5000, dependency: "x" },
      );
      return reply.ok ? reply.value.pcm : reply.error.code;
    };
    const prompt = Uint8Array.of(WAV[0] ?? 0, 1, WAV[0] ?? 0, 1);
    const bytesOf = async (voiceId: string): Promise<Uint8Array> => Uint8Array.from((await ask(voiceId)) as Uint8Array);
    expect(await bytesOf(made._id)).toEqual(prompt);
    // As voices of earlier versions are.
    await objects.delete(`${made._id}/prompt`);
    expect(await bytesOf(made._id)).toEqual(prompt);
    expect(Uint8Array.from((await objects.get(`${made._id}/prompt`)) ?? [])).toEqual(prompt);
    expect((await service.call(owner, "DELETE", `/model/${made._id}`)).status).toBe(200);
    expect(await objects.get(`${made._id}/prompt`)).toBeNull();
    for (const voiceId of [made._id, "0".repeat(32), "../x"]) expect(await ask(voiceId)).toBe("unknown_reference");
  });

  it("tells edges of changed voices, counts their tasks, and makes edges forget keys whose credit is gone", async () => {
    const { principal, key, teamId } = await addTeam(service.db, { balanceMicros: 1 });
    const changed: string[] = [];
    const forgotten: string[] = [];
    const subscriptions = [
      service.bus.subscribe<VoiceChanged>(voiceChangedSubject, ({ voiceId }) => changed.push(voiceId)),
      service.bus.subscribe<KeyRevoked>(keyRevokedSubject, ({ keyDigest }) => forgotten.push(keyDigest)),
    ];
    const made = await create(multipart([...required, ["voices", WAV]]), principal);
    const usage: UsageRecord = {
      usageId: `u-${teamId}`,
      teamId,
      keyId: principal.keyId,
      route: "/v1/tts",
      model: "s1",
      characters: 200_000,
      audioMs: 1.5,
      firstAudioMs: null,
      totalMs: 1,
      outcome: "completed",
      traceId: "t",
      finishedAtMs: 0,
      voiceIds: [made._id, made._id],
    };
    for (let copy = 0; copy < 3; copy++) service.bus.publish(usageSubject, usage);
    service.bus.publish(usageSubject, { usageId: 5 });
    await until(() => forgotten.length > 0, { withinMs: 5000, what: "the key to be forgotten" });
    expect(forgotten).toEqual([sha256Hex(key)]);
    expect((await service.callJson(principal, "GET", `/model/${made._id}`)).json).toMatchObject({ task_count: 1 });
    expect((await service.callJson(principal, "GET", "/wallet/self/api-credit")).json).toMatchObject({
      credit: "-2.999999",
      cumulative_top_up: "0.000001",
    });
    await service.call(principal, "PATCH", `/model/${made._id}`, asJson({ title: "n" }));
    await service.call(principal, "DELETE", `/model/${made._id}`);
    await until(() => changed.length === 2, { withinMs: 5000, what: "two voice changes" });
    for (const subscription of subscriptions) subscription.unsubscribe();
  });

  it("shows the wallet to its owner alone, as the client libraries parse it", async () => {
    for (const user of ["self", owner.userId]) {
      const credit = await service.callJson(owner, "GET", `/wallet/${user}/api-credit`, {
        query: "check_free_credit=true",
      });
      expect([credit.status, apiCredit.strict().parse(credit.json)]).toEqual([
        200,
        expect.objectContaining({ credit: "1", user_id: owner.userId, has_free_credit: false }),
      ]);
      const held = await service.callJson(owner, "GET", `/wallet/${user}/package`);
      expect([held.status, walletPackage.strict().parse(held.json)]).toEqual([
        200,
        expect.objectContaining({ user_id: owner.userId, total: 0 }),
      ]);
    }
    for (const path of [`/wallet/${stranger.userId}/api-credit`, `/wallet/${stranger.userId}/package`]) {
      const missing = await service.call(owner, "GET", path.replace(stranger.userId, "nobody"));
      expect(plain(await service.call(owner, "GET", path))).toEqual(plain(missing));
      expect(missing.status).toBe(404);
    }
    expect(
      (await service.call(owner, "GET", "/wallet/self/api-credit", { query: `team_id=${stranger.teamId}` })).status,
    ).toBe(404);
    expect(
      (await service.call(owner, "GET", "/wallet/self/api-credit", { query: "check_free_credit=perhaps" })).status,
    ).toBe(422);
  });

  it.each<[string, object]>([
    ["page_size=0", { type: "greater_than_equal", loc: ["query", "page_size"], ctx: { ge: 1 } }],
    ["page_size=101", { type: "less_than_equal", loc: ["query", "page_size"], ctx: { le: 100 } }],
    ["page_size=x", { type: "int_parsing", loc: ["query", "page_size"] }],
    ["page_size=", { type: "int_parsing", loc: ["query", "page_size"] }],
    ["page_size=1.5", { type: "int_parsing", loc: ["query", "page_size"] }],
    ["page_number=0", { type: "greater_than_equal", loc: ["query", "page_number"] }],
    ["sort_by=name", { type: "literal_error", loc: ["query", "sort_by"] }],
    ["self=maybe", { type: "bool_parsing", loc: ["query", "self"] }],
  ])("refuses to list with %s", async (query, problem) => {
    expect(await service.callJson(owner, "GET", "/model", { query })).toEqual({
      status: 422,
      json: [expect.objectContaining(problem)],
    });
  });

  it.each([
    "",
    "page_size=1&page_size=100",
    "page_number=999999999999999",
    "title=%00",
    "tag=%00&tag=a",
    "title=%25_%5C",
    "self=TRUE",
    "author_id='%22",
    "__proto__=1",
    "unknown=1",
  ])("lists with the query %j", async (query) => {
    const { status, json } = await service.callJson(owner, "GET", "/model", { query });
    expect([status, modelList.strict().safeParse(json).success]).toEqual([200, true]);
  });
});
