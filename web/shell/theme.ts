/** How the console looks: as the system says, or as its user chose. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const STORED_AS = "parley-theme";

/** A stored choice, or `system` where nobody made one that is known. */
export function themeOf(stored: string | null): Theme {
  return themes.find((theme) => theme === stored) ?? "system";
}

/** The choice that this browser keeps. */
export function storedTheme(): Theme {
  return themeOf(localStorage.getItem(STORED_AS));
}

/** Shows a theme, and keeps it for the next visit. */
export function showTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
