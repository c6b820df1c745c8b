import { useEffect, useState } from "react";

/** Colours of a chart, which is drawn and cannot take them from the style sheet. */
export interface ChartColours {
  ink: string;
  grid: string;
  series: [string, string];
}

function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return { ink: colour("--soft"), grid: colour("--line"), series: [colour("--series-1"), colour("--series-2")] };
}

/** The colours as they are now; new ones when the user, or the system, chooses others. */
export function useChartColours(): ChartColours {
  const [colours, setColours] = useState(readColours);
  useEffect(() => {
    const renew = (): void => setColours(readColours());
    const system = matchMedia("(prefers-color-scheme: dark)");
    const chosen = new MutationObserver(renew);
    system.addEventListener("change", renew);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", renew);
      chosen.disconnect();
    };
  }, []);
  return colours;
}
