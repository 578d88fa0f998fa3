/**
 * Writes small WebAssembly modules (WebAssembly core specification 2.0, binary format): functions over one memory that
 * take and return i32. An expression is the code that leaves its value on the stack.
 */

/** Bytes of code, with jumps whose depth depends on where they are. */
export type Code = number | readonly Code[] | Region | Jump;

interface Region {
  region: number;
  label: Label;
  body: Code;
  otherwise?: Code;
}

interface Jump {
  jump: number;
  to: Label;
}

/** A place to jump to. */
class Label {}

const OP = { block: 0x02, loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, br: 0x0c, brIf: 0x0d, return: 0x0f };
const TYPE = { i32: 0x7f, i64: 0x7e, v128: 0x7b, function: 0x60, empty: 0x40 };

/** Encodes an unsigned number (LEB128). */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const more = rest > 127;
    bytes.push((rest & 127) | (more ? 128 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

/** Encodes a signed number of 32 bits (LEB128). */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 127;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
    bytes.push(isLast ? low : low | 128);
    if (isLast) return bytes;
  }
}

const join = (...parts: readonly (Uint8Array | number[])[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const section = (id: number, body: Uint8Array) => join([id], unsigned(body.length), body);
const list = (items: readonly (Uint8Array | number[])[]) => join(unsigned(items.length), ...items);
const text = (value: string) =>
  join(
    unsigned(value.length),
    Array.from(value, (letter) => letter.charCodeAt(0)),
  );

/** A parameter or local variable. */
export class Local {
  readonly get: Code;
  private readonly index: number;

  constructor(index: number) {
    this.index = index;
    this.get = [0x20, ...unsigned(index)];
  }

  set(value: Code): Code {
    return [value, 0x21, ...unsigned(this.index)];
  }

  /** Adds a number, or the value of an expression. */
  add(value: Code | number): Code {
    return this.set(add(this.get, typeof value === 'number' ? i32(value) : value));
  }
}

/** All functions have four parameters. */
const PARAMETERS = 4;

/** One function: declare its variables, then give it its body. */
export class WasmFunction {
  readonly name: string;
  readonly parameters: readonly [Local, Local, Local, Local] = [new Local(0), new Local(1), new Local(2), new Local(3)];
  private readonly types: number[] = [];
  private body: Code = [];

  constructor(name: string) {
    this.name = name;
  }

  local(type: 'i32' | 'i64' | 'v128' = 'i32'): Local {
    this.types.push(TYPE[type]);
    return new Local(PARAMETERS + this.types.length - 1);
  }

  /** Declares vectors. */
  vectors(count: number): Local[] {
    return Array.from({ length: count }, () => this.local('v128'));
  }

  /** Sets the body, which leaves the result on the stack. */
  define(body: Code): this {
    this.body = body;
    return this;
  }

  get encoded(): Uint8Array {
    const code: number[] = [];
    encode(this.body, [], code);
    const body = join(list(this.types.map((type) => [1, type])), code, [OP.end]);
    return join(unsigned(body.length), body);
  }
}

/** Appends code to `out`, with jumps resolved. @param labels of the enclosing regions, outermost first */
function encode(code: Code, labels: Label[], out: number[]): void {
  if (typeof code === 'number') {
    out.push(code);
  } else if (isSequence(code)) {
    for (const part of code) encode(part, labels, out);
  } else if ('jump' in code) {
    out.push(code.jump, ...unsigned(labels.length - 1 - labels.lastIndexOf(code.to)));
  } else {
    labels.push(code.label);
    out.push(code.region, TYPE.empty);
    encode(code.body, labels, out);
    if (code.otherwise !== undefined) {
      out.push(OP.else);
      encode(code.otherwise, labels, out);
    }
    out.push(OP.end);
    labels.pop();
  }
}

function isSequence(code: Code): code is readonly Code[] {
  return Array.isArray(code);
}

/** Returns a module that exports the functions, and imports its memory as `env.memory`. */
export function assemble(functions: readonly WasmFunction[]): Uint8Array {
  const types = list(new Array(PARAMETERS).fill([TYPE.i32]));
  const signature = join([TYPE.function], types, list([[TYPE.i32]]));
  const memory = join(text('env'), text('memory'), [0x02, 0x00], unsigned(1));
  return join(
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(1, list([signature])),
    section(2, list([memory])),
    section(3, list(functions.map(() => [0]))),
    section(7, list(functions.map(({ name }, i) => join(text(name), [0x00], unsigned(i))))),
    section(10, list(functions.map(({ encoded }) => encoded))),
  );
}

export const i32 = (value: number): Code => [0x41, ...signed(value)];

const binary =
  (op: number) =>
  (a: Code, b: Code): Code => [a, b, op];
export const add = binary(0x6a);
export const subtract = binary(0x6b);
export const multiply = binary(0x6c);
export const and = binary(0x71);
export const or = binary(0x72);
export const shiftLeft = binary(0x74);
export const shiftRight = binary(0x76);
export const xor = binary(0x73);
export const remainder = binary(0x70);
export const equal = binary(0x46);
/** True for numbers below zero, which have the highest bit. */
export const isNegative = (value: Code): Code => [value, i32(0), 0x48];
/** Comparisons of unsigned numbers. */
export const below = binary(0x49);
export const above = binary(0x4b);
export const atLeast = binary(0x4f);
export const isZero = (value: Code): Code => [value, 0x45];

/** Runs `then` if the condition holds. */
export const when = (condition: Code, then: Code, otherwise?: Code): Code => [
  condition,
  { region: OP.if, label: new Label(), body: then, ...(otherwise === undefined ? {} : { otherwise }) },
];
/** Repeats the body while the condition, computed after it, holds. */
export const repeatWhile = (condition: Code, body: Code): Code => {
  const again = new Label();
  return { region: OP.loop, label: again, body: [body, condition, { jump: OP.brIf, to: again }] };
};
/** Repeats the body until it returns from the function. */
export const forever = (body: (again: Code) => Code): Code => {
  const label = new Label();
  const again = { jump: OP.br, to: label };
  return { region: OP.loop, label, body: [body(again), again] };
};
export const giveBack = (value: Code): Code => [value, OP.return];

const memoryAccess =
  (...op: number[]) =>
  (address: Code, offset = 0): Code => [address, ...op, 0, ...unsigned(offset)];
export const load8 = memoryAccess(0x2d);
export const load16 = memoryAccess(0x2f);
export const load32 = memoryAccess(0x28);
export const loadVector = memoryAccess(0xfd, 0x00);
const storeVectorAt = memoryAccess(0xfd, 0x0b);

/** Stores 16 bytes. */
export const storeVector = (address: Code, value: Code, offset = 0): Code => {
  const [at, ...op] = storeVectorAt(address, offset) as readonly Code[];
  return [at!, value, op];
};
/** Stores the lowest two bytes. */
export const store32 = (address: Code, value: Code, offset = 0): Code => [address, value, 0x36, 0, ...unsigned(offset)];
export const store16 = (address: Code, value: Code, offset = 0): Code => [address, value, 0x3b, 0, ...unsigned(offset)];
/** Numbers of 64 bits; the lowest six bits of `b` are the distance of a shift. */
export const load64 = memoryAccess(0x29);
const long = (value: Code): Code => [value, 0xad];
export const lowWord = (value: Code): Code => [value, 0xa7];
export const orLong = binary(0x84);
export const shiftLongLeft = (a: Code, b: Code): Code => [a, long(b), 0x86];
export const shiftLongRight = (a: Code, b: Code): Code => [a, long(b), 0x88];
/** Copies `length` bytes (`memory.copy`). */
export const copyBytes = (to: Code, from: Code, length: Code): Code => [to, from, length, 0xfc, 0x0a, 0, 0];

const vectorOp =
  (op: number) =>
  (a: Code, b: Code): Code => [a, b, 0xfd, ...unsigned(op)];
/** Picks bytes of `a` by the indices in `b`. */
export const swizzle = vectorOp(0x0e);
export const vectorAnd = vectorOp(0x4e);
export const vectorOr = vectorOp(0x50);
export const vectorXor = vectorOp(0x51);
/** Samples of 32 bits. The smaller, or larger, of NaN and another number may be either. */
export const floatSubtract = vectorOp(0xe5);
export const floatMin = vectorOp(0xea);
export const floatMax = vectorOp(0xeb);
export const doubleAdd = vectorOp(0xf0);
/** Unsigned integers of 16 bits. */
export const shortMin = vectorOp(0x97);
export const shortMax = vectorOp(0x99);
/** Integers of 8 and 16 bits. */
export const byteAdd = vectorOp(0x6e);
export const shortAdd = vectorOp(0x8e);
/** Integers of 32 bits. */
export const wordAdd = vectorOp(0xae);
/** Converts the two lower samples of 32 bits to 64 bits. */
export const promoteLow = (a: Code): Code => [a, 0xfd, 0x5f];
/** Converts two samples of 64 bits to the lower ones of 32 bits. */
export const demote = (a: Code): Code => [a, 0xfd, 0x5e];
const vectorOf =
  (op: number) =>
  (a: Code): Code => [a, 0xfd, ...unsigned(op)];
/** Convert the four lower, or upper, unsigned integers of 16 bits to 32 bits. */
export const widenLow = vectorOf(0xa9);
export const widenHigh = vectorOf(0xaa);
/** Converts unsigned integers of 32 bits to the nearest float32. */
export const toFloats = vectorOf(0xfb);
/** Add neighboring unsigned integers: pairs of 8 bits to 16, pairs of 16 bits to 32. */
export const pairBytes = vectorOf(0x7d);
export const pairShorts = vectorOf(0x7f);
/** Convert the eight lower, or upper, unsigned integers of 8 bits to 16 bits. */
export const bytesLow = vectorOf(0x89);
export const bytesHigh = vectorOf(0x8a);
/** Multiplies integers of 16 bits, and adds neighboring products. */
export const multiplyPairs = vectorOp(0xba);
/** Returns one of four integers of 32 bits. */
export const word = (a: Code, lane: number): Code => [a, 0xfd, 0x1b, lane];
/** Is 1 when a bit is set. */
export const anyTrue = (a: Code): Code => [a, 0xfd, 0x53];
/** Moves the upper half to the lower one. */
export const highHalf = (a: Code): Code => [a, a, 0xfd, 0x0d, ...halves(8, 8)];
/** Returns the lower halves of two vectors. */
export const joinHalves = (a: Code, b: Code): Code => [a, b, 0xfd, 0x0d, ...halves(0, 16)];
const halves = (low: number, high: number) => Array.from({ length: 16 }, (_, i) => (i < 8 ? low + i : high + i - 8));
/** Shift both halves of 64 bits; `b` is an i32. */
export const shiftLeft64 = vectorOp(0xcb);
export const shiftRight64 = vectorOp(0xcd);
export const vector = (bytes: readonly number[]): Code => [0xfd, 0x0c, ...bytes];

/** Interleaves elements of `width` bytes from the low, or the high, halves of two vectors. */
export const interleave = (a: Code, b: Code, width: number, half: 'low' | 'high'): Code => {
  const first = half === 'low' ? 0 : 8;
  const lanes = Array.from({ length: 16 }, (_, i) => {
    const element = Math.floor(i / (2 * width));
    const inSecond = Math.floor(i / width) % 2;
    return inSecond * 16 + first + element * width + (i % width);
  });
  return [a, b, 0xfd, 0x0d, ...lanes];
};
