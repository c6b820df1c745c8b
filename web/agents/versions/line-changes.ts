/** A line of a text, and whether it stayed, went or came. */
export interface LineChange {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Lines that are compared one by one: the table below has their product of cells. */
const MAX_COMPARED_LINES = 1000;

/**
 * What makes one text the other, line by line, by a longest common subsequence. Texts of more lines than are compared
 * are shown as gone and new between what they begin and end with alike.
 */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, young] = [before.split("\n"), after.split("\n")];
  const head = countAlike(old, young);
  const tail = countAlike(old.slice(head).reverse(), young.slice(head).reverse());
  const [oldMiddle, youngMiddle] = [old.slice(head, old.length - tail), young.slice(head, young.length - tail)];
  const same = (text: string): LineChange => ({ kind: "same", text });
  return [
    ...old.slice(0, head).map(same),
    ...middleChanges(oldMiddle, youngMiddle),
    ...old.slice(old.length - tail).map(same),
  ];
}

function countAlike(one: readonly string[], other: readonly string[]): number {
  const first = one.findIndex((line, index) => line !== other[index]);
  return first === -1 ? one.length : first;
}

function middleChanges(old: readonly string[], young: readonly string[]): LineChange[] {
  if (old.length > MAX_COMPARED_LINES || young.length > MAX_COMPARED_LINES)
    return [...old.map(gone), ...young.map(fresh)];
  const width = young.length + 1;
  // commonLines[i * width + j]: how many lines the texts from line i and from line j have in common.
  const commonLines = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      commonLines[i * width + j] =
        old[i] === young[j]
          ? at(commonLines, (i + 1) * width + j + 1) + 1
          : Math.max(at(commonLines, (i + 1) * width + j), at(commonLines, i * width + j + 1));
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    const [oldLine, youngLine] = [old[i], young[j]];
    if (oldLine !== undefined && oldLine === youngLine) {
      changes.push({ kind: "same", text: oldLine });
      i++;
      j++;
    } else if (
      oldLine !== undefined &&
      (youngLine === undefined || at(commonLines, (i + 1) * width + j) >= at(commonLines, i * width + j + 1))
    ) {
      changes.push(gone(oldLine));
      i++;
    } else {
      changes.push(fresh(youngLine ?? ""));
      j++;
    }
  }
  return changes;
}

const gone = (text: string): LineChange => ({ kind: "gone", text });
const fresh = (text: string): LineChange => ({ kind: "new", text });
const at = (cells: Uint16Array, index: number): number => cells[index] ?? 0;
