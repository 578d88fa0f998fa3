import { describe, expect, it } from 'vitest';
import { slicePlane } from '../../../packages/readers/src/model/samples/plane-data.js';
import type { PlaneMemory } from '../../../packages/server/src/decode/types.js';
import { PlaneArena, PlaneBuilder } from '../../../packages/server/src/planes/plane-memory.js';
import { splitIntoBands } from '../../../packages/server/src/sessions/bands.js';
import { samplesOf } from '../../support/planes.js';

/** Fills rows of a plane of 3 columns: sample = 10 · row + column. */
const fillRows =
  (first: number) =>
  async ({ blocks, rowsPerBlock }: PlaneMemory) => {
    for (const [index, { buffer }] of blocks.entries()) {
      const samples = new Float32Array(buffer);
      const row = first + index * rowsPerBlock;
      for (let i = 0; i < samples.length; i++) samples[i] = 10 * (row + Math.floor(i / 3)) + (i % 3);
    }
  };

describe('a plane that is decoded in bands', () => {
  it('is complete when its last rows arrive, in whatever order', async () => {
    const arena = new PlaneArena(1000);
    const builder = new PlaneBuilder(arena, 5, 3);
    await builder.fill({ first: 3, count: 2 }, fillRows(3));
    await builder.fill({ first: 0, count: 1 }, fillRows(0));
    await builder.fill({ first: 1, count: 2 }, fillRows(1));
    const { data } = await builder.plane;
    expect(data.segments.map(({ firstRow, rowCount }) => [firstRow, rowCount])).toEqual([
      [0, 1],
      [1, 2],
      [3, 2],
    ]);
    expect([...samplesOf(data)]).toEqual([0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42]);
    expect(data.segments.map(({ samples }) => samples.buffer.byteLength)).toEqual([12, 24, 24]);
    expect(arena.state.outBytes).toBe(60);
  });

  it('finds the memory that another plane has left, whatever the shape of the two', async () => {
    const arena = new PlaneArena(2 ** 25);
    const decode = async (rows: number, columns: number, bands: number) => {
      const builder = new PlaneBuilder(arena, rows, columns);
      for (const band of splitIntoBands(rows, bands, builder.rowsPerBlock)) await builder.fill(band, async () => {});
      (await builder.plane).release();
      return arena.state.fresh;
    };
    const fresh = await decode(3000, 512, 1);
    expect(await decode(3000, 512, 1)).toBe(fresh);
    expect(await decode(3000, 512, 2)).toBe(fresh);
    expect(await decode(2500, 600, 1)).toBe(fresh);
    expect(arena.state.lost).toBe(0);
    arena.close();
  });

  it('gives back the memory of rows that cannot be decoded', async () => {
    const arena = new PlaneArena(1000);
    const builder = new PlaneBuilder(arena, 5, 3);
    await builder.fill({ first: 0, count: 2 }, fillRows(0));
    const failing = builder.fill({ first: 2, count: 3 }, () => Promise.reject(new Error('damaged')));
    await expect(failing).rejects.toThrow('damaged');
    expect(arena.state.outBytes).toBe(24);
    builder.giveUp(new Error('damaged'));
    await expect(builder.plane).rejects.toThrow('damaged');
    expect(arena.state.outBytes).toBe(0);
  });

  it('does not keep rows that arrive after it was given up', async () => {
    const arena = new PlaneArena(1000);
    const builder = new PlaneBuilder(arena, 2, 3);
    builder.plane.catch(() => {});
    await builder.fill({ first: 0, count: 2 }, async () => builder.giveUp(new Error('stopped')));
    await expect(builder.plane).rejects.toThrow('stopped');
    expect(arena.state.outBytes).toBe(0);
  });

  it('is sent as views of its memory, whatever the range', async () => {
    const builder = new PlaneBuilder(new PlaneArena(1000), 5, 3);
    for (const first of [0, 2, 4]) await builder.fill({ first, count: first === 4 ? 1 : 2 }, fillRows(first));
    const { data } = await builder.plane;
    const memory = data.segments.map(({ samples }) => samples.buffer);
    const whole = new Uint8Array(samplesOf(data).buffer);
    for (let start = 0; start <= 60; start += 5) {
      for (let end = start; end <= 60; end += 7) {
        const views = slicePlane(data, start, end);
        expect(new Uint8Array(Buffer.concat(views))).toEqual(whole.slice(start, end));
        expect(views.every(({ buffer }) => memory.some((one) => one === buffer))).toBe(true);
      }
    }
  });
});
