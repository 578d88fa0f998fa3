/** A setting that the planes contradict is never served in silence: OME-TIFF, OME-XML, Micro-Manager, NDTiff. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { countingPage, description } from '../../support/tiff-cases.js';
import { writeMicroManager } from '../../writers/micro-manager.js';
import { writeNdtiff } from '../../writers/ndtiff.js';
import { binData, omeXml } from '../../writers/ome.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
type Axis = 'T' | 'Z';
type Write = (axis: Axis, nominal: number, at: readonly number[]) => Record<string, Uint8Array | string>;

function open(files: Record<string, Uint8Array | string>) {
  const folder = mkdtempSync(join(root, 'planted-'));
  for (const [name, bytes] of Object.entries(files)) writeTemp(folder, name, bytes);
  return openAcquisition(join(folder, Object.keys(files)[0]!));
}

function ome(axis: Axis, nominal: number, at: readonly number[], pixels: string[]): string {
  const planes = at.map((value, i) =>
    axis === 'T'
      ? `<Plane TheZ="0" TheC="0" TheT="${i}" DeltaT="${value}"/>`
      : `<Plane TheZ="${i}" TheC="0" TheT="0" PositionZ="${value}" PositionZUnit="µm"/>`,
  );
  const set: Record<string, number> = axis === 'T' ? { TimeIncrement: nominal } : { PhysicalSizeZ: nominal };
  const sizes = { X: 4, Y: 3, [axis]: at.length };
  return omeXml({ images: [{ sizes, pixels: set, children: [...pixels, ...planes] }] });
}

const WRITERS: [string, Write][] = [
  [
    'OME-TIFF',
    (axis, nominal, at) => {
      const xml = description(ome(axis, nominal, at, ['<TiffData/>']));
      return { 'a.ome.tif': writeTiff({ pages: at.map((_, i) => countingPage(i, i === 0 ? [xml] : [])) }) };
    },
  ],
  [
    'OME-XML with pixels',
    (axis, nominal, at) => ({
      'a.ome': ome(
        axis,
        nominal,
        at,
        at.map(() => binData(new Uint8Array(24), { BigEndian: 'false' })),
      ),
    }),
  ],
  [
    'Micro-Manager',
    (axis, nominal, at) => {
      const field = (value: number) => (axis === 'T' ? { 'ElapsedTime-ms': value * 1000 } : { ZPositionUm: value });
      const pages = at.map((value, i) =>
        countingPage(i, [{ code: 51_123, type: 2, text: JSON.stringify(field(value)) }]),
      );
      const summary = axis === 'T' ? { Interval_ms: nominal * 1000 } : { 'z-step_um': nominal };
      const index = at.map((_, i): [number, number, number, number] => (axis === 'T' ? [0, 0, i, 0] : [0, i, 0, 0]));
      return { 'a_MMStack.tif': writeMicroManager({ summary, pages, index }) };
    },
  ],
  [
    'NDTiff',
    (axis, nominal, at) =>
      writeNdtiff({
        summary: axis === 'T' ? { Interval_ms: nominal * 1000 } : { 'z-step_um': nominal },
        images: at.map((value, i) => ({
          axes: axis === 'T' ? { time: i } : { z: i },
          ...{ width: 2, height: 2, samples: Uint8Array.of(i, 1, 2, 3) },
          metadata: axis === 'T' ? { 'ElapsedTime-ms': value * 1000 } : { ZPositionUm: value },
        })),
      }),
  ],
];

describe.each(WRITERS)('a step of %s that the planes contradict', (_, write) => {
  it.each(['T', 'Z'] as const)('is said: %s', async (axis) => {
    await expectContradictionsSaid((nominal, at) => open(write(axis, nominal, at)), { axis });
  });
});
