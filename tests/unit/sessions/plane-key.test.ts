import { expect, it } from 'vitest';
import { planeKey } from '../../../packages/server/src/sessions/plane-order.js';

type PlaneIdentity = Parameters<typeof planeKey>[0];

const plane: PlaneIdentity = { content: 'a', scene: 0, kind: 'channel', channelIndex: 0, t: 0, z: 0, type: 'uint16' };
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
    { ...plane, type: 'float32' },
    { ...plane, levels: true },
    { ...plane, projection },
    { ...plane, projection: { ...projection, along: 'T' } },
    { ...plane, projection: { ...projection, method: 'mean' } },
  ];
  expect(new Set(planes.map(planeKey)).size).toBe(planes.length);
});

it('the key of a plane is the same without levels as with none, and for a reference at any place', () => {
  expect(planeKey({ ...plane, levels: false, projection: undefined })).toBe(planeKey(plane));
  const reference: PlaneIdentity = { ...plane, kind: 'reference' };
  expect(planeKey({ ...reference, t: 3, z: 4 })).toBe(planeKey(reference));
});
