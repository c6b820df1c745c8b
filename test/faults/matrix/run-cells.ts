import type { Proof } from "./cell.js";
import type { Setting } from "./setting.js";
import { type CellBill, type CellResult, disturb, type Reference, runUndisturbed } from "./disturb.js";
import { type FaultCluster, startFaultCluster } from "./fault-cluster.js";
import type { NamedCell } from "./matrix.js";
import { bookedUsage } from "./usage.js";

type Scenario = Extract<Proof, { kind: "scenario" }>;

/** A cell that is run. */
export interface ScenarioCell extends NamedCell {
  proof: Scenario;
}

export const isScenario = (cell: NamedCell): cell is ScenarioCell => cell.proof.kind === "scenario";

interface Round {
  under: FaultCluster;
  reference: Reference;
  bills: { result: CellResult; bill: CellBill }[];
}

/**
 * Runs cells one after the other on one cluster, and on a new one after a cell that did not leave it whole. At the end
 * it looks at every bill again: what is charged twice may be charged late.
 */
export async function runCells(
  setting: Setting,
  cells: readonly ScenarioCell[],
  onResult: (id: string, result: CellResult) => void,
): Promise<void> {
  let round: Round | null = null;
  try {
    for (const cell of cells) {
      round ??= await startRound(setting);
      const { result, isWhole } = await runCell(round, cell);
      onResult(cell.id, result);
      if (!isWhole) {
        await endRound(round);
        round = null;
      }
    }
    if (round !== null) await endRound(round);
    round = null;
  } finally {
    await round?.under.stop();
  }
}

async function startRound(setting: Setting): Promise<Round> {
  const under = await startFaultCluster(setting);
  try {
    return { under, reference: await runUndisturbed(under), bills: [] };
  } catch (error) {
    await under.stop();
    throw error;
  }
}

/** `isWhole`: whether the cluster is as it was; false where a cell could not be brought to its end. */
async function runCell(
  { under, reference, bills }: Round,
  cell: ScenarioCell,
): Promise<{ result: CellResult; isWhole: boolean }> {
  try {
    const { result, bill } = await disturb(under, { id: cell.id, stage: cell.stage, scenario: cell.proof }, reference);
    bills.push({ result, bill });
    return { result, isWhole: true };
  } catch (error) {
    const result = { violations: [String(error)], complete: 0, errors: 0, lateMs: 0, backMs: 0 };
    return { result, isWhole: false };
  }
}

async function endRound({ under, bills }: Round): Promise<void> {
  try {
    for (const { result, bill } of bills) {
      const now = await bookedUsage(under.cluster, bill.apiKey, () => true);
      const { requests, characters } = bill.bill;
      if (now.requests !== requests || now.characters !== characters)
        result.violations.push(`the bill changed later: ${JSON.stringify(bill.bill)}, then ${JSON.stringify(now)}`);
    }
  } finally {
    await under.stop();
  }
}
