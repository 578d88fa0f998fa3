/** Format-neutral damage, the same for the same seed, and what a reader may make of it. */
import { expect } from 'vitest';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { expectHonest, expectSane, readHonestly } from '../support/honest.js';
import { type JudgeOptions, judge, type Truth, truthOf } from '../support/truth.js';

/** Numbers in [0, 1), always the same ones for a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `npm run test:long`. */
export const IS_LONG = Boolean(process.env['TEST_LONG']);

/** Cases of a hostile suite in `npm test`. With fixed seeds more of them every time would find nothing new. */
const QUICK_CASES = 300;

/**
 * Cases of a hostile suite: a few in `npm test`, `long` in `npm run test:long`. HOSTILE_CASES overrides both
 * (`scripts/fuzz.mjs` sets it).
 */
export function hostileCases(long = 20_000): number {
  const usual = IS_LONG ? long : Math.min(long, QUICK_CASES);
  return Number(process.env['HOSTILE_CASES'] ?? usual);
}

type Bytes = Uint8Array<ArrayBuffer>;
type Open<T extends Uint8Array = Bytes> = (bytes: T) => Acquisition | Promise<Acquisition>;
type Outcome = 'refused' | 'opened';

/** Reads what is in reach of a damaged file; what is no honest answer is thrown with the number of the case. */
export async function honest(label: number | string, open: () => Acquisition | Promise<Acquisition>): Promise<Outcome> {
  try {
    return await readHonestly(open);
  } catch (error) {
    throw new Error(`case ${label}: ${(error as Error).stack}`);
  }
}

/** Planes of a damaged file that are held against the truth; a damaged count may announce a million. */
const MAX_PLANES = 12;

/** A file that is whole, and what damaged copies of it may show: see `tests/support/truth.ts`. */
export class Witness {
  private readonly whole: Uint8Array;
  private readonly open: Open<Uint8Array>;
  private readonly truth: Truth;
  private readonly options: JudgeOptions;

  private constructor(whole: Uint8Array, open: Open<Uint8Array>, truth: Truth, options: JudgeOptions) {
    this.whole = whole;
    this.open = open;
    this.truth = truth;
    this.options = options;
  }

  static async of(whole: Uint8Array, open: Open<Uint8Array>, options: JudgeOptions = {}): Promise<Witness> {
    return new Witness(whole, open, await truthOf(await open(whole)), { maxPlanes: MAX_PLANES, ...options });
  }

  /** Every plane of a file that is cut off is a true one. */
  async expectTrueCuts(lengths: Iterable<number>): Promise<void> {
    const faults: string[] = [];
    for (const length of lengths) {
      const found = await this.faultsOf(this.whole.slice(0, length), []);
      faults.push(...found.map((fault) => `cut at ${length} of ${this.whole.length}: ${fault}`));
    }
    expect(faults.slice(0, 10)).toEqual([]);
  }

  /**
   * With a few bytes changed, planes are true but for the samples that were hit.
   * @param blind share of the cases in which they may not be: what was hit has no second witness in the file, neither a
   * checksum nor a field that contradicts it
   */
  async expectTrueChanges(cases: number, blind = 0): Promise<void> {
    const invented: string[] = [];
    for (let seed = 0; seed < cases; seed++) {
      const { bytes, changed } = changeBytes(this.whole, seed);
      const [fault] = await this.faultsOf(bytes, changed).catch((error: Error) => {
        throw new Error(`change ${seed}: ${error.stack}`);
      });
      if (fault) invented.push(`change ${seed}: ${fault}`);
    }
    if (invented.length > Math.ceil(cases * blind)) expect(invented).toEqual([]);
  }

  private async faultsOf(bytes: Bytes, changed: readonly number[]): Promise<string[]> {
    let acquisition: Acquisition;
    try {
      acquisition = await this.open(bytes);
    } catch (error) {
      expectHonest(error);
      return [];
    }
    for (const scene of acquisition.info.scenes) expectSane(scene);
    return (await judge(acquisition, this.truth, { ...this.options, changed })).faults;
  }
}

/** Lengths of the file cut at every 1/`long`; in `npm test` at a quarter of these places. */
export function* cutLengths({ length }: Uint8Array, long: number): Generator<number> {
  const parts = IS_LONG ? long : long / 4;
  for (let n = 0; n < parts; n++) yield Math.floor((length * n) / parts);
}

/** Values at which sizes, counts and offsets go wrong. */
export const EDGE_VALUES = [
  0, 1, 2, 3, 7, 8, 9, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
] as const;

const WORDS = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000, 0xffff, 0x100];
const BYTES = [0, 1, 0x20, 0x3c, 0x7f, 0x80, 0xfe, 0xff];

type Mutator = (bytes: Bytes, random: () => number) => Bytes;

const MUTATORS: Mutator[] = [
  flipBit,
  setByte,
  setWord,
  setWord,
  addToWord,
  copyWord,
  truncate,
  removeRange,
  repeatRange,
  swapRanges,
  zeroRange,
  fillRange,
];

const IN_PLACE: Mutator[] = [flipBit, flipBit, setByte, setWord, addToWord];

/** A damaged copy: one to four kinds of damage at places that the seed chooses. */
export function mutate(original: Uint8Array, seed: number): Bytes {
  const random = randomNumbers(seed);
  let bytes: Bytes = new Uint8Array(original);
  const times = 1 + below(random, 4);
  for (let i = 0; i < times && bytes.length > 8; i++) {
    bytes = (MUTATORS[below(random, MUTATORS.length)] as Mutator)(bytes, random);
  }
  return bytes;
}

/** A copy of the same length with a few other bytes, and the values of these. */
function changeBytes(original: Uint8Array, seed: number): { bytes: Bytes; changed: number[] } {
  const random = randomNumbers(seed);
  const bytes: Bytes = new Uint8Array(original);
  for (let n = 1 + below(random, 3); n > 0; n--) (IN_PLACE[below(random, IN_PLACE.length)] as Mutator)(bytes, random);
  return { bytes, changed: [...bytes].filter((value, i) => value !== original[i]) };
}

function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit);
}

/** Half of the places lie in the first and the last 256 bytes, where headers and directories are. */
function place(bytes: Uint8Array, random: () => number, width: number): number {
  const room = Math.max(1, bytes.length - width);
  const where = random();
  if (where < 0.25) return below(random, Math.min(256, room));
  if (where < 0.5) return room - 1 - below(random, Math.min(256, room));
  return below(random, room);
}

function flipBit(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 1);
  bytes[at] = (bytes[at] as number) ^ (1 << below(random, 8));
  return bytes;
}

function setByte(bytes: Bytes, random: () => number): Bytes {
  bytes[place(bytes, random, 1)] = BYTES[below(random, BYTES.length)] as number;
  return bytes;
}

function setWord(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 4);
  new DataView(bytes.buffer).setUint32(at, WORDS[below(random, WORDS.length)] as number, random() < 0.7);
  return bytes;
}

function addToWord(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(at, view.getUint32(at, true) + below(random, 65) - 32, true);
  return bytes;
}

function copyWord(bytes: Bytes, random: () => number): Bytes {
  const from = place(bytes, random, 4);
  bytes.copyWithin(place(bytes, random, 4), from, from + 4);
  return bytes;
}

function truncate(bytes: Bytes, random: () => number): Bytes {
  return bytes.slice(0, 1 + place(bytes, random, 1));
}

function removeRange(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 1);
  const length = 1 + below(random, 64);
  const out = new Uint8Array(Math.max(1, bytes.length - Math.min(length, bytes.length - at)));
  out.set(bytes.subarray(0, at));
  out.set(bytes.subarray(at + length, at + length + out.length - at), at);
  return out;
}

function repeatRange(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 1);
  const range = bytes.slice(at, at + 1 + below(random, 128));
  const out = new Uint8Array(bytes.length + range.length);
  out.set(bytes.subarray(0, at));
  out.set(range, at);
  out.set(bytes.subarray(at), at + range.length);
  return out;
}

function swapRanges(bytes: Bytes, random: () => number): Bytes {
  const length = 1 + below(random, 64);
  const [a, b] = [place(bytes, random, length), place(bytes, random, length)];
  const first = bytes.slice(a, a + length);
  bytes.copyWithin(a, b, b + length);
  bytes.set(first.subarray(0, bytes.length - b), b);
  return bytes;
}

function zeroRange(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 1);
  return bytes.fill(0, at, at + 1 + below(random, 64));
}

function fillRange(bytes: Bytes, random: () => number): Bytes {
  const at = place(bytes, random, 1);
  const end = Math.min(bytes.length, at + 1 + below(random, 64));
  for (let i = at; i < end; i++) bytes[i] = below(random, 256);
  return bytes;
}
