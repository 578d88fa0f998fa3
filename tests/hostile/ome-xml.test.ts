import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { binData, omeXml } from '../writers/ome.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const planes = [0, 1, 2, 3].map((i) => Uint8Array.from({ length: 20 }, (_, k) => 40 * i + k + 1));
const image = (children: string[]) =>
  Buffer.from(omeXml({ images: [{ type: 'uint8', sizes: { X: 5, Y: 4, C: 2, T: 2 }, children }] }));
const FILES = [
  { name: 'plain', bytes: image(planes.map((bytes) => binData(bytes))) },
  { name: 'zlib', bytes: image(planes.map((bytes) => binData(deflateSync(bytes), { Compression: 'zlib' }))) },
];
const open = (bytes: Uint8Array) => openBytes('a.ome', bytes);

describe('damaged OME-XML', () => {
  const cases = Math.ceil(hostileCases(8_000) / FILES.length);

  it.each(FILES)(`$name, ${cases} cases`, { timeout: 3_600_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(cases / 20);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it.each(FILES)('$name, truncated or changed: true planes', async ({ bytes }) => {
    const witness = await Witness.of(bytes, open);
    await witness.expectTrueCuts(cutLengths(bytes, 64));
    // A digit of base64 is part of two samples, and a number of the sizes has no second witness.
    if (bytes === FILES[1]!.bytes) await witness.expectTrueChanges(Math.ceil(cases / 4), 0.1);
  });
});
