/** The inner loops of byte codecs in WebAssembly, with vectors of 128 bits. See `docs/decisions/0012-vector-loops.md`. */

import { adlerFunction } from './adler.js';
import { assemble, type WasmFunction } from './assembler.js';
import { bloscLzFunction, lzfFunction } from './fastlz.js';
import { inflateFunction } from './inflate.js';
import { lz4Function } from './lz4.js';
import { COPY_SLACK, PATTERN_BYTES, patternTable } from './matches.js';
import { MAX_STEP, pickFunction, type SampleWidth } from './picks.js';
import { reduceFunction, reduceShortsFunction } from './reduce.js';
import { SHUFFLE_SLACK, unshuffleFunction, untransposeFunction } from './shuffles.js';
import { snappyFunction } from './snappy.js';
import { type SumWidth, sumsFunction } from './sums.js';

/** All functions work on addresses in the memory. Their callers guarantee that the ranges, and the slack, are inside it. */
export type Kernel = (a: number, b: number, c: number, d: number) => number;
type MatchCodec = 'lz4' | 'snappy' | 'blosclz' | 'lzf';
type KernelName =
  | MatchCodec
  | 'inflate'
  | 'adler32'
  | 'unshuffle2'
  | 'unshuffle4'
  | 'unshuffle8'
  | 'untransposeBits'
  | `sums${SumWidth}`
  | ReduceName;
type ReduceName = 'reduce' | 'combine' | 'reduceShorts';

const FUNCTIONS: Readonly<Record<KernelName, () => WasmFunction>> = {
  lz4: lz4Function,
  snappy: snappyFunction,
  blosclz: bloscLzFunction,
  lzf: lzfFunction,
  inflate: inflateFunction,
  adler32: adlerFunction,
  unshuffle2: () => unshuffleFunction(2),
  unshuffle4: () => unshuffleFunction(4),
  unshuffle8: () => unshuffleFunction(8),
  untransposeBits: untransposeFunction,
  sums1: () => sumsFunction(1),
  sums2: () => sumsFunction(2),
  sums4: () => sumsFunction(4),
  reduce: () => reduceFunction('reduce'),
  combine: () => reduceFunction('combine'),
  reduceShorts: reduceShortsFunction,
};

export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of WebAssembly that is used: its types belong to the library of browsers. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  Memory: new (size: { initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, Kernel> };
}

const PAGE = 65_536;
/** Bytes of samples that are unshuffled at a time: they stay in the first-level caches. */
const SLICE = 32_768;
const [FIRST_SLICE, SECOND_SLICE, BLOCKS] = [0, 1, 2].map(
  (i) => align(PATTERN_BYTES) + i * (SLICE + SHUFFLE_SLACK),
) as [number, number, number];
/** Memory never shrinks: more than this is not kept for the next chunk. */
const KEPT_BYTES = 16 * 2 ** 20;
/** Larger blocks are decoded in TypeScript, which needs no copies. Writers make blocks of up to a few MiB. */
const MAX_BYTES = 64 * 2 ** 20;

/** Picking fewer samples is not worth the copies. */
const MIN_PICK = 256;

/** Shorter rows are not worth the copies. */
const MIN_SUMMED = 64;

/** Memory for one block: its input, and its output. */
export interface BlockMemory {
  input: number;
  output: number;
}

/** Samples of some bytes, and how many apart they are. */
type PickName = `pick${SampleWidth}x${number}`;

function toFunction(name: KernelName | PickName): WasmFunction {
  if (!isPick(name)) return FUNCTIONS[name]();
  const [width, step] = name.slice('pick'.length).split('x').map(Number);
  return pickFunction(width as SampleWidth, step!);
}

function isPick(name: KernelName | PickName): name is PickName {
  return name.startsWith('pick');
}

/** Writes and compiles each function when it is first needed. */
export class Modules {
  readonly api: WebAssemblyApi;
  private readonly modules = new Map<KernelName | PickName, object>();

  constructor(api: WebAssemblyApi) {
    this.api = api;
  }

  get(name: KernelName | PickName): object {
    const module = this.modules.get(name) ?? new this.api.Module(assemble([toFunction(name)]));
    this.modules.set(name, module);
    return module;
  }
}

/** Returns the modules; `undefined` on a machine without vectors. */
export function findModules(): Modules | undefined {
  const api = (globalThis as unknown as { WebAssembly?: WebAssemblyApi }).WebAssembly;
  return api?.validate(assemble([FUNCTIONS.unshuffle2()])) ? new Modules(api) : undefined;
}

/** One value for each column of some rows. */
export interface ReducedRows {
  min: Float32Array;
  max: Float32Array;
  sum: Float32Array;
}

/** Samples that `set` converts. */
type PickArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** The functions and their memory. Belongs to one thread. */
export class Kernels {
  private readonly modules: Modules;
  private readonly memory: Memory;
  private readonly functions = new Map<KernelName | PickName, Kernel>();
  private heap: Uint8Array<ArrayBuffer>;

  constructor(modules: Modules) {
    this.modules = modules;
    this.memory = new modules.api.Memory({ initial: Math.ceil(BLOCKS / PAGE) });
    this.heap = new Uint8Array(this.memory.buffer);
    this.heap.set(patternTable());
  }

  /** Returns memory for a block. The views that `bytes` returned before are no longer valid if the memory had to grow. */
  reserve(input: number, output: number): BlockMemory {
    const outputAt = BLOCKS + align(input + COPY_SLACK);
    const missing = outputAt + output + SHUFFLE_SLACK - this.heap.length;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE));
      this.heap = new Uint8Array(this.memory.buffer);
    }
    return { input: BLOCKS, output: outputAt };
  }

  get isLarge(): boolean {
    return this.heap.length > KEPT_BYTES;
  }

  /** Returns a view of the memory. */
  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return this.heap.subarray(at, at + length);
  }

  /** True for a view of the memory. */
  contains(bytes: Uint8Array): boolean {
    return bytes.buffer === this.heap.buffer;
  }

  /** Returns the address of bytes, which are copied to the memory unless they are there. */
  place(bytes: Uint8Array): number {
    if (this.contains(bytes)) return bytes.byteOffset;
    const { output } = this.reserve(0, bytes.length);
    this.heap.set(bytes, output);
    return output;
  }

  /**
   * Decodes `data` into `out[start … end)`. Without a copy if `out` is a view of the memory behind what `reserve` set aside
   * for this input.
   * @returns the number of bytes decoded, or a failure
   */
  decode(codec: MatchCodec, data: Uint8Array, out: Uint8Array, start: number, end: number): number {
    const inPlace = this.contains(out);
    const place = this.reserve(data.length, inPlace ? 0 : end - start);
    const output = inPlace ? out.byteOffset + start : place.output;
    this.heap.set(data, place.input);
    const done = this.kernel(codec)(place.input, place.input + data.length, output, output + end - start);
    if (done < 0) return done;
    if (!inPlace) out.set(this.bytes(output, done - output), start);
    return done - output;
  }

  /**
   * Undoes a byte shuffle of `count` samples in the memory, whose bytes are `count` bytes apart.
   * @param from address
   * @param out receives `count` · `typeSize` bytes
   */
  unshuffle(from: number, out: Uint8Array, typeSize: 2 | 4 | 8, count: number): void {
    const run = this.kernel(`unshuffle${typeSize}`);
    const each = SLICE / typeSize;
    for (let first = 0; first < count; first += each) {
      const part = Math.min(each, count - first);
      run(from + first, FIRST_SLICE, count, part);
      out.set(this.bytes(FIRST_SLICE, part * typeSize), first * typeSize);
    }
  }

  /** Like `unshuffle`, for a bit shuffle of a multiple of eight samples. */
  unshuffleBits(from: number, out: Uint8Array, typeSize: 1 | 2 | 4 | 8, count: number): void {
    const row = count / 8;
    const each = SLICE / 8 / typeSize;
    const untranspose = this.kernel('untransposeBits');
    const joinBytes = typeSize === 1 ? undefined : this.kernel(`unshuffle${typeSize}`);
    for (let first = 0; first < row; first += each) {
      const part = Math.min(each, row - first);
      for (let k = 0; k < typeSize; k++) {
        untranspose(from + 8 * k * row + first, FIRST_SLICE + k * 8 * part, row, part);
      }
      const size = part * 8 * typeSize;
      joinBytes?.(FIRST_SLICE, SECOND_SLICE, part * 8, part * 8);
      out.set(this.bytes(joinBytes ? SECOND_SLICE : FIRST_SLICE, size), first * 8 * typeSize);
    }
  }

  /**
   * Adds up the samples of each row in place. Sums wrap.
   * @param bytes `rows` rows of bytes as `KernelHost.forSums` takes
   */
  sumRows(bytes: Uint8Array, width: SumWidth, rows: number): void {
    const run = this.kernel(`sums${width}`);
    const rowBytes = bytes.length / rows;
    const each = Math.floor(SLICE / rowBytes);
    for (let row = 0; row < rows; row += each) {
      const part = bytes.subarray(row * rowBytes, (row + each) * rowBytes);
      this.heap.set(part, FIRST_SLICE);
      run(FIRST_SLICE, SECOND_SLICE, rowBytes, part.length / rowBytes);
      part.set(this.bytes(SECOND_SLICE, part.length));
    }
  }

  /**
   * Copies every `step`-th of some samples.
   * @param from index of the first one
   * @param out receives `count` samples from index `to` on, converted like `set` does
   */
  pick(samples: PickArray, from: number, step: number, out: PickArray, to: number, count: number): void {
    const width = samples.BYTES_PER_ELEMENT as SampleWidth;
    const run = this.kernel(`pick${width}x${step}`);
    const Samples = samples.constructor as new (buffer: ArrayBuffer, at: number, length: number) => PickArray;
    const each = Math.floor(SLICE / width / step);
    for (let done = 0; done < count; done += each) {
      const part = Math.min(each, count - done);
      const at = samples.byteOffset + (from + done * step) * width;
      this.heap.set(new Uint8Array(samples.buffer, at, ((part - 1) * step + 1) * width), FIRST_SLICE);
      run(FIRST_SLICE, SECOND_SLICE, part, 0);
      out.set(new Samples(this.heap.buffer, SECOND_SLICE, part), to + done);
    }
  }

  /**
   * Returns memory for `rows` rows of `columns` samples, which `reduceRows` reads. A row takes `stride` samples; those after
   * its columns must be finite.
   */
  reduceInput(rows: number, columns: number): { samples: Float32Array<ArrayBuffer>; stride: number } {
    const stride = Math.ceil(columns / 4) * 4;
    const { input } = this.reserve(4 * rows * stride, 4 * 3 * stride);
    return { samples: new Float32Array(this.heap.buffer, input, rows * stride), stride };
  }

  /**
   * Reduces the rows that were put into the memory of `reduceInput`.
   * @returns the smallest and the largest sample, and the sum, of each column; valid until the memory is used again.
   * `undefined` when a sample or a sum is not finite
   */
  reduceRows(rows: number, stride: number): ReducedRows | undefined {
    return this.reduce('reduce', rows, rows, stride);
  }

  /** Like `reduceRows`, of `count` triples of rows: the smallest and the largest samples, and the sums, of other rows. */
  combineRows(count: number, stride: number): ReducedRows | undefined {
    return this.reduce('combine', count, 3 * count, stride);
  }

  /** Like `reduceInput`, for `reduceShortRows`. */
  reduceShortInput(rows: number, columns: number): { samples: Uint16Array<ArrayBuffer>; stride: number } {
    const stride = Math.ceil(columns / 8) * 8;
    const { input } = this.reserve(2 * rows * stride, 4 * 3 * stride);
    return { samples: new Uint16Array(this.heap.buffer, input, rows * stride), stride };
  }

  /** Reduces up to 65,536 of the rows that were put into the memory of `reduceShortInput`; see `reduceRows`. */
  reduceShortRows(rows: number, stride: number): ReducedRows | undefined {
    return this.reduce('reduceShorts', rows, rows, stride, 2);
  }

  private reduce(
    name: ReduceName,
    count: number,
    rows: number,
    stride: number,
    sampleBytes = 4,
  ): ReducedRows | undefined {
    const { input, output } = this.reserve(sampleBytes * rows * stride, 4 * 3 * stride);
    if (this.kernel(name)(input, output, sampleBytes * stride, count) !== 0) return undefined;
    const row = (i: number) => new Float32Array(this.heap.buffer, output + 4 * i * stride, stride);
    return { min: row(0), max: row(1), sum: row(2) };
  }

  private kernel(name: KernelName | PickName): Kernel {
    const known = this.functions.get(name);
    if (known) return known;
    const { exports } = new this.modules.api.Instance(this.modules.get(name), { env: { memory: this.memory } });
    const kernel = Object.values(exports)[0]!;
    this.functions.set(name, kernel);
    return kernel;
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}

/** Creates the kernels when a chunk needs them, and drops them when their memory has become large. */
export class KernelHost {
  /** Undefined before the first use. */
  private modules: { available: Modules | undefined } | undefined;
  private current: Kernels | undefined;

  /**
   * Returns the kernels for data to decode; `undefined` where the machine has no vectors, for a block that is too large, and
   * for one that compression has not made smaller: it consists of literals, which need not be copied three times. Then the
   * loops in TypeScript do the work.
   * @param input bytes of the block as stored
   * @param output bytes of the block
   */
  forData(input: number, output: number): Kernels | undefined {
    return input < output ? this.forBlock(input, output) : undefined;
  }

  /** Returns the kernels for picking every `step`-th of `count` samples; `undefined` when a simple loop is as good. */
  forPick(step: number, count: number): Kernels | undefined {
    return step <= MAX_STEP && count >= MIN_PICK ? this.forBlock(0, 0) : undefined;
  }

  /** Returns the kernels for adding up rows of some bytes; `undefined` when a simple loop is as good. */
  forSums(rowBytes: number): Kernels | undefined {
    return rowBytes >= MIN_SUMMED && rowBytes <= SLICE ? this.forBlock(0, 0) : undefined;
  }

  /** Returns the kernels for reducing rows; `undefined` where a loop does it, see `forData`. */
  forReduce(rows: number, columns: number): Kernels | undefined {
    return this.forBlock(4 * rows * (columns + 7), 4 * 3 * (columns + 7));
  }

  /** Like `forData`, for any block. */
  forBlock(input: number, output: number): Kernels | undefined {
    if (input + output > MAX_BYTES) return undefined;
    this.modules ??= { available: findModules() };
    const { available } = this.modules;
    if (!available) return undefined;
    try {
      this.current ??= new Kernels(available);
      this.current.reserve(input, output);
      return this.current;
    } catch (error) {
      // The system has no memory, or no address space, for WebAssembly.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * Returns memory for a block that is decoded and then filtered: where the kernels need no copy of it, if possible.
   * @param input max bytes of a stream inside the block, as stored
   */
  scratch(input: number, bytes: number): Uint8Array {
    const kernels = this.forBlock(input, bytes);
    if (!kernels) return new Uint8Array(bytes);
    return kernels.bytes(kernels.reserve(input, bytes).output, bytes);
  }

  /** Drops memory that a large block needed. Call it after a chunk. */
  trim(): void {
    if (this.current?.isLarge) this.current = undefined;
  }
}

export const kernelHost = new KernelHost();
