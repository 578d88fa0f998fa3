import { describe, expect, it } from 'vitest';
import { PlaneProjection, type ProjectionMethod } from '../../../packages/readers/src/model/samples/projection.js';
import fc from '../../support/fast-check.js';

const project = (method: ProjectionMethod, planes: readonly (readonly number[])[]) => {
  const projection = new PlaneProjection(method, planes[0]!.length);
  for (const plane of planes) projection.add(Float32Array.from(plane));
  return [...projection.result()];
};

describe('a projection', () => {
  it('is the largest or the mean sample at each place', () => {
    const planes = [
      [1, -5, 0],
      [4, -7, 0],
      [2.5, -6, 1],
    ];
    expect(project('max', planes)).toEqual([4, -5, 1]);
    expect(project('mean', planes)).toEqual([2.5, -6, Math.fround(1 / 3)]);
  });

  it('ignores samples that are not finite, and is NaN where nothing is', () => {
    const planes = [
      [Number.NaN, Number.NaN, 3],
      [Infinity, -2, -Infinity],
    ];
    expect(project('max', planes)).toEqual([Number.NaN, -2, 3]);
    expect(project('mean', planes)).toEqual([Number.NaN, -2, 3]);
  });

  it('agrees with a naive one', () => {
    const plane = fc.array(fc.float(), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(plane, { minLength: 1, maxLength: 5 }), (planes) => {
        const finite = (i: number) => planes.map((samples) => samples[i]!).filter(Number.isFinite);
        const max = [0, 1, 2, 3].map((i) => (finite(i).length > 0 ? Math.max(...finite(i)) : Number.NaN));
        // Which of 0 and -0 is larger is nobody's question.
        expect(project('max', planes).map((v) => v + 0)).toEqual(max.map((v) => v + 0));
        const mean = [0, 1, 2, 3].map((i) => Math.fround(finite(i).reduce((a, b) => a + b, 0) / finite(i).length));
        expect(project('mean', planes)).toEqual(mean);
      }),
    );
  });
});
