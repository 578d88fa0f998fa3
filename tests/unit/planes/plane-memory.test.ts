import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BlockMemory } from '../../../packages/server/src/decode/types.js';
import { capacityFor, PlaneArena } from '../../../packages/server/src/planes/plane-memory.js';
import fc from '../../support/fast-check.js';

const MIB = 2 ** 20;
const arenas: PlaneArena[] = [];
let clock = 0;

function createArena(budget = 64 * MIB, keptBytes = 0): PlaneArena {
  const arena = new PlaneArena(budget, { now: () => clock, maxResizable: 8, keptBytes });
  arenas.push(arena);
  return arena;
}

afterEach(() => {
  for (const arena of arenas.splice(0)) arena.close();
});

/** What a decode worker that dies leaves behind. */
function detach({ buffer }: BlockMemory): void {
  structuredClone(buffer, { transfer: [buffer] });
}

describe('memory for planes', () => {
  it('is zeroed, of the length asked for, and can be emptied', () => {
    const { buffer, isUsed } = createArena().take(2 * MIB + 4);
    expect([buffer.byteLength, buffer.resizable, isUsed]).toEqual([2 * MIB + 4, true, false]);
    expect(new Uint8Array(buffer).every((byte) => byte === 0)).toBe(true);
  });

  it('is used again for a plane of about the same size', () => {
    const arena = createArena();
    const first = arena.take(3 * MIB);
    const { buffer } = first;
    arena.give(first);
    const second = arena.take(3 * MIB + 4000);
    expect([second.buffer === buffer, second.isUsed, second.buffer.byteLength]).toEqual([true, true, 3 * MIB + 4000]);
    expect(arena.state).toMatchObject({ outBytes: 3 * MIB + 4000, freeBytes: 0, fresh: 1, reused: 1 });
  });

  it('is not used again for a plane of another size', () => {
    const arena = createArena();
    arena.give(arena.take(3 * MIB));
    expect(arena.take(6 * MIB).isUsed).toBe(false);
    expect(arena.state).toMatchObject({ outBytes: 6 * MIB, freeBytes: 3 * MIB });
  });

  it('goes back to the system when nobody asked for its size for five seconds', () => {
    clock = 0;
    const arena = createArena();
    const { buffer } = giveBack(arena, 3 * MIB);
    clock = 4_999;
    arena.trim();
    expect(buffer.byteLength).toBe(3 * MIB);
    // A request for this size, and its return, start the time again.
    arena.give(arena.take(3 * MIB));
    clock = 9_998;
    arena.trim();
    expect(arena.state).toMatchObject({ freeBytes: 3 * MIB, emptied: 0 });
    clock = 9_999;
    arena.trim();
    expect([buffer.byteLength, arena.state.freeBytes, arena.state.emptied]).toEqual([0, 0, 1]);
  });

  it('goes back a few buffers at a time, because the system clears it meanwhile', () => {
    clock = 0;
    const arena = createArena();
    const blocks = [1, 2, 3, 4, 5].map((size) => arena.take(size * MIB));
    for (const block of blocks) arena.give(block);
    clock = 5_000;
    expect([arena.trim(2), arena.state.emptied]).toEqual([true, 2]);
    expect([arena.trim(2), arena.state.emptied]).toEqual([true, 4]);
    expect([arena.trim(2), arena.state.emptied, arena.state.freeBytes]).toEqual([false, 5, 0]);
  });

  it('goes back by itself', async () => {
    vi.useFakeTimers();
    try {
      clock = 0;
      const arena = createArena();
      for (const block of [1, 1, 1, 1, 1].map((size) => arena.take(size * MIB))) arena.give(block);
      vi.advanceTimersByTime(4_000);
      expect(arena.state.emptied).toBe(0);
      clock = 5_000;
      vi.advanceTimersByTime(1_000);
      expect(arena.state.emptied).toBe(2);
      vi.advanceTimersByTime(10);
      expect([arena.state.emptied, arena.state.freeBytes, vi.getTimerCount()]).toEqual([5, 0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stays up to some bytes, those used last', async () => {
    vi.useFakeTimers();
    try {
      clock = 0;
      const arena = createArena(64 * MIB, 8 * MIB);
      const [old, recent] = [4, 7].map((size) => {
        clock++;
        return giveBack(arena, size * MIB);
      });
      clock = 60_000;
      vi.advanceTimersByTime(60_000);
      expect([old!.buffer.byteLength, recent!.buffer.byteLength, vi.getTimerCount()]).toEqual([0, 7 * MIB, 0]);
      giveBack(arena, 2 * MIB);
      arena.emptySoon();
      expect([arena.state.freeBytes, arena.take(2 * MIB).isUsed]).toEqual([2 * MIB, true]);
      // A plane that needs the room gets it.
      giveBack(arena, 7 * MIB);
      arena.take(60 * MIB);
      expect(arena.state.freeBytes).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is zeroed after it went back to the system, and counts as fresh', () => {
    const arena = createArena();
    const block = arena.take(2 * MIB);
    new Uint8Array(block.buffer).fill(7);
    arena.give(block);
    arena.close();
    const { buffer, isUsed } = arena.take(2 * MIB);
    expect([buffer === block.buffer, isUsed]).toEqual([true, false]);
    expect(new Uint8Array(buffer).every((byte) => byte === 0)).toBe(true);
  });

  it('is emptied when a plane of another size needs the room, the longest unused first', () => {
    clock = 0;
    const arena = createArena(16 * MIB);
    const [old, recent] = [2, 6].map((size) => {
      clock++;
      return giveBack(arena, size * MIB);
    });
    arena.take(9 * MIB);
    expect([old?.buffer.byteLength, recent?.buffer.byteLength]).toEqual([0, 6 * MIB]);
    arena.reserve(4 * MIB);
    expect(recent?.buffer.byteLength).toBe(0);
    expect(arena.state).toMatchObject({ outBytes: 9 * MIB, freeBytes: 0, scratchBytes: 4 * MIB, emptied: 2 });
  });

  it('is forgotten when it ends with its worker', () => {
    const arena = createArena();
    const block = arena.take(2 * MIB);
    detach(block);
    arena.give(block);
    expect(arena.state).toMatchObject({ outBytes: 0, freeBytes: 0, lost: 1 });
    expect(arena.take(2 * MIB).isUsed).toBe(false);
  });

  it('of small planes is ordinary, for a process has a limited number of mappings', () => {
    const arena = createArena();
    const block = arena.take(128 * 1024 - 4);
    expect(block.buffer.resizable).toBe(false);
    arena.give(block);
    expect(arena.state).toMatchObject({ outBytes: 0, freeBytes: 0 });
  });

  it('of more large planes than there are mappings for is ordinary', () => {
    const arena = createArena();
    const blocks = Array.from({ length: 10 }, () => arena.take(MIB));
    expect(blocks.map(({ buffer }) => buffer.resizable).indexOf(false)).toBe(8);
    detach(blocks[0] as BlockMemory);
    arena.give(blocks[0] as BlockMemory);
    expect(arena.take(MIB).buffer.resizable).toBe(true);
    for (const block of blocks.slice(1)) arena.give(block);
    expect(arena.state).toMatchObject({ outBytes: MIB, freeBytes: 7 * MIB });
  });

  it('that the system does not have is an answer, and counts nothing', () => {
    const arena = createArena(2 ** 60);
    expect(() => arena.take(2 ** 50)).toThrow(expect.objectContaining({ code: 'capacity_exceeded' }));
    expect(arena.state).toMatchObject({ outBytes: 0, fresh: 0 });
  });

  it('comes in capacities a factor of √2 apart', () => {
    for (const bytes of [1, 4096, 4097, MIB, MIB + 1, 58.6 * MIB, 2 ** 31, 2 ** 32 - 4]) {
      const capacity = capacityFor(Math.floor(bytes));
      expect(capacity % 4096).toBe(0);
      expect(capacity).toBeGreaterThanOrEqual(bytes);
      expect(capacity).toBeLessThanOrEqual(Math.max(4096, bytes) * Math.SQRT2 + 4096);
    }
    expect([capacityFor(MIB), capacityFor(2 ** 31)]).toEqual([MIB, 2 ** 31]);
  });
});

describe('the account of memory', () => {
  const step = fc.record({
    what: fc.constantFrom('take', 'give', 'lose', 'reserve', 'release', 'wait'),
    which: fc.nat(20),
    size: fc.integer({ min: 1, max: 12 * MIB }),
  });

  it('is exact, and never above the budget', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const arena = new PlaneArena(40 * MIB, { now: () => clock });
        const out: BlockMemory[] = [];
        const scratch: { size: number; release: () => void }[] = [];
        const outBytes = () => out.reduce((sum, { byteLength }) => sum + byteLength, 0);
        const scratchBytes = () => scratch.reduce((sum, { size }) => sum + size, 0);
        for (const { what, which, size } of steps) {
          const block = out[which % Math.max(1, out.length)];
          const hasRoom = outBytes() + scratchBytes() + size <= arena.budget;
          if (what === 'take' && hasRoom) out.push(arena.take(size));
          else if (what === 'reserve' && hasRoom) scratch.push({ size, release: arena.reserve(size) });
          else if (what === 'release') scratch.shift()?.release();
          else if (what === 'wait') {
            clock += which * 1_000;
            arena.trim();
          } else if (block && (what === 'give' || what === 'lose')) {
            out.splice(out.indexOf(block), 1);
            if (what === 'lose') detach(block);
            arena.give(block);
          }
          const { state } = arena;
          expect([state.outBytes, state.scratchBytes]).toEqual([outBytes(), scratchBytes()]);
          expect(state.outBytes + state.scratchBytes + state.freeBytes).toBeLessThanOrEqual(arena.budget);
          expect(new Set(out.map(({ buffer }) => buffer)).size).toBe(out.length);
          for (const { buffer, byteLength } of out) expect(buffer.byteLength).toBe(byteLength);
        }
        arena.close();
      }),
      { numRuns: 200 },
    );
  });
});

function giveBack(arena: PlaneArena, byteLength: number): BlockMemory {
  const block = arena.take(byteLength);
  arena.give(block);
  return block;
}
