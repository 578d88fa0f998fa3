import { expect, it } from 'vitest';
import { collectColumns } from '../../../packages/readers/src/model/metadata/plane-columns.js';

const SCENE = { sizes: { T: 2, Z: 1 }, channels: { length: 3 } };

it('channels that share their values are asked for once, and have the same', () => {
  const asked: number[] = [];
  const columns = collectColumns(
    SCENE,
    ({ t, channel }) => {
      asked.push(channel);
      return { time: t, x: t === 0 ? Number.NaN : 5, y: Number.NaN, z: undefined };
    },
    3,
  );
  expect(asked).toEqual([0, 0]);
  expect(columns).toEqual({
    time: Float64Array.of(0, 0, 0, 1, 1, 1),
    x: Float64Array.of(Number.NaN, Number.NaN, Number.NaN, 5, 5, 5),
  });
});

it('other channels have their own', () => {
  const { exposure } = collectColumns(SCENE, ({ t, channel }) => ({ exposure: 10 * t + channel }));
  expect(exposure).toEqual(Float64Array.of(0, 1, 2, 10, 11, 12));
});
