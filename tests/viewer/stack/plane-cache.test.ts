import { effect } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Place } from '../../../packages/viewer/src/stack/place.ts';
import { cacheBudget, PlaneCache } from '../../../packages/viewer/src/stack/plane-cache.ts';

const at = (T: number): Place => ({ T, Z: 0 });
/** 400 bytes. */
const plane = () => new Float32Array(100);
const distanceFrom = (T: number) => (place: Place) => Math.abs(place.T - T);

describe('the cache of planes', () => {
  it('drops the planes that are farthest away when its budget is used up', () => {
    const cache = new PlaneCache(1000);
    const [first, second] = [plane(), plane()];
    cache.put(0, at(0), first, distanceFrom(0));
    cache.put(0, at(1), second, distanceFrom(1));
    expect([cache.find(0, at(0)), cache.find(0, at(1))]).toEqual([first, second]);
    cache.put(0, at(2), plane(), distanceFrom(2));
    expect([0, 1, 2].map((T) => cache.has([0], at(T)))).toEqual([false, true, true]);
    expect(cache.bytes).toBe(800);
  });

  it('keeps the wanted planes even when they exceed the budget alone', () => {
    const cache = new PlaneCache(300);
    for (const channel of [0, 1]) cache.put(channel, at(3), plane(), distanceFrom(3));
    expect(cache.has([0, 1], at(3))).toBe(true);
    cache.put(0, at(4), plane(), distanceFrom(4));
    expect(cache.has([0], at(3)) || cache.has([1], at(3))).toBe(false);
    expect(cache.bytes).toBe(400);
  });

  it('counts a plane that is put again once', () => {
    const cache = new PlaneCache(1000);
    for (let i = 0; i < 5; i++) cache.put(0, at(0), plane(), distanceFrom(0));
    expect(cache.bytes).toBe(400);
    cache.clear();
    expect(cache.bytes).toBe(0);
    expect(cache.has([0], at(0))).toBe(false);
  });

  it('tells when planes come or go', () => {
    const cache = new PlaneCache(1000);
    const seen: number[] = [];
    const stop = effect(() => {
      seen.push(cache.version.value);
    });
    cache.put(0, at(0), plane(), distanceFrom(0));
    cache.clear();
    cache.clear();
    stop();
    expect(seen.length).toBe(3);
  });

  it('is smaller on computers with little memory', () => {
    expect([undefined, 8, 4, 0.5].map((memory) => cacheBudget(memory) / 2 ** 20)).toEqual([256, 256, 128, 32]);
  });
});
