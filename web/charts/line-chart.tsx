import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type ChartColours, useChartColours } from "./colours.js";

const HEIGHT_PX = 200;

interface LineChartProps {
  /** What it shows, for those who do not see it; the numbers stand in a table beside it. */
  label: string;
  /** Seconds since the epoch. */
  times: number[];
  series: { name: string; values: number[] }[];
}

/** Lines over time, as wide as there is room. */
export function LineChart({ label, times, series }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const colours = useChartColours();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [times, ...series.map(({ values }) => values)];
    const names = series.map(({ name }) => name);
    const chart = new uPlot(optionsOf(names, colours, element.clientWidth), data, element);
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [times, series, colours]);
  return (
    <figure className="chart">
      <div ref={place} role="img" aria-label={label} />
      <figcaption className="soft">
        {series.map(({ name }, index) => (
          <span key={name} className={`legend legend-${index + 1}`}>
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function optionsOf(names: readonly string[], { ink, grid, series }: ChartColours, width: number): uPlot.Options {
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  return {
    width,
    height: HEIGHT_PX,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
    axes: [axis, axis],
    series: [
      {},
      ...names.map((label, index) => ({
        label,
        stroke: series[index] ?? ink,
        width: 2,
        ...(index > 0 ? { dash: [6, 4] } : {}),
      })),
    ],
  };
}
