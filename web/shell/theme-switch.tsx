import { useState } from "react";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import { showTheme, storedTheme, type Theme, themeOf, themes } from "./theme.js";

const labels: Readonly<Record<Theme, string>> = { system: "Auto", light: "Light", dark: "Dark" };

/** Chooses between light, dark, and what the system says. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <ToggleButtonGroup
      aria-label="Colours"
      className="choices"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[theme]}
      onSelectionChange={(keys) => {
        const chosen = themeOf(String([...keys][0] ?? ""));
        showTheme(chosen);
        setTheme(chosen);
      }}
    >
      {themes.map((name) => (
        <ToggleButton key={name} id={name}>
          {labels[name]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
