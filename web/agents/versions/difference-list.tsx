import type { Difference } from "./difference.js";
import type { LineChange } from "./line-changes.js";

/** Fields that differ, each with what stood there and what stands there now. */
export function DifferenceList({ differences }: { differences: readonly Difference[] }) {
  return (
    <dl className="differences">
      {differences.map(({ path, label, lines, before, after }) => (
        <div key={path}>
          <dt>{label}</dt>
          {lines === null ? (
            <dd>
              <del>{before}</del> <span aria-hidden="true">→</span> <ins>{after}</ins>
            </dd>
          ) : (
            <dd>
              <Lines lines={lines} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function Lines({ lines }: { lines: readonly LineChange[] }) {
  return (
    <div className="lines">
      {lines.map(({ kind, text }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: lines come again, and none of them moves
        if (kind === "gone") return <del key={index}>{text || " "}</del>;
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        if (kind === "new") return <ins key={index}>{text || " "}</ins>;
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        return <span key={index}>{text || " "}</span>;
      })}
    </div>
  );
}
