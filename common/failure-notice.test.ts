import { expect, it } from "vitest";
import { FailureNotice } from "./failure-notice.js";

it("takes a failure for news once, until it changes or after a success", () => {
  const notice = new FailureNotice();
  const full = (query: number): Error => new Error(`failed query ${query}`, { cause: new Error("no space is left") });
  expect(notice.clear()).toBe(false);
  expect([notice.isNews(full(1)), notice.isNews(full(2)), notice.isNews(full(3))]).toEqual([true, false, false]);
  expect([notice.isNews("gone"), notice.isNews("gone"), notice.isNews(full(4))]).toEqual([true, false, true]);
  expect([notice.clear(), notice.clear()]).toEqual([true, false]);
  expect(notice.isNews(full(5))).toBe(true);
});
