/**
 * The inverse cosine transform of 8 × 8 coefficients in whole numbers, after Loeffler, Ligtenberg and Moschytz (1989), with 13 bits
 * behind the point. It gives the samples of libjpeg's accurate transform, to the bit.
 */
export class InverseTransform {
  private readonly work = new Int32Array(64);
  private readonly bitsKept: number;
  private readonly center: number;
  private readonly highest: number;

  /** @param bits of a sample, 8 or 12 */
  constructor(bits: number) {
    this.bitsKept = bits === 8 ? 2 : 1;
    this.center = 2 ** (bits - 1);
    this.highest = 2 ** bits - 1;
  }

  /** Writes the samples of a block, `stride` apart from row to row. */
  write(
    coefficients: Int16Array,
    from: number,
    table: Uint16Array,
    { to, at, stride }: { to: Uint8Array | Uint16Array; at: number; stride: number },
  ): void {
    const { work, bitsKept, center, highest } = this;
    for (let i = 0; i < 64; i++) work[i] = Math.imul(coefficients[from + i]!, table[i]!);
    for (let x = 0; x < 8; x++) transform(work, x, 8, 13 - bitsKept);
    for (let y = 0; y < 8; y++) {
      transform(work, y * 8, 1, 13 + bitsKept + 3);
      for (let x = 0; x < 8; x++) {
        const sample = work[y * 8 + x]! + center;
        to[at + y * stride + x] = sample < 0 ? 0 : sample > highest ? highest : sample;
      }
    }
  }
}

/** Factors × 2^13. */
const F = {
  c0_298: 2446,
  c0_390: 3196,
  c0_541: 4433,
  c0_765: 6270,
  c0_899: 7373,
  c1_175: 9633,
  c1_501: 12_299,
  c1_847: 15_137,
  c1_961: 16_069,
  c2_053: 16_819,
  c2_562: 20_995,
  c3_072: 25_172,
};

/** Transforms 8 numbers in place and drops `drop` bits, rounded. */
function transform(work: Int32Array, at: number, step: number, drop: number): void {
  const round = 2 ** (drop - 1);
  const [a2, a6] = [work[at + 2 * step]!, work[at + 6 * step]!];
  const shared = Math.imul(a2 + a6, F.c0_541);
  const low = shared - Math.imul(a6, F.c1_847);
  const high = shared + Math.imul(a2, F.c0_765);
  const sum = (work[at]! + work[at + 4 * step]!) << 13;
  const difference = (work[at]! - work[at + 4 * step]!) << 13;
  const [e0, e1, e2, e3] = [sum + high, difference + low, difference - low, sum - high];

  const [a7, a5, a3, a1] = [work[at + 7 * step]!, work[at + 5 * step]!, work[at + 3 * step]!, work[at + step]!];
  const all = Math.imul(a7 + a3 + a5 + a1, F.c1_175);
  const z1 = -Math.imul(a7 + a1, F.c0_899);
  const z2 = -Math.imul(a5 + a3, F.c2_562);
  const z3 = all - Math.imul(a7 + a3, F.c1_961);
  const z4 = all - Math.imul(a5 + a1, F.c0_390);
  const o3 = Math.imul(a7, F.c0_298) + z1 + z3;
  const o2 = Math.imul(a5, F.c2_053) + z2 + z4;
  const o1 = Math.imul(a3, F.c3_072) + z2 + z3;
  const o0 = Math.imul(a1, F.c1_501) + z1 + z4;

  work[at] = (e0 + o0 + round) >> drop;
  work[at + 7 * step] = (e0 - o0 + round) >> drop;
  work[at + step] = (e1 + o1 + round) >> drop;
  work[at + 6 * step] = (e1 - o1 + round) >> drop;
  work[at + 2 * step] = (e2 + o2 + round) >> drop;
  work[at + 5 * step] = (e2 - o2 + round) >> drop;
  work[at + 3 * step] = (e3 + o3 + round) >> drop;
  work[at + 4 * step] = (e3 - o3 + round) >> drop;
}
