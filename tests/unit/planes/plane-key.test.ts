import { expect, it } from 'vitest';
import { type PlaneIdentity, planeKey } from '../../../packages/server/src/planes/plane-key.js';

const plane: PlaneIdentity = { content: 'a', scene: 0, kind: 'channel', channelIndex: 0, t: 0, z: 0 };
const projection = { method: 'max', along: 'Z', size: 3 } as const;

it('the key of a plane is different for each of the things that make it another plane', () => {
  const planes: PlaneIdentity[] = [
    plane,
    { ...plane, content: 'b' },
    { ...plane, scene: 1 },
    { ...plane, kind: 'reference' },
    { ...plane, channelIndex: 1 },
    { ...plane, t: 1 },
    { ...plane, z: 1 },
    { ...plane, form: 'native' },
    { ...plane, projection },
    { ...plane, projection: { ...projection, along: 'T' } },
    { ...plane, projection: { ...projection, method: 'mean' } },
  ];
  expect(new Set(planes.map(planeKey)).size).toBe(planes.length);
});

it('the key of a plane is the same without a form as for the served one, and for a reference at any place', () => {
  expect(planeKey({ ...plane, form: 'served', projection: undefined })).toBe(planeKey(plane));
  const reference: PlaneIdentity = { ...plane, kind: 'reference' };
  expect(planeKey({ ...reference, t: 3, z: 4 })).toBe(planeKey(reference));
});
