import { useState } from "react";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import { CopyBlock } from "../parts/copy-block.js";
import { type SnippetLanguage, type SnippetRequest, snippets } from "./snippets.js";

const labels: Readonly<Record<SnippetLanguage, string>> = { curl: "curl", typescript: "TypeScript", python: "Python" };
const languages = Object.keys(labels) as SnippetLanguage[];

/** The request in a language to choose, to be copied; the key comes from the environment of who runs it. */
export function SnippetBlock({ request }: { request: SnippetRequest }) {
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  return (
    <>
      <ToggleButtonGroup
        aria-label="Language"
        className="choices"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[language]}
        onSelectionChange={(keys) => setLanguage(languages.find((name) => keys.has(name)) ?? "curl")}
      >
        {languages.map((name) => (
          <ToggleButton key={name} id={name}>
            {labels[name]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <CopyBlock label={`The request in ${labels[language]}`} text={snippets[language](request)} />
    </>
  );
}
