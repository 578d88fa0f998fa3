import { expect, it } from 'vitest';
import { spreadIndices } from '../../../packages/readers/src/model/metadata/intervals.js';

it('indices are all of a short axis, and are evenly spread over a long one, with both ends', () => {
  expect(spreadIndices(4, 4)).toEqual([0, 1, 2, 3]);
  expect(spreadIndices(9, 4)).toEqual([0, 3, 5, 8]);
  expect(spreadIndices(1, 64)).toEqual([0]);
  expect(spreadIndices(0, 64)).toEqual([]);
});
