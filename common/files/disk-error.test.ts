import { expect, it } from "vitest";
import { diskProblem } from "./disk-error.js";

const failure = (facts: object): Error => Object.assign(new Error("failed"), facts);

it("says what is wrong with a disk, and nothing of other errors", () => {
  expect(diskProblem(failure({ code: "ENOSPC", syscall: "write" }))).toBe("no space is left on the disk");
  expect(diskProblem(failure({ code: "EROFS", syscall: "open", path: "/data/key" }), "/data")).toBe(
    "the disk is mounted read-only",
  );
  expect(diskProblem(failure({ code: "EACCES", syscall: "open", path: "/home/model" }), "/data")).toBeNull();
  expect(diskProblem(failure({ code: "EACCES", syscall: "listen", port: 80 }))).toBeNull();
  expect(diskProblem(failure({ code: "ENOENT", syscall: "open" }))).toBeNull();
  expect(diskProblem("ENOSPC")).toBeNull();
});
