import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { tempFolder, writeTemp } from '../support/temp.js';
import { binData, omeXml } from '../writers/ome.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const plane = (i: number) => new Uint8Array(Uint16Array.from({ length: 12 }, (_, k) => 100 * i + k + 1).buffer);
const order = { BigEndian: 'false' };

const write = (block: (bytes: Uint8Array) => string) => (folder: string) => {
  const channels = ['<Channel ID="Channel:0" Name="DAPI"/>', '<Channel ID="Channel:1" Name="GFP"/>'];
  const children = [...channels, ...[0, 1, 2, 3, 4, 5].map((i) => block(plane(i)))];
  const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3, C: 2, T: 3 }, pixels: order, children }] });
  return writeTemp(folder, 'a.ome', xml);
};
const scene = { sizes: { T: 3, Z: 1, Y: 3, X: 4 }, channels: ['DAPI', 'GFP'], sampleType: 'uint16' };

conformanceSuite(
  'OME-XML',
  [
    { name: 'plain', write: write((bytes) => binData(bytes, {}, { wrap: true })), format: 'ome', scenes: [scene] },
    {
      name: 'compressed',
      write: write((bytes) => binData(deflateSync(bytes), { Compression: 'zlib' })),
      format: 'ome',
      scenes: [scene],
    },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);
