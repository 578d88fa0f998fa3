/** Plays the planes of a dimension one after another. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { StackDim } from './place.ts';

/** Planes per second, or `real`: as fast as they were recorded. */
export type Rate = number | 'real';

export const RATES = [1, 2, 5, 10, 20, 30] as const;

export interface Film {
  /** Number of planes. */
  size(dim: StackDim): number;
  index(dim: StackDim): number;
  go(dim: StackDim, index: number): void;
  /** True when the plane of the last `go` is on screen. */
  arrived(): boolean;
  /** Milliseconds from a plane to the next one in the recording; null when they are not known. */
  recorded(dim: StackDim, index: number): number | null;
}

export interface Player {
  /** The dimension that plays; null when none does. */
  readonly playing: ReadonlySignal<StackDim | null>;
  readonly rate: Signal<Rate>;
  readonly loop: Signal<boolean>;
  play(dim: StackDim): void;
  pause(): void;
}

/** Milliseconds between two looks whether a plane has arrived. */
const POLL = 8;

export function createPlayer(film: Film): Player {
  const playing = signal<StackDim | null>(null);
  const rate = signal<Rate>(10);
  const loop = signal(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;

  /** Returns how long a plane stays, in milliseconds. */
  function stay(dim: StackDim, index: number): { readonly real: boolean; readonly length: number } {
    const recorded = rate.value === 'real' ? film.recorded(dim, index) : null;
    const perSecond = typeof rate.value === 'number' ? rate.value : 10;
    return { real: recorded !== null, length: recorded ?? 1000 / perSecond };
  }

  /** Returns the planes that have passed since `last`, and when the last of them came. */
  function passed(dim: StackDim, now: number): { readonly steps: number; readonly at: number } {
    const [from, size] = [film.index(dim), film.size(dim)];
    let at = last;
    for (let steps = 0; steps < size; steps++) {
      const { length } = stay(dim, (from + steps) % size);
      if (at + length > now) return { steps, at };
      at += length;
    }
    // A page that slept for longer than the whole recording.
    return { steps: size, at: now };
  }

  function tick(): void {
    const dim = playing.value;
    if (dim === null) return;
    const { real } = stay(dim, film.index(dim));
    const now = performance.now();
    const { steps, at } = passed(dim, now);
    // In real time planes are skipped when they come too slowly; otherwise each of them is shown.
    if (steps >= 1 && (real || film.arrived())) {
      last = real || steps === 1 ? at : now;
      advance(dim, real ? steps : 1);
    }
    if (playing.value === null) return;
    timer = setTimeout(tick, Math.max(POLL, last + stay(dim, film.index(dim)).length - performance.now()));
  }
  function advance(dim: StackDim, steps: number): void {
    const size = film.size(dim);
    const next = film.index(dim) + steps;
    if (next < size) film.go(dim, next);
    else if (loop.value) film.go(dim, next % size);
    else {
      film.go(dim, size - 1);
      player.pause();
    }
  }

  const player: Player = {
    playing,
    rate,
    loop,
    play(dim) {
      clearTimeout(timer);
      if (film.size(dim) < 2) return;
      playing.value = dim;
      if (!loop.value && film.index(dim) === film.size(dim) - 1) film.go(dim, 0);
      last = performance.now();
      tick();
    },
    pause() {
      clearTimeout(timer);
      playing.value = null;
    },
  };
  return player;
}
