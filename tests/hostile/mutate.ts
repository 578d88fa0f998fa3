/** Format-neutral damage: the same seed always makes the same file. */

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

/** Cases of a hostile suite in `npm test`. With fixed seeds more of them every time would find nothing new. */
const QUICK_CASES = 3_000;

/**
 * Cases of a hostile suite: a few in `npm test`, `long` in `npm run test:long`. HOSTILE_CASES overrides both
 * (`scripts/fuzz.mjs` sets it).
 */
export function hostileCases(long = 20_000): number {
  const usual = process.env['TEST_LONG'] ? long : Math.min(long, QUICK_CASES);
  return Number(process.env['HOSTILE_CASES'] ?? usual);
}

/** The file cut at every 1/`parts` of its length. */
export function* truncations(bytes: Uint8Array, parts = 64): Generator<Uint8Array> {
  for (let n = 0; n < parts; n++) yield bytes.slice(0, Math.floor((bytes.length * n) / parts));
}

/** Values at which sizes, counts and offsets go wrong. */
export const EDGE_VALUES = [
  0, 1, 2, 3, 7, 8, 9, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
] as const;

const WORDS = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff8, 0x10000, 0xffff, 0x100];
const BYTES = [0, 1, 0x20, 0x3c, 0x7f, 0x80, 0xfe, 0xff];

type Bytes = Uint8Array<ArrayBuffer>;
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
