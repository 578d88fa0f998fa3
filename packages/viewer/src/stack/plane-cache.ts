/** Planes of one acquisition that were read, as many as a budget allows. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Samples } from '../model/samples.ts';
import type { Place } from './place.ts';

const MEBIBYTE = 1 << 20;
const MAX_BUDGET = 256 * MEBIBYTE;

/** Returns the bytes that the planes of a tab may take: less on a computer with little memory (in GiB, if it is known). */
export function cacheBudget(deviceMemory: number | undefined): number {
  return Math.min(MAX_BUDGET, Math.max(32, 32 * (deviceMemory ?? 8)) * MEBIBYTE);
}

interface CachedPlane {
  readonly channel: number;
  readonly place: Place;
  readonly samples: Samples;
}

export class PlaneCache {
  readonly #budget: number;
  readonly #entries = new Map<string, CachedPlane>();
  readonly #version = signal(0);
  #bytes = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  /** Changes whenever a plane comes or goes. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get budget(): number {
    return this.#budget;
  }

  find(channel: number, place: Place): Samples | undefined {
    return this.#entries.get(keyOf(channel, place))?.samples;
  }

  /** True when the planes of all these channels are here. */
  has(channels: readonly number[], place: Place): boolean {
    return channels.every((channel) => this.#entries.has(keyOf(channel, place)));
  }

  /**
   * Keeps a plane. While the planes exceed the budget, the one with the highest cost goes; planes without cost stay, so
   * that the shown planes are here even when they exceed the budget alone.
   */
  put(channel: number, place: Place, samples: Samples, cost: (place: Place) => number): void {
    const key = keyOf(channel, place);
    this.#bytes += samples.byteLength - (this.#entries.get(key)?.samples.byteLength ?? 0);
    this.#entries.set(key, { channel, place, samples });
    while (this.#bytes > this.#budget) {
      const worst = this.#worst(cost);
      if (worst === undefined) break;
      this.#bytes -= this.#entries.get(worst)!.samples.byteLength;
      this.#entries.delete(worst);
    }
    this.#version.value = this.#version.peek() + 1;
  }

  clear(): void {
    if (this.#entries.size === 0) return;
    this.#entries.clear();
    this.#bytes = 0;
    this.#version.value = this.#version.peek() + 1;
  }

  #worst(cost: (place: Place) => number): string | undefined {
    let highest = 0;
    let worst: string | undefined;
    for (const [key, { place }] of this.#entries) {
      const value = cost(place);
      if (value <= highest) continue;
      highest = value;
      worst = key;
    }
    return worst;
  }
}

function keyOf(channel: number, { T, Z }: Place): string {
  return `${channel} ${T} ${Z}`;
}
