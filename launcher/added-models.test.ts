import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { modelFolders } from "./added-models.js";

const directory = mkdtempSync(join(tmpdir(), "parley-added-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("the folders in which workers look for models", () => {
  it("are those that are configured and then the one for added models, which is there from the start", () => {
    const data = join(directory, "data");
    expect(modelFolders({ PARLEY_MODELS: ["/a", "/b"] }, data)).toBe(`/a,/b,${data}/models`);
    expect(modelFolders({ PARLEY_MODELS: [] }, data)).toBe(join(data, "models"));
    expect(existsSync(join(data, "models"))).toBe(true);
  });
});
