/** Samples of a cross-section as far as they have been read: a line for each section or time point. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Samples } from '../model/samples.ts';
import { samplesLike } from './slices.ts';
import type { ThirdAxis } from './third-axis.ts';

interface ChannelLines {
  readonly samples: Samples;
  /** 1 for each index that has been read. */
  readonly read: Uint8Array;
}

export class CrossSectionLines {
  readonly #third: ThirdAxis;
  readonly #length: number;
  readonly #channels = new Map<number, ChannelLines>();
  readonly #version = signal(0);
  #key = '';

  /** @param length samples of a line */
  constructor(third: ThirdAxis, length: number) {
    this.#third = third;
    this.#length = length;
  }

  /** Changes whenever lines come or go. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  get key(): string {
    return this.#key;
  }

  /** Begins another cross-section, whose lines have not been read. An equal key keeps what is there. */
  begin(key: string): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#channels.clear();
    this.#version.value = this.#version.peek() + 1;
  }

  has(channel: number, index: number): boolean {
    return this.#channels.get(channel)?.read[index] === 1;
  }

  /** Takes the line of an index, which `write` puts into an array of the type of `like`. */
  put(channel: number, index: number, like: Samples, write: (out: Samples, at: number) => void): void {
    const { rows, size, from, end } = this.#third;
    let lines = this.#channels.get(channel);
    if (lines === undefined) {
      lines = { samples: samplesLike(like, rows * this.#length), read: new Uint8Array(size) };
      this.#channels.set(channel, lines);
    }
    const [first, last] = [from[index]!, end[index]!];
    lines.read[index] = 1;
    if (first < last) {
      const at = first * this.#length;
      write(lines.samples, at);
      for (let row = first + 1; row < last; row++) {
        lines.samples.copyWithin(row * this.#length, at, at + this.#length);
      }
    }
    this.#version.value = this.#version.peek() + 1;
  }

  /** Returns a copy of what has been read, with 0 elsewhere; null before the first line. */
  samples(channel: number): Samples | null {
    return this.#channels.get(channel)?.samples.slice() ?? null;
  }

  /** Returns the sample of an index; undefined until it is read. */
  sampleAt(channel: number, index: number, position: number): number | undefined {
    const lines = this.#channels.get(channel);
    const { from, end } = this.#third;
    if (lines?.read[index] !== 1 || from[index] === end[index]) return undefined;
    return lines.samples[from[index]! * this.#length + position];
  }

  /** Returns the indices whose lines have not been read in all of these channels. */
  missing(channels: readonly number[]): number[] {
    const indices = Array.from({ length: this.#third.size }, (_, index) => index);
    return indices.filter((index) => !channels.every((channel) => this.has(channel, index)));
  }
}
