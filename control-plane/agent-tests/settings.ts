import type { Config } from "#common/config/config";

export interface TestRunSettings {
  /** Runs at once in the whole cluster. */
  concurrency: number;
  /** Days for which batches are kept. */
  retentionDays: number;
}

/** What the settings say where nobody sets them. */
export const defaultTestRunSettings: TestRunSettings = { concurrency: 4, retentionDays: 90 };

export const testRunSettings = (config: Config): TestRunSettings => ({
  concurrency: config.AGENT_TEST_CONCURRENCY,
  retentionDays: config.AGENT_TEST_RETENTION_DAYS,
});
