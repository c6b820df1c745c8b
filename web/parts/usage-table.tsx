import type { ReactNode } from "react";
import type { UsageLine } from "#protocol/usage";
import { usageFactsOf } from "./usage-facts.js";

interface UsageTableProps {
  /** What it is, for those who do not see it. */
  label: string;
  caption?: ReactNode;
  /** What the lines are told apart by. */
  subjectLabel: string;
  lines: readonly { subject: string; line: UsageLine }[];
}

/** What was used, line by line. */
export function UsageTable({ label, caption, subjectLabel, lines }: UsageTableProps) {
  const names = lines.slice(0, 1).flatMap(({ line }) => usageFactsOf(line).map(([name]) => name));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      <table>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            <th>{subjectLabel}</th>
            {names.map((name) => (
              <th key={name} className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ subject, line }) => (
            <tr key={subject}>
              <td>{subject}</td>
              {usageFactsOf(line).map(([name, value]) => (
                <td key={name} className="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
