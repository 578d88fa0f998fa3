/** Text in the fonts that every PDF reader has: Helvetica or Times, and Symbol for Greek letters. */

/** Widths of the characters from space to tilde, in thousandths of the size (Adobe font metrics). */
const REGULAR =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 ' +
  '1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 ' +
  '333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584';
const BOLD =
  '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 ' +
  '975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 ' +
  '333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584';
const SERIF =
  '250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 500 278 278 564 564 ' +
  '564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 333 ' +
  '278 333 469 500 333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 ' +
  '444 480 200 480 541';
const SERIF_BOLD =
  '250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 500 500 500 500 500 333 333 570 570 ' +
  '570 500 930 722 667 722 722 667 611 778 778 389 500 778 667 944 722 778 611 778 722 556 667 722 722 1000 722 722 667 333 ' +
  '278 333 581 500 333 500 556 444 556 444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 333 556 500 722 500 500 ' +
  '444 394 220 394 520';
const toNumbers = (widths: string) => widths.split(' ').map(Number);
const WIDTHS = {
  sans: { regular: toNumbers(REGULAR), bold: toNumbers(BOLD) },
  serif: { regular: toNumbers(SERIF), bold: toNumbers(SERIF_BOLD) },
};
const SPECIAL_WIDTHS: Readonly<Record<keyof typeof WIDTHS, Readonly<Record<string, number>>>> = {
  sans: { '·': 278, '²': 333, '³': 333, '°': 400, '±': 584, '×': 584, '…': 1000, '₀': 556, '−': 556, '–': 556 },
  serif: { '·': 250, '²': 300, '³': 300, '°': 400, '±': 564, '×': 564, '…': 1000, '₀': 500, '−': 500, '–': 500 },
};

/** Codes of WinAnsi that Latin-1 does not have. A minus sign becomes an en dash, and a lowered 0 stands on the line. */
const CODES: Readonly<Record<string, number>> = {
  '−': 0x96,
  '–': 0x96,
  '—': 0x97,
  '…': 0x85,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '€': 0x80,
  μ: 0xb5,
  '₀': 0x30,
};
const GREEK = 'αβχδεφγηικλνοπθρστυωξψζΔΦΓΛΠΘΣΩΞΨ';
const SYMBOL = 'abcdefghiklnopqrstuwxyzDFGLPQSWXY';
const OTHER = { sans: 556, serif: 500 } as const;

/** A stretch of text in one font; `codes` are its bytes. */
export interface PdfRun {
  readonly symbol: boolean;
  readonly codes: readonly number[];
}

/** @throws Error for a letter that these fonts do not have */
export function pdfRuns(text: string): PdfRun[] {
  const runs: { symbol: boolean; codes: number[] }[] = [];
  for (const letter of text) {
    const greek = GREEK.indexOf(letter);
    const code = greek >= 0 ? SYMBOL.charCodeAt(greek) : winAnsi(letter);
    const symbol = greek >= 0;
    if (runs.at(-1)?.symbol === symbol) runs.at(-1)!.codes.push(code);
    else runs.push({ symbol, codes: [code] });
  }
  return runs;
}

function winAnsi(letter: string): number {
  const code = CODES[letter] ?? letter.codePointAt(0)!;
  if (CODES[letter] !== undefined || (code >= 32 && code < 127) || (code >= 160 && code < 256)) return code;
  throw new Error(`The fonts of a PDF do not have the letter “${letter}”. Save the figure as SVG.`);
}

interface PdfFont {
  readonly bold: boolean;
  readonly serif?: boolean;
}

/** Returns the width of a text of size 1. */
export function pdfWidth(text: string, { bold, serif = false }: PdfFont): number {
  const family = serif ? 'serif' : 'sans';
  const widths = WIDTHS[family][bold ? 'bold' : 'regular'];
  let sum = 0;
  for (const letter of text) {
    // Accents do not change the width of a letter.
    const base = letter.normalize('NFD').charCodeAt(0) - 32;
    sum += SPECIAL_WIDTHS[family][letter] ?? widths[base] ?? OTHER[family];
  }
  return sum / 1000;
}
