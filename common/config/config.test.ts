import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { generateApiKey } from "../api-key.js";
import { ConfigError, declaration, loadConfig } from "./config.js";

describe("loadConfig", () => {
  it("gives every default when the environment is empty, frozen", () => {
    const config = loadConfig({});
    expect(config.PORT).toBe(8080);
    expect(config.NATS_URL).toBeNull();
    expect(config.PARLEY_MODEL_MAP["s2-pro"]).toBe("parley-en+espeak");
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.PARLEY_MODEL_MAP)).toBe(true);
    expect(Object.keys(config)).toEqual(Object.keys(declaration));
  });

  it("treats an empty variable as absent", () => {
    expect(loadConfig({ PORT: "", DATABASE_URL: "" })).toMatchObject({ PORT: 8080, DATABASE_URL: null });
  });

  it("names every offending variable in one error", () => {
    const attempt = (): unknown =>
      loadConfig({ PORT: "http", LOG_LEVEL: "loud", NATS_URL: "redis://x", PARLEY_WROKERS: "2", OTHER: "kept" });
    expect(attempt).toThrow(ConfigError);
    for (const name of ["PORT", "LOG_LEVEL", "NATS_URL", "PARLEY_WROKERS"]) expect(attempt).toThrow(name);
    expect(attempt).not.toThrow("OTHER");
  });

  it("reads any variable from a file named by NAME_FILE", () => {
    const directory = mkdtempSync(join(tmpdir(), "parley-config-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "key");
    writeFileSync(path, "secret-from-file\n");
    expect(loadConfig({ PARLEY_API_KEY_FILE: path }).PARLEY_API_KEY).toBe("secret-from-file");
  });

  it("takes one of a few numbers, and no other", () => {
    expect(
      [loadConfig({}), loadConfig({ PARLEY_COMPAT_PCM_RATE: "44100" })].map((config) => config.PARLEY_COMPAT_PCM_RATE),
    ).toEqual([24_000, 44_100]);
    for (const wrong of ["22050", "24000.5", "24k", "0x5dc0"])
      expect(() => loadConfig({ PARLEY_COMPAT_PCM_RATE: wrong })).toThrow("PARLEY_COMPAT_PCM_RATE must be one of 8000");
  });

  it("refuses a development key that was not copied whole", () => {
    const key = generateApiKey();
    expect(loadConfig({ PARLEY_API_KEY: key }).PARLEY_API_KEY).toBe(key);
    expect(() => loadConfig({ PARLEY_API_KEY: `${key.slice(0, -6)}000000` })).toThrow("PARLEY_API_KEY");
    expect(loadConfig({ PARLEY_API_KEY: "any-text" }).PARLEY_API_KEY).toBe("any-text");
  });

  it("merges name=value pairs over the default map", () => {
    const config = loadConfig({ PARLEY_MODEL_MAP: "s1=my-voice, extra=other" });
    expect(config.PARLEY_MODEL_MAP).toEqual({ ...loadConfig({}).PARLEY_MODEL_MAP, s1: "my-voice", extra: "other" });
    expect(() => loadConfig({ PARLEY_MODEL_MAP: "s1" })).toThrow("PARLEY_MODEL_MAP");
  });

  it("reads prices of models, whose names may have slashes and equal signs", () => {
    expect(loadConfig({}).LLM_PRICES).toEqual({});
    expect(loadConfig({ LLM_PRICES: "gpt-4o=2.5/10, org/m=v2=0/0.000001," }).LLM_PRICES).toEqual({
      "gpt-4o": { input: "2.5", output: "10" },
      "org/m=v2": { input: "0", output: "0.000001" },
    });
    for (const wrong of ["m", "m=1", "m=1/2/3", "m=-1/2", "m=1/2e3", "=1/2", "m=1/0.0000001"])
      expect(() => loadConfig({ LLM_PRICES: wrong })).toThrow("LLM_PRICES");
  });

  it("wants an endpoint for the model that judges agent tests, and a model for its own endpoint", () => {
    const [AGENT_TEST_LLM_BASE_URL, LLM_BASE_URL] = ["http://judge.example/v1", "http://localhost:11434/v1"];
    expect(() => loadConfig({ AGENT_TEST_LLM_BASE_URL })).toThrow("AGENT_TEST_LLM_MODEL is needed");
    expect(() => loadConfig({ AGENT_TEST_LLM_MODEL: "j" })).toThrow("AGENT_TEST_LLM_MODEL needs");
    expect(() => loadConfig({ AGENT_TEST_LLM_CALLER_MODEL: "c" })).toThrow("AGENT_TEST_LLM_MODEL needs");
    loadConfig({ AGENT_TEST_LLM_BASE_URL, AGENT_TEST_LLM_MODEL: "j" });
    loadConfig({ LLM_BASE_URL, LLM_MODEL: "m", AGENT_TEST_LLM_MODEL: "j" });
  });

  it("needs a key beside a bucket of an S3 store, and a bucket beside the rest", () => {
    const keys = { S3_ACCESS_KEY_ID: "AK", S3_SECRET_ACCESS_KEY: "s" };
    expect(() => loadConfig({ S3_BUCKET: "b" })).toThrow("S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY");
    expect(() => loadConfig({ S3_BUCKET: "b", S3_ACCESS_KEY_ID: "AK" })).toThrow("S3_BUCKET needs");
    expect(() => loadConfig(keys)).toThrow("S3_BUCKET is needed");
    expect(() => loadConfig({ S3_ENDPOINT: "http://minio:9000" })).toThrow("S3_BUCKET is needed");
    expect(() => loadConfig({ S3_BUCKET: "b", ...keys, S3_ENDPOINT: "minio:9000" })).toThrow(
      "S3_ENDPOINT must be a URL",
    );
    expect(loadConfig({ S3_BUCKET: "b", ...keys })).toMatchObject({ S3_REGION: "us-east-1", S3_PATH_STYLE: "on" });
    expect(loadConfig({ S3_BUCKET: "", S3_ENDPOINT: "", S3_ACCESS_KEY_ID: "" }).S3_BUCKET).toBeNull();
  });

  it("wants Twilio's account and its token together, and an account as Twilio writes it", () => {
    const TWILIO_ACCOUNT_SID = `AC${"0123456789abcdef".repeat(2)}`;
    for (const alone of [{ TWILIO_ACCOUNT_SID }, { TWILIO_AUTH_TOKEN: "t" }])
      expect(() => loadConfig(alone)).toThrow("TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN need each other");
    for (const wrong of ["museum", "SK0123456789abcdef0123456789abcdef", TWILIO_ACCOUNT_SID.slice(0, -1)])
      expect(() => loadConfig({ TWILIO_ACCOUNT_SID: wrong, TWILIO_AUTH_TOKEN: "t" })).toThrow(
        "TWILIO_ACCOUNT_SID must be AC and 32 hexadecimal digits",
      );
    loadConfig({ TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN: "t" });
  });

  it("wants a model for every tier of a language model's endpoint", () => {
    const LLM_BASE_URL = "http://localhost:11434/v1";
    expect(loadConfig({ LLM_BASE_URL, LLM_MODEL: "m" })).toMatchObject({ LLM_BASE_URL, LLM_MODEL: "m" });
    expect(loadConfig({ LLM_MODEL_HIGH: "h" }).LLM_BASE_URL).toBeNull();
    const tiers = { LLM_MODEL_INSTANT: "i", LLM_MODEL_MEDIUM: "m" };
    expect(() => loadConfig({ LLM_BASE_URL, ...tiers })).toThrow("LLM_MODEL is needed");
    expect(loadConfig({ LLM_BASE_URL, ...tiers, LLM_MODEL_HIGH: "h" }).LLM_MODEL).toBeNull();
    expect(() => loadConfig({ LLM_BASE_URL: "localhost:11434", LLM_MODEL: "m" })).toThrow("LLM_BASE_URL");
  });
});
