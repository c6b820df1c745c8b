import { type Cell, type Row, type Stage, stages } from "./cell.js";
import { conversationRows } from "./conversation-rows.js";
import { roleRows } from "./role-rows.js";
import { serverRows } from "./server-rows.js";

/** Every component and fault that Parley has an answer to. */
export const rows: readonly Row[] = [...roleRows, ...serverRows, ...conversationRows];

/** A cell by its name. */
export interface NamedCell extends Cell {
  id: string;
  row: Row;
  stage: Stage;
}

/** Every cell, row by row. */
export const cells: readonly NamedCell[] = rows.flatMap((row) =>
  stages.map((stage) => ({ ...row.cells[stage], id: `${row.id}/${stage}`, row, stage })),
);
