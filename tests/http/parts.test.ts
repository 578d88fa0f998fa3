import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { frames } from '../support/oif.js';
import { postOpen } from '../support/open.js';
import { describeWithSamples, samplePath } from '../support/samples.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { description } from '../support/tiff-cases.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer | undefined;
afterEach(() => server?.close());

async function open(path: string, roots: string[] = []): Promise<[number, OpenResponse & { error?: string }]> {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1, roots });
  return postOpen(server.url, { path });
}

describe('a part of an acquisition, opened through the server', () => {
  it('opens the OIF of a plane file', async () => {
    const path = writeOif(folder, frames());
    const [status, answer] = await open(join(folder, 'stack.oif.files', 's_C001Z001T001.tif'));
    expect(status).toBe(200);
    expect(answer.source.path).toBe(path);
    expect(answer.header.sizes).toEqual({ C: 2, T: 2, Z: 3, Y: 3, X: 5 });
  });

  it('does not open an acquisition outside the roots', async () => {
    writeOif(folder, frames());
    const inside = join(folder, 'stack.oif.files');
    const [status, answer] = await open(join(inside, 's_C001Z001T001.tif'), [inside]);
    expect([status, answer.error]).toEqual([403, 'path_not_allowed']);
  });

  it('opens the recording of an OIR continuation without extension', async () => {
    const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]);
    writeFileSync(join(folder, 'rec.oir'), main as Uint8Array);
    writeFileSync(join(folder, 'rec_00001'), part as Uint8Array);
    const [status, answer] = await open(join(folder, 'rec_00001'));
    expect(status).toBe(200);
    expect(answer.source.name).toBe('rec.oir');
    expect(answer.header.sizes['T']).toBe(6);
  });

  it.each(['cells.companion.ome', 'cells-companion.ome', 'Cells.OME'])(
    'opens the OME-TIFF set of %s, by that file and by a TIFF',
    async (companion) => {
      const at = mkdtempSync(join(folder, 'ome-'));
      const files = ['a', 'b'].map((name) => ({ name: `${name}.ome.tif`, uuid: `urn:uuid:${name}` }));
      const children = files.map((file, z) => tiffData({ IFD: 0, FirstZ: z, PlaneCount: 1 }, file));
      writeFileSync(join(at, companion), omeXml({ images: [{ sizes: { X: 2, Y: 1, Z: 2 }, children }] }));
      for (const [z, { name, uuid }] of files.entries()) {
        const text = `<OME UUID="${uuid}"><BinaryOnly MetadataFile="${companion}" UUID="urn:uuid:c"/></OME>`;
        const samples = Uint16Array.of(z, z);
        writeFileSync(
          join(at, name),
          writeTiff({ pages: [{ width: 2, height: 1, samples, tags: [description(text)] }] }),
        );
      }
      const [status, answer] = await open(join(at, companion));
      expect([status, answer.source?.format, answer.warnings]).toEqual([200, 'ome.tif', []]);
      expect([answer.header.sizes, answer.selection]).toEqual([{ C: 1, Z: 2, Y: 1, X: 2 }, { Z: 0 }]);
      await server?.close();
      const [, part] = await open(join(at, 'b.ome.tif'));
      expect([part.header.sizes, part.selection]).toEqual([answer.header.sizes, { Z: 1 }]);
    },
  );

  it('opens OME-XML with embedded pixels, and refuses damaged ones', async () => {
    const path = join(folder, 'inside.ome');
    const write = (data: string) => {
      const children = [`<BinData Length="8">${data}</BinData>`];
      writeFileSync(path, omeXml({ images: [{ sizes: { X: 2, Y: 1 }, children }] }));
    };
    write('AQACAA==');
    const [status, answer] = await open(path);
    expect([status, answer.header?.sizes]).toEqual([200, { C: 1, Y: 1, X: 2 }]);
    write('AAAAAAAA');
    const [refused, { error }] = await open(path);
    expect([refused, error]).toEqual([500, 'decode_failed']);
  });
});

describeWithSamples('a set of the OME project', () => {
  it('opens by its companion file', async () => {
    const set = 'tiff-ome/ome+bioformats/2015-01/set-1-meta-companion-gray/18x24y5z1t1c8b-text-companion.ome';
    const [status, answer] = await open(samplePath(set));
    expect([status, answer.header?.sizes]).toEqual([200, { C: 1, Z: 5, Y: 24, X: 18 }]);
  });
});
