import { useState } from "react";
import { Button } from "react-aria-components/Button";

/** Text to copy: a command, a program, an id. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = async (): Promise<void> => {
    // Browsers give no clipboard to pages that came over plain HTTP from another machine.
    const isDone = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(isDone === true ? "copied" : "refused");
  };
  return (
    <div className="copy-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section className="scroll" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <Button className="button quiet" onPress={copy} aria-label={`Copy: ${label}`}>
        Copy
      </Button>
      <span className="help" role="status">
        {state === "copied" ? "Copied." : state === "refused" ? "The browser gave no clipboard: mark the text." : ""}
      </span>
    </div>
  );
}
