import { type Classifier, isCapitalized, lowerCore, single } from "./match.js";
import type { Token } from "./tokens.js";

/** Read out with or without a stop. */
const always: Readonly<Record<string, string>> = {
  "e.g": "for example",
  "i.e": "that is",
  "eg.": "for example",
  etc: "et cetera",
  vs: "versus",
  "a.k.a": "also known as",
  "w/o": "without",
  "w/": "with",
  "c/o": "care of",
  "n/a": "not applicable",
  "N/A": "not applicable",
  "et.c": "et cetera",
  approx: "approximately",
  Mr: "Mister",
  Mrs: "Missus",
  Ms: "Miz",
  Messrs: "Messieurs",
  "C++": "C plus plus",
  "C#": "C sharp",
  "F#": "F sharp",
  "&c": "et cetera",
  "'n": "and",
  "©": "copyright",
  "Ph.D": "P-H-D",
  PhD: "P-H-D",
  "M.Sc": "M-S-C",
  "B.Sc": "B-S-C",
  "Ed.D": "E-D-D",
};

/** Read out only with a stop behind them. */
const withStop: Readonly<Record<string, string>> = {
  Prof: "Professor",
  Rev: "Reverend",
  Gen: "General",
  Col: "Colonel",
  Maj: "Major",
  Capt: "Captain",
  Lt: "Lieutenant",
  Sgt: "Sergeant",
  Cpl: "Corporal",
  Sen: "Senator",
  Rep: "Representative",
  Gov: "Governor",
  Hon: "Honorable",
  Jr: "Junior",
  Sr: "Senior",
  Esq: "Esquire",
  Mt: "Mount",
  Ft: "Fort",
  Ave: "Avenue",
  Blvd: "Boulevard",
  Rd: "Road",
  Hwy: "Highway",
  Pkwy: "Parkway",
  Apt: "Apartment",
  Bldg: "Building",
  Inc: "Incorporated",
  Ltd: "Limited",
  Corp: "Corporation",
  Co: "Company",
  Bros: "Brothers",
  Dept: "Department",
  dept: "department",
  Assn: "Association",
  Univ: "University",
  Govt: "Government",
  govt: "government",
  est: "established",
  Est: "Established",
  ext: "extension",
  Ext: "Extension",
  v: "versus",
  viz: "namely",
  cf: "compare",
  ca: "circa",
  max: "maximum",
  min: "minimum",
  avg: "average",
  misc: "miscellaneous",
  incl: "including",
  excl: "excluding",
  assoc: "associate",
  temp: "temperature",
  tel: "telephone",
  Tel: "telephone",
  resp: "respectively",
};

/** Read out only before a number. */
const beforeNumber: Readonly<Record<string, string>> = {
  No: "number",
  no: "number",
  Nos: "numbers",
  nos: "numbers",
  p: "page",
  pp: "pages",
  ch: "chapter",
  Ch: "Chapter",
  fig: "figure",
  Fig: "Figure",
  figs: "figures",
  Figs: "Figures",
  vol: "volume",
  Vol: "Volume",
  sec: "section",
  Sec: "Section",
  art: "article",
  Art: "Article",
  eq: "equation",
  Eq: "Equation",
  c: "circa",
  Rm: "Room",
  rm: "room",
  ver: "version",
  Ver: "Version",
  pt: "part",
  Pt: "Part",
};

/** After these a sentence may end, so their stop stays before a capital. */
const maySentenceEnd = /^(?:etc|Inc|Ltd|Corp|Co|Jr|Sr|Ave|Blvd|Rd|St|Bros|Esq)$/;

const numberLike = /^(?:\d|[IVXLC]{2,}$)/;
const capitalsAndCapitals = /^[A-Z]{1,3}(?:&[A-Z]{1,3})+$/;
const initialism = /^(?:\p{L}\.)+\p{L}$/u;

/** The full form of an abbreviation that needs neither stop nor company, or the word itself. */
export function expandWord(word: string): string {
  return lookUp(always, word) ?? word;
}

/**
 * Words behind an abbreviation: the stop goes, other punctuation stays, and a full stop stays where the sentence ends.
 */
function read(tokens: readonly Token[], index: number, spoken: string): ReturnType<Classifier> {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (token === undefined || !token.trail.startsWith(".")) return single(spoken);
  if (token.trail.length > 1) return single(spoken, token.trail.slice(1));
  const ends = next === undefined || next.startsBlock || (maySentenceEnd.test(token.core) && isCapitalized(next.core));
  return single(spoken, ends ? token.trail : token.trail.slice(1));
}

/** Abbreviations that stand for words: Dr., St., e.g., No. 5, Inc., U.S. */
export const readAbbreviation: Classifier = (tokens, index, options) => {
  const token = tokens[index];
  if (token === undefined || token.core.length > 12) return null;
  const { core } = token;
  const glued = /^([A-Za-z]{1,4})\.(\d.*)$/.exec(core);
  const gluedName = lookUp(beforeNumber, glued?.[1] ?? "");
  if (gluedName !== undefined) return single(`${gluedName} ${options.read(glued?.[2] ?? "")}`);
  const stopped = token.trail.startsWith(".");
  const fixed = lookUp(always, core) ?? (stopped ? lookUp(withStop, core) : undefined);
  if (fixed !== undefined) return read(tokens, index, fixed);
  if (stopped && numberLike.test(tokens[index + 1]?.core ?? "")) {
    const counted = lookUp(beforeNumber, core);
    if (counted !== undefined) return single(counted, token.trail.slice(1));
  }
  if (core === "Dr" || core === "St") return readTitleOrStreet(tokens, index, stopped);
  if (capitalsAndCapitals.test(core)) return single([...core].join("-").replaceAll("-&-", " and "));
  if (initialism.test(core)) return read(tokens, index, core.replaceAll(".", "-").toUpperCase());
  return readInitial(tokens, index);
};

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/**
 * "Dr." and "St." are Drive and Street behind a name that nothing follows, or in an address with a house number; else
 * Doctor and Saint.
 */
function readTitleOrStreet(tokens: readonly Token[], index: number, stopped: boolean): ReturnType<Classifier> {
  const token = tokens[index];
  const previous = tokens[index - 1];
  const next = tokens[index + 1];
  const afterStop = token?.trail.slice(1) ?? "";
  const nameBefore =
    previous !== undefined &&
    previous.trail === "" &&
    (isCapitalized(previous.core) || /^\d+(?:st|nd|rd|th)$/.test(previous.core));
  const houseNumber = [2, 3].some((back) => /^\d+[A-Za-z]?$/.test(tokens[index - back]?.core ?? ""));
  const nameAfter = isCapitalized(next?.core) && afterStop === "" && next?.startsBlock === false;
  const isRoad = nameBefore && (houseNumber || !nameAfter);
  if (isRoad) return read(tokens, index, token?.core === "Dr" ? "Drive" : "Street");
  if (!nameAfter || (!stopped && token?.trail !== "")) return null;
  return single(token?.core === "Dr" ? "Doctor" : "Saint", afterStop);
}

/** A name's initial loses its stop: "J. Smith" has no pause. */
function readInitial(tokens: readonly Token[], index: number): ReturnType<Classifier> {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (
    token === undefined ||
    !/^\p{Lu}$/u.test(token.core) ||
    token.trail !== "." ||
    next === undefined ||
    next.startsBlock
  )
    return null;
  const previous = tokens[index - 1];
  const startsName =
    previous === undefined || /[.!?]$/.test(previous.trail) || (isCapitalized(previous.core) && previous.trail === "");
  const common = new Set([
    "plan",
    "vitamin",
    "section",
    "type",
    "class",
    "grade",
    "hepatitis",
    "part",
    "option",
    "group",
  ]);
  return startsName && isCapitalized(next.core) && !common.has(lowerCore(tokens, index - 1))
    ? single(token.core, "")
    : null;
}
