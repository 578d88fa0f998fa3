import { describe, expect, it } from 'vitest';
import type { SentBlock } from '../../../packages/server/src/decode/protocol.js';
import { BlockFlow } from '../../../packages/server/src/decode/worker-thread.js';
import fc from '../../support/fast-check.js';

const memoryOf = (...used: boolean[]) => ({
  rowsPerBlock: 1,
  blocks: used.map((isUsed) => ({ buffer: new ArrayBuffer(4), byteLength: 4, isUsed })),
});

const names = (sent: readonly SentBlock[]) => sent.map(({ index, content }) => `${index} ${content}`);

describe('the blocks of a plane', () => {
  it('are sent in order, no more at a time than the worker may have', () => {
    const memory = memoryOf(true, false, true, true);
    const flow = new BlockFlow(memory, 8);
    const start = flow.start();
    expect([names(start.blocks), start.count, start.rowsPerBlock]).toEqual([['0 used', '1 zeros'], 4, 1]);
    expect(flow.sendAhead()).toEqual([]);
    const filled = new ArrayBuffer(4);
    flow.receive({ index: 0, memory: filled });
    expect(memory.blocks[0]!.buffer).toBe(filled);
    expect(names(flow.sendAhead())).toEqual(['2 used']);
    expect(flow.isHome).toBe(false);
  });

  it('larger than what the worker may have are sent one by one', () => {
    const flow = new BlockFlow(memoryOf(false, false), 1);
    const [block] = flow.start().blocks;
    expect(flow.sendAhead()).toEqual([]);
    flow.receive(block!);
    expect(names(flow.sendAhead())).toEqual(['1 zeros']);
  });

  it('that the worker waits for are sent out of turn, and are not sent twice', () => {
    const flow = new BlockFlow(memoryOf(true, true, true, true), 4);
    flow.start();
    const late = flow.sendWanted(2)!;
    expect(names([late])).toEqual(['2 used']);
    expect(flow.sendWanted(2)).toBeUndefined();
    flow.receive(late);
    // It has the samples of this plane now.
    expect(names([flow.sendWanted(2)!])).toEqual(['2 kept']);
    expect(names([flow.sendWanted(1)!])).toEqual(['1 used']);
    for (const index of [0, 1, 2]) flow.receive({ index, memory: new ArrayBuffer(4) });
    expect(flow.isHome).toBe(true);
    expect(names(flow.sendAhead())).toEqual(['3 used']);
  });

  it('that were never sent, or do not exist, are not taken back', () => {
    const memory = memoryOf(true, true);
    const flow = new BlockFlow(memory, 4);
    flow.start();
    const { buffer } = memory.blocks[1]!;
    for (const index of [1, 2, -1]) flow.receive({ index, memory: new ArrayBuffer(4) });
    expect(memory.blocks[1]!.buffer).toBe(buffer);
    expect(flow.sendWanted(2)).toBeUndefined();
  });

  it('are each with one side only, and marked as kept only after the worker had them', () => {
    const step = fc.record({ what: fc.constantFrom('want', 'return', 'ahead'), which: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (steps, aheadBytes) => {
        const flow = new BlockFlow(memoryOf(...new Array<boolean>(10).fill(true)), aheadBytes);
        const away = new Map<number, SentBlock>();
        const seen = new Set<number>();
        const arrive = (block: SentBlock) => {
          expect([away.has(block.index), block.content]).toEqual([false, seen.has(block.index) ? 'kept' : 'used']);
          away.set(block.index, block);
          seen.add(block.index);
        };
        for (const block of flow.start().blocks) arrive(block);
        for (const { what, which } of steps) {
          const block = [...away.values()][which % Math.max(1, away.size)];
          if (what === 'want') {
            const sent = flow.sendWanted(which);
            expect(sent === undefined).toBe(away.has(which));
            if (sent) arrive(sent);
          } else if (what === 'ahead') {
            for (const sent of flow.sendAhead()) arrive(sent);
          } else if (block) {
            away.delete(block.index);
            flow.receive(block);
          }
          expect(flow.isHome).toBe(away.size === 0);
        }
      }),
      { numRuns: 200 },
    );
  });
});
