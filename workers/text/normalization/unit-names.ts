const prefixesBySymbol: Readonly<Record<string, string>> = {
  "": "",
  n: "nano",
  µ: "micro",
  μ: "micro",
  u: "micro",
  m: "milli",
  c: "centi",
  d: "deci",
  h: "hecto",
  k: "kilo",
  M: "mega",
  G: "giga",
  T: "tera",
};

/** Base units that take metric prefixes, with the prefixes in use. */
const metric: readonly (readonly [symbol: string, name: string, prefixes: string])[] = [
  ["m", "meter", "nµμumcdk"],
  ["g", "gram", "µμumk"],
  ["l", "liter", "µμumcdh"],
  ["L", "liter", "µμumcdh"],
  ["s", "second", "nµμum"],
  ["Hz", "hertz", "kMGT"],
  ["W", "watt", "mkMGT"],
  ["V", "volt", "mkµμu"],
  ["J", "joule", "kMG"],
  ["N", "newton", "k"],
  ["Pa", "pascal", "hkMG"],
  ["Wh", "watt hour", "kMGT"],
  ["eV", "electron volt", "kMGT"],
  ["cal", "calorie", "k"],
  ["B", "byte", "kMGT"],
  ["bit", "bit", "kMG"],
  ["Ω", "ohm", "mkM"],
  ["F", "farad", "nµμu"],
  ["H", "henry", "mµ"],
  ["A", "ampere", "mµk"],
  ["Ah", "ampere hour", "m"],
  ["mol", "mole", "mk"],
];

const others: Readonly<Record<string, readonly [one: string, many: string]>> = {
  KB: ["kilobyte", "kilobytes"],
  PB: ["petabyte", "petabytes"],
  KiB: ["kibibyte", "kibibytes"],
  MiB: ["mebibyte", "mebibytes"],
  GiB: ["gibibyte", "gibibytes"],
  TiB: ["tebibyte", "tebibytes"],
  kb: ["kilobit", "kilobits"],
  Kb: ["kilobit", "kilobits"],
  Mb: ["megabit", "megabits"],
  Gb: ["gigabit", "gigabits"],
  bps: ["bit per second", "bits per second"],
  kbps: ["kilobit per second", "kilobits per second"],
  Kbps: ["kilobit per second", "kilobits per second"],
  Mbps: ["megabit per second", "megabits per second"],
  Gbps: ["gigabit per second", "gigabits per second"],
  mph: ["mile per hour", "miles per hour"],
  kph: ["kilometer per hour", "kilometers per hour"],
  kmh: ["kilometer per hour", "kilometers per hour"],
  mpg: ["mile per gallon", "miles per gallon"],
  rpm: ["revolution per minute", "revolutions per minute"],
  RPM: ["revolution per minute", "revolutions per minute"],
  bpm: ["beat per minute", "beats per minute"],
  fps: ["frame per second", "frames per second"],
  psi: ["pound per square inch", "pounds per square inch"],
  ppm: ["part per million", "parts per million"],
  dpi: ["dot per inch", "dots per inch"],
  knots: ["knot", "knots"],
  ft: ["foot", "feet"],
  in: ["inch", "inches"],
  yd: ["yard", "yards"],
  yds: ["yard", "yards"],
  mi: ["mile", "miles"],
  nmi: ["nautical mile", "nautical miles"],
  lb: ["pound", "pounds"],
  lbs: ["pound", "pounds"],
  oz: ["ounce", "ounces"],
  gal: ["gallon", "gallons"],
  qt: ["quart", "quarts"],
  tbsp: ["tablespoon", "tablespoons"],
  tsp: ["teaspoon", "teaspoons"],
  sqft: ["square foot", "square feet"],
  acre: ["acre", "acres"],
  ha: ["hectare", "hectares"],
  t: ["ton", "tons"],
  h: ["hour", "hours"],
  hr: ["hour", "hours"],
  hrs: ["hour", "hours"],
  min: ["minute", "minutes"],
  mins: ["minute", "minutes"],
  sec: ["second", "seconds"],
  secs: ["second", "seconds"],
  d: ["day", "days"],
  wk: ["week", "weeks"],
  wks: ["week", "weeks"],
  yr: ["year", "years"],
  yrs: ["year", "years"],
  mo: ["month", "months"],
  dB: ["decibel", "decibels"],
  px: ["pixel", "pixels"],
  hp: ["horsepower", "horsepower"],
  HP: ["horsepower", "horsepower"],
  "s²": ["second squared", "seconds squared"],
  s2: ["second squared", "seconds squared"],
  "s^2": ["second squared", "seconds squared"],
  "°": ["degree", "degrees"],
  "°C": ["degree Celsius", "degrees Celsius"],
  "°F": ["degree Fahrenheit", "degrees Fahrenheit"],
  "°K": ["kelvin", "kelvins"],
  ºC: ["degree Celsius", "degrees Celsius"],
  ºF: ["degree Fahrenheit", "degrees Fahrenheit"],
  "%": ["percent", "percent"],
  kWp: ["kilowatt peak", "kilowatts peak"],
  bar: ["bar", "bars"],
  mAh: ["milliampere hour", "milliampere hours"],
};

function plural(name: string): string {
  return name.endsWith("hertz") ? name : `${name}s`;
}

function build(): ReadonlyMap<string, readonly [string, string]> {
  const units = new Map<string, readonly [string, string]>();
  for (const [symbol, name, prefixes] of metric) {
    for (const prefix of ["", ...prefixes]) {
      const full = (prefixesBySymbol[prefix] ?? "") + name;
      units.set(prefix + symbol, [full, plural(full)]);
    }
  }
  for (const [symbol, names] of Object.entries(others)) units.set(symbol, names);
  return units;
}

const units = build();
const areaOrVolume = /^(.+?)(\^?[23]|[²³])$/;
const quotient = /^([^/]+)\/([^/]+)$/;

/** Name of a unit written as a symbol (case matters): "km/h", "m²", "°F", "GB". Null when unknown. */
export function spokenUnit(symbol: string, isSingular: boolean): string | null {
  const known = units.get(symbol);
  if (known !== undefined) return known[isSingular ? 0 : 1];
  const ratio = quotient.exec(symbol);
  if (ratio !== null) {
    const top = spokenUnit(ratio[1] ?? "", isSingular);
    const bottom = spokenUnit(ratio[2] ?? "", true);
    return top === null || bottom === null ? null : `${top} per ${bottom}`;
  }
  const power = areaOrVolume.exec(symbol);
  const base = power === null ? undefined : units.get(power[1] ?? "");
  if (power === null || base === undefined) return null;
  return `${/[2²]/.test(power[2] ?? "") ? "square" : "cubic"} ${base[isSingular ? 0 : 1]}`;
}
