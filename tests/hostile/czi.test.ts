import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { dims, PIXEL_TYPES, writeCzi, writeCziSet } from '../writers/czi.js';
import { color, lineScan, mosaic, stack } from '../writers/czi-kinds.js';
import { miniVector, tinyVector } from '../writers/czi-vectors.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../writers/jpegxr-vectors.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const TILES = [0, 1, 2, 3].map((m) => ({ m, x: (m % 2) * 6, y: Math.floor(m / 2) * 4, s: m === 3 ? 1 : 0 }));
const [MAIN, PART] = writeCziSet({
  ...stack(1, 2),
  blocks: stack(1, 2).blocks.map((block, i) => ({ ...block, part: i >> 1 })),
}) as [Uint8Array, Uint8Array];
const PICTURE = {
  dims: dims({ X: JPEG_XR_WIDTH, Y: JPEG_XR_HEIGHT }),
  pixelType: PIXEL_TYPES.Bgr24,
  compression: 4,
  data: JPEG_XR.bgr24,
};

/** Small files of every kind; siblings are whole. */
const SEEDS: { name: string; bytes: Uint8Array; siblings?: Record<string, Uint8Array> }[] = [
  { name: 'tiny.czi', bytes: tinyVector() },
  { name: 'mini.czi', bytes: miniVector() },
  {
    name: 'line.czi',
    bytes: writeCzi({ ...lineScan(12, 6, 2, 4, { coded: [1], period: 0.002 }), directoryFirst: true }),
  },
  { name: 'unfinished.czi', bytes: writeCzi({ ...lineScan(12, 6, 2, 4), finished: false }) },
  { name: 'stack.czi', bytes: writeCzi({ ...stack(2, 2), deleted: true }) },
  { name: 'tiles.czi', bytes: writeCzi(mosaic(TILES)) },
  { name: 'color.czi', bytes: writeCzi(color('Bgra32')) },
  { name: 'picture.czi', bytes: writeCzi({ blocks: [PICTURE] }) },
  {
    name: 'old.czi',
    bytes: writeCzi({ blocks: stack(1, 2).blocks.map((one) => ({ ...one, schema: 'DE' as const })) }),
  },
  { name: 'set.czi', bytes: MAIN, siblings: { 'set (1).czi': PART } },
  { name: 'set (1).czi', bytes: PART, siblings: { 'set.czi': MAIN } },
];

/** Opens an acquisition in memory, with the other files of its set beside the damaged one. */
function opener(name: string, siblings: Record<string, Uint8Array> = {}) {
  return (bytes: Uint8Array) => openBytes(name, bytes, siblings);
}

describe('damaged CZI files', () => {
  const perSeed = Math.ceil(hostileCases() / SEEDS.length);

  it.each(SEEDS)(`are refused or read honestly: $name, ${perSeed} cases`, { timeout: 3_600_000 }, async (seed) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perSeed; i++) {
      outcomes[await honest(i, () => opener(seed.name, seed.siblings)(mutate(seed.bytes, i)))]++;
    }
    // Damage in pixels and in texts that nobody needs leaves a file readable; damage in headers does not.
    expect(outcomes.opened).toBeGreaterThan(perSeed / 4);
    expect(outcomes.refused).toBeGreaterThan(perSeed / 100);
  });

  it.each(SEEDS)('$name truncated anywhere has true planes only', async ({ name, bytes, siblings }) => {
    const witness = await Witness.of(bytes, opener(name, siblings), { pieces: true });
    await witness.expectTrueCuts(cutLengths(bytes, 200));
  });

  it.each(SEEDS)(
    `$name with a few other bytes has true planes only, ${perSeed} cases`,
    { timeout: 3_600_000 },
    async (seed) => {
      const witness = await Witness.of(seed.bytes, opener(seed.name, seed.siblings), { pieces: true });
      // JPEG XR has no checksum: each byte of it stands for many samples.
      await witness.expectTrueChanges(perSeed, seed.name === 'picture.czi' ? 0.3 : 0.1);
    },
  );
});
