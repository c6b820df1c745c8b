import { describe, expect, it } from "vitest";
import { validate } from "#common/http/validation";
import { createSealer } from "#common/secrets/sealer";
import { pageQuery } from "#protocol/paging";
import { envelope, readPage } from "./paging.js";

const sealer = createSealer(["test key ".repeat(8)]);
const read = (raw: Record<string, string>, list = "tools", team = "t") =>
  readPage(validate(pageQuery, raw, ["query"]), list, team, sealer);
const row = (id: string) => ({ id, createdAt: new Date(1_700_000_000_123) });

describe("readPage", () => {
  it("begins at the newest row with 30 rows and no total", () => {
    expect(read({})).toMatchObject({ limit: 31, offset: 0, after: null, wantsTotal: false });
  });

  it("counts pages from 1 and always wants their total", () => {
    expect(read({ page: "3", page_size: "10" })).toMatchObject({ limit: 11, offset: 20, wantsTotal: true });
  });

  it("gives a cursor that leads on after the last row shown, and only in its own list and team", () => {
    const page = read({ page_size: "2" });
    const { rows, envelope: answer } = envelope(page, [row("c"), row("b"), row("a")], null);
    expect(rows.map(({ id }) => id)).toEqual(["c", "b"]);
    expect(answer).toMatchObject({ has_more: true, total: null });
    const cursor = answer.next_cursor ?? "";
    expect(read({ cursor }).after).toEqual({ createdAtMs: 1_700_000_000_123, id: "b" });
    expect(() => read({ cursor }, "tools", "other")).toThrow(expect.objectContaining({ code: "invalid_cursor" }));
    expect(() => read({ cursor }, "agents")).toThrow(expect.objectContaining({ code: "invalid_cursor" }));
  });

  it("gives no cursor after the last page", () => {
    expect(envelope(read({ page_size: "2" }), [row("b"), row("a")], 2).envelope).toEqual({
      has_more: false,
      next_cursor: null,
      total: 2,
    });
  });

  it.each([
    [{ page: "1", cursor: "x" }, "conflicting_paging"],
    [{ cursor: "" }, "invalid_cursor"],
    [{ cursor: "%%%" }, "invalid_cursor"],
    [{ cursor: Buffer.from("1700000000123.b").toString("base64url") }, "invalid_cursor"],
    [{ cursor: createSealer(["another key ".repeat(8)]).seal("1700000000123.b", "cursor:t:tools") }, "invalid_cursor"],
    [{ page: "100002", page_size: "1" }, "page_out_of_range"],
    [{ page: "9007199254740991" }, "page_out_of_range"],
    [{ page: "9007199254740993" }, "page_out_of_range"],
    [{ page: "9".repeat(17) }, "page_out_of_range"],
    [{ page: "9".repeat(400) }, "page_out_of_range"],
    [{ page: `-${"9".repeat(400)}` }, "validation"],
    [{ page: "1e30" }, "validation"],
    [{ page: "9".repeat(5000) }, "validation"],
    [{ page: "0" }, "validation"],
    [{ page: "x" }, "validation"],
    [{ page_size: "0" }, "validation"],
    [{ page_size: "101" }, "validation"],
    [{ include_total: "perhaps" }, "validation"],
  ])("refuses %j with %s", (raw, code) => {
    expect(() => read(raw)).toThrow(expect.objectContaining({ code }));
  });

  it("takes the last page that begins within the bound", () => {
    expect(read({ page: "100001", page_size: "1" }).offset).toBe(100_000);
    expect(read({ page: "0000000000000000000000100001", page_size: "1" }).offset).toBe(100_000);
  });
});
