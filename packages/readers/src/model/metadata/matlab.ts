/**
 * A MATLAB literal as ScanImage prints it: `0.5`, `true`, `'text'`, `[1 2;3 4]`, `{'a' 'b'}`, `zeros(0,1)`, `NaN`, `Inf`.
 * Anything else (function handles, class names) is kept as text.
 */
export type MatlabValue = number | boolean | string | MatlabArray;

/** A matrix or cell array, row by row. */
export interface MatlabArray {
  rows: MatlabValue[][];
}

const MAX_DEPTH = 16;
/** The longest real lists (masks of resonant scanners) have a few thousand. */
const MAX_ELEMENTS = 1_000_000;
const MAX_RANGE = 65_536;

/** Parses one literal. Never throws: an unknown literal is returned as its text. */
export function parseMatlab(text: string): MatlabValue {
  const trimmed = text.trim();
  if (!/^[[{'"]/.test(trimmed)) return parseScalar(trimmed);
  const parser = new Parser(trimmed);
  const value = parser.value(0);
  return value === undefined || !parser.atEnd() ? trimmed : value;
}

/** Returns all numbers of a value in reading order. Skips text and nested cells; booleans are 0 and 1. */
export function numbersOf(value: MatlabValue | undefined): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'boolean') return [value ? 1 : 0];
  if (typeof value !== 'object') return [];
  return value.rows.flat().flatMap((element) => (typeof element === 'object' ? [] : numbersOf(element)));
}

/** Returns all texts of a value in reading order. */
export function textsOf(value: MatlabValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' ? value.rows.flat().filter((element) => typeof element === 'string') : [];
}

function parseScalar(text: string): MatlabValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/^(zeros|ones|cell)\(/.test(text)) return { rows: [] };
  const range = /^(\d{1,9}):(\d{1,9})$/.exec(text);
  if (!range) return text;
  const [from, to] = [Number(range[1]), Number(range[2])];
  if (to - from >= MAX_RANGE) return text;
  return { rows: [Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)] };
}

class Parser {
  private readonly text: string;
  private at = 0;
  private elements = 0;

  constructor(text: string) {
    this.text = text;
  }

  atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Returns `undefined` if there is no literal, or if it is too deep or too long. */
  value(depth: number): MatlabValue | undefined {
    const first = this.text[this.at];
    if (depth > MAX_DEPTH || ++this.elements > MAX_ELEMENTS) return undefined;
    if (first === '[') return this.array(']', depth);
    if (first === '{') return this.array('}', depth);
    if (first === "'" || first === '"') return this.quoted(first);
    const token = /[^\s,;[\]{}]+/y;
    token.lastIndex = this.at;
    const match = token.exec(this.text);
    if (!match) return undefined;
    this.at += match[0].length;
    return parseScalar(match[0]);
  }

  private array(close: string, depth: number): MatlabArray | undefined {
    this.at++;
    const rows: MatlabValue[][] = [];
    let row: MatlabValue[] = [];
    while (!this.atEnd()) {
      const next = this.text[this.at]!;
      if (next === close || next === ';') {
        this.at++;
        if (row.length > 0) rows.push(row);
        if (next === close) return { rows };
        row = [];
      } else if (/[\s,]/.test(next)) this.at++;
      else {
        const element = this.value(depth + 1);
        if (element === undefined) return undefined;
        row.push(element);
      }
    }
    return undefined;
  }

  /** Quotes inside are doubled. */
  private quoted(quote: string): string | undefined {
    let out = '';
    for (;;) {
      const end = this.text.indexOf(quote, this.at + 1);
      if (end < 0) return undefined;
      out += this.text.slice(this.at + 1, end);
      this.at = end + 1;
      if (this.text[this.at] !== quote) return out;
      out += quote;
    }
  }
}
