import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseLv } from '../../packages/readers/src/formats/nd2/lv.js';
import { expectHonest } from '../support/honest.js';
import { openBytes } from '../support/memory.js';
import { everything, lineScan, timeSeries } from '../support/nd2.js';
import { loadEncoders } from '../writers/codecs.js';
import { picture, writeNd2 } from '../writers/nd2.js';
import { writeLegacyNd2 } from '../writers/nd2-legacy.js';
import { encodeLv } from '../writers/nd2-tree.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const FILES = [
  { name: 'time series', bytes: writeNd2(timeSeries()) },
  { name: 'zlib', bytes: writeNd2(timeSeries({ compression: 0 })) },
  { name: 'positions, times and depths', bytes: writeNd2(everything()) },
  { name: 'line scan without a map', bytes: writeNd2(lineScan({ noMap: true, attributesFirst: true })) },
  { name: 'version 2', bytes: writeNd2(timeSeries({ version: 2 })) },
];

const openDamaged = (bytes: Uint8Array) => openBytes('damaged.nd2', bytes);

/** Damages a chunk: most of a small file is padding, where damage has no effect. */
function damageChunk(bytes: Uint8Array, seed: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const chunks: { at: number; length: number }[] = [];
  for (let at = 0; at + 16 < bytes.length; at += 4096) {
    if (view.getUint32(at, true) !== 0x0abeceda) continue;
    const payload = at + 16 + view.getUint32(at + 4, true);
    chunks.push({ at, length: 48 }, { at: payload, length: Number(view.getBigUint64(at + 8, true)) });
  }
  const victim = chunks[seed % chunks.length]!;
  const part = mutate(bytes.subarray(victim.at, victim.at + victim.length), seed);
  const out = bytes.slice();
  out.set(part.subarray(0, Math.min(part.length, victim.length)), victim.at);
  return out;
}

describe('a damaged ND2 file', () => {
  const cases = hostileCases();
  const perFile = Math.ceil((cases * 0.75) / FILES.length);

  it.each(FILES)(`is refused or read honestly ($name, ${perFile} cases)`, { timeout: 3_600_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let seed = 0; seed < perFile; seed++) {
      const damaged = seed % 2 === 0 ? damageChunk(bytes, seed) : mutate(bytes, seed);
      outcomes[await honest(seed, () => openDamaged(damaged))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(perFile / 10);
    expect(outcomes.refused).toBeGreaterThan(perFile / 50);
  });

  it(`has metadata trees that are parsed or refused (${Math.ceil(cases * 0.2)} cases)`, { timeout: 3_600_000 }, () => {
    const tree = encodeLv(picture({ channels: [{ name: 'GFP' }, { name: 'RFP' }] }));
    let refused = 0;
    for (let seed = 0; seed < cases * 0.2; seed++) {
      try {
        parseLv(mutate(tree, seed), 'damaged.nd2');
      } catch (error) {
        expectHonest(error);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(cases / 50);
    expect(refused).toBeLessThan(cases * 0.2);
  });

  it(`is refused or read honestly (legacy, ${Math.ceil(cases * 0.05)} cases)`, { timeout: 3_600_000 }, async () => {
    const { jpeg2000 } = await loadEncoders();
    const image = jpeg2000({ bytes: new Uint8Array(32 * 48 * 2).fill(3), width: 48, rows: 32, samples: 1 });
    const spec = {
      images: [image, image, image, image],
      frames: 2,
      channels: ['a', 'b'],
      dimensions: 'T(2)',
      period: 5,
    };
    const bytes = new Uint8Array(writeLegacyNd2(spec));
    const outcomes = { refused: 0, opened: 0 };
    for (let seed = 0; seed < cases * 0.05; seed++)
      outcomes[await honest(seed, () => openDamaged(mutate(bytes, seed)))]++;
    expect(outcomes.opened).toBeGreaterThan(cases / 200);
    expect(outcomes.refused).toBeGreaterThan(cases / 1000);
  });

  it.each(FILES)('shows only true planes when it is truncated ($name)', async ({ bytes }) => {
    await (await Witness.of(bytes, openDamaged)).expectTrueCuts(cutLengths(bytes, 256));
  });

  it.each(FILES)(
    `shows only true planes when a few bytes are changed ($name, ${perFile} cases)`,
    { timeout: 3_600_000 },
    async ({ bytes }) => {
      await (await Witness.of(bytes, openDamaged)).expectTrueChanges(perFile, 0.01);
    },
  );

  it('is refused when a tree has more records than the limit', () => {
    // A level of two and a half million booleans without names.
    const count = 2_500_000;
    const head = Buffer.from([11, 0, ...new Uint8Array(12)]);
    head.writeUInt32LE(count, 2);
    head.writeBigUInt64LE(BigInt(14 + count * 3), 6);
    const records = Buffer.alloc(count * 3, Buffer.from([1, 0, 1]));
    const tree = Buffer.concat([head, records, Buffer.alloc(count * 8)]);
    expect(() => parseLv(tree, 'damaged.nd2')).toThrow(/more than 2,000,000 records/);
  });

  it('is refused when metadata decompress to more than the limit', () => {
    const bomb = Buffer.concat([Buffer.from([76, 0]), Buffer.alloc(10), deflateSync(Buffer.alloc(65 * 2 ** 20))]);
    expect(() => parseLv(bomb, 'damaged.nd2')).toThrow(/cannot be decompressed/);
  });
});
