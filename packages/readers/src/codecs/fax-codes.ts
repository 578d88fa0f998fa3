/**
 * Codes of runs (ITU-T T.4, tables 2 and 3): white and black runs of 0 to 63 pixels, then of 64 to 1,728 in steps of 64. Codes of a
 * length are often consecutive, so most are written as `first×count`: that many codes, each by one higher.
 */
const WHITE =
  '00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 0100111 ' +
  '0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010×2 00011010×2 00010010×6 00101000×6 ' +
  '00000100×2 00001010×2 01010010×4 00100100×2 01011000×4 01001010×2 00110010×3 ' +
  '11011 10010 010111 0110111 00110110×2 01100100×2 01101000 01100111 011001100×2 011010010×10 010011000×3 011000 010011011';
const BLACK =
  '0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 ' +
  '0000011000 0000001000 00001100111×2 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010×4 ' +
  '000001101000×4 000011010010×6 000001101100×2 000011011010×2 000001010100×4 000001100100×2 000001010010×2 000000100100 ' +
  '000000110111 000000111000 000000100111 000000101000 000001011000×2 000000101011 000000101100 000001011010 000001100110×2 ' +
  '0000001111 000011001000×2 000001011011 000000110011×3 0000001101100×2 0000001001010×4 0000001110010×6 0000001010010×4 ' +
  '0000001011010×2 0000001100100×2';
/** Runs of 1,792 to 2,560 of either color. */
const LONG = '00000001000 00000001100×2 000000010010×6 000000011100×4';

/** The longest code of a run, in bits. */
export const MAX_CODE_BITS = 13;

/**
 * The runs of a color by the next 13 bits: `run × 16 + bits of its code`, 0 where no code begins that way. Runs of 64 and more are
 * followed by further codes of the same color.
 */
export type RunTable = Uint16Array;

export const WHITE_RUNS: RunTable = tableOf(WHITE);
export const BLACK_RUNS: RunTable = tableOf(BLACK);

function tableOf(codes: string): RunTable {
  const table = new Uint16Array(2 ** MAX_CODE_BITS);
  for (const [index, code] of expand(`${codes} ${LONG}`).entries()) {
    const run = index < 64 ? index : (index - 63) * 64;
    const spare = MAX_CODE_BITS - code.length;
    const first = Number.parseInt(code, 2) << spare;
    table.fill(run * 16 + code.length, first, first + 2 ** spare);
  }
  return table;
}

function expand(codes: string): string[] {
  return codes.split(' ').flatMap((entry) => {
    const [first = '', count = '1'] = entry.split('×');
    return Array.from({ length: Number(count) }, (_, i) =>
      (Number.parseInt(first, 2) + i).toString(2).padStart(first.length, '0'),
    );
  });
}
