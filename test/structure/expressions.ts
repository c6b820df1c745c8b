/** A regular expression as it stands in a source. */
export interface Expression {
  source: string;
  flags: string;
  /** Line in the source, from 1. */
  line: number;
}

/** After these words an operand follows, so that a slash begins an expression. */
const wordsBeforeOperands = new Set(
  "await case delete do else in instanceof new of return throw typeof void yield".split(" "),
);

const wordsBeforeConditions = new Set(["if", "while", "for"]);

/**
 * The regular expression literals of TypeScript source, by reading it as the language's own lexer does: comments,
 * strings and templates are passed over, and a slash is a division after an operand and begins an expression elsewhere.
 * What stands before it does not decide after `}`: there it is a division, and a line on which it could be an
 * expression is refused. Throws for what cannot be read.
 */
export function literalsOf(text: string): Expression[] {
  const found: Expression[] = [];
  /** Braces that are open within the templates that are open, the innermost last. */
  const templates: number[] = [];
  /** For each parenthesis that is open: whether what follows its end is a statement, as after `if (…)`. */
  const parentheses: boolean[] = [];
  let before = "";
  let at = 0;
  const lineOf = (index: number): number => text.slice(0, index).split("\n").length;
  const fail = (what: string): never => {
    throw new SyntaxError(`${what} in line ${lineOf(at)}`);
  };
  const passTemplate = (): void => {
    for (at++; text[at] !== "`"; at++) {
      if (at >= text.length) fail("an unfinished template");
      if (text[at] === "\\") at++;
      else if (text.startsWith("${", at)) {
        templates.push(0);
        at += 2;
        before = "";
        return;
      }
    }
    at++;
    before = "`";
  };
  while (at < text.length) {
    const character = text.charAt(at);
    if (/\s/.test(character)) at++;
    else if (text.startsWith("//", at)) at = endOf(text, "\n", at);
    else if (text.startsWith("/*", at)) at = endOf(text, "*/", at + 2) + 2;
    else if (character === '"' || character === "'") {
      at = endOfString(text, at);
      before = character;
    } else if (character === "`") passTemplate();
    else if (character === "/" && !endsOperand(before)) {
      const end = endOfExpression(text, at);
      if (end === -1) fail("an unfinished expression");
      const [flags = ""] = /^[a-z]*/.exec(text.slice(end)) ?? [];
      found.push({ source: text.slice(at + 1, end - 1), flags, line: lineOf(at) });
      at = end + flags.length;
      before = "/";
    } else if (character === "/") {
      if (before === "}" && endOfExpression(text, at) !== -1) fail("a slash that could be a division or an expression");
      at++;
      before = "+";
    } else if (/[\w$#@\u0080-\uffff]/.test(character)) {
      const [word = ""] = /^[\w$#@\u0080-\uffff]+/.exec(text.slice(at, at + 200)) ?? [];
      at += word.length;
      before = word;
    } else {
      const open = templates.at(-1);
      if (character === "{" && open !== undefined) templates[templates.length - 1] = open + 1;
      if (character === "}" && open === 0) {
        templates.pop();
        passTemplate();
        continue;
      }
      if (character === "}" && open !== undefined) templates[templates.length - 1] = open - 1;
      if (character === "(") parentheses.push(wordsBeforeConditions.has(before));
      // What follows a condition begins as after a semicolon; `!` after an operand asserts that it is there.
      if (character === ")" && parentheses.pop() === true) before = ";";
      else if (!(character === "!" && endsOperand(before))) before = character;
      at++;
    }
  }
  return found;
}

function endsOperand(before: string): boolean {
  if (before === "") return false;
  return /^[\w$#@\u0080-\uffff]/.test(before) ? !wordsBeforeOperands.has(before) : ")]}\"'`/".includes(before);
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? text.length : end;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** The index behind the closing slash; -1 when the line has none. */
function endOfExpression(text: string, start: number): number {
  let isClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") isClass = true;
    else if (text[at] === "]") isClass = false;
    else if (text[at] === "/" && !isClass) return at + 1;
  }
  return -1;
}

/** More ways than these to match at one place are the checker's matter. */
const MOST_WAYS = 1000;

/**
 * Whether an expression can match in few ways at each place of a text, each of bounded length: its time then grows with
 * the text and no faster, and no checker needs to say so. False where that takes more than a look.
 */
export function isBounded(source: string, flags: string): boolean {
  // In these, classes have classes in them.
  if (flags.includes("v")) return false;
  // Without the flag these are letters, and what stands in the braces repeats them.
  if (!flags.includes("u") && /\\[pPu]\{/.test(source)) return false;
  const frame = source
    .replace(/\\[pPuk][{<][^}>]*[}>]|\\.|\[(?:\\.|[^\]\\])*\]/gsu, ".")
    .replace(/\(\?(?:<?[=!]|:|<\w+>)/g, "(");
  if (/[*+]|\{\d+,\}|\)\{/.test(frame)) return false;
  let ways = 1;
  for (const [quantifier, most] of frame.matchAll(/[?|]|\{(?:\d+,)?(\d+)\}/g))
    ways *= quantifier.length === 1 ? 2 : Number(most) + 1;
  return ways <= MOST_WAYS;
}
