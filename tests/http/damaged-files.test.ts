/** What is lost in a damaged file is told by every answer about it, and nothing else is shown in its place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorEnvelope } from '../../packages/client/src/contract/error.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { overview, seriesVector } from '../support/lif.js';
import { openOk, postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeLif } from '../writers/lif.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string, selection: Record<string, number> = {}): Promise<OpenResponse> {
  return openOk(server.url, { path, selection });
}

async function refused(path: string, selection: Record<string, number> = {}): Promise<ErrorEnvelope> {
  const [status, answer] = await postOpen<ErrorEnvelope>(server.url, { path, selection });
  expect(status, JSON.stringify(answer)).not.toBe(200);
  return answer;
}

async function firstSample({ channels }: OpenResponse, channel = 0): Promise<number | undefined> {
  const response = await fetch(new URL(channels[channel]?.dataUrl ?? '', server.url));
  return new Float32Array(await response.arrayBuffer())[0];
}

describe('an OME-TIFF that ends before its OME-XML', () => {
  /** Two channels of three sections; the OME-XML is the last thing in the file, as Bio-Formats writes it. */
  const xml = omeXml({
    images: [{ sizes: { X: 4, Y: 3, C: 2, Z: 3 }, order: 'XYCZT', children: ['<TiffData/>'] }],
  });
  const whole = withTextAtEnd(
    writeTiff({
      ifds: 'end',
      pages: Array.from({ length: 6 }, (_, i) => countingPage(i, i === 0 ? [description('to be replaced')] : [])),
    }),
    xml,
  );
  const LOST = 'Which channel, time point (T) or section (Z) each page is, is unknown.';

  it('opens in page order with a warning that the order is unknown', async () => {
    const before = await open(writeTemp(folder, 'whole.ome.tif', whole), { Z: 2 });
    expect(before.warnings).toEqual([]);
    expect(before.channels).toHaveLength(2);
    expect(await firstSample(before, 1)).toBe(60);

    const cut = whole.subarray(0, whole.length - 20);
    const answer = await open(writeTemp(folder, 'cut.ome.tif', cut), { Z: 5 });
    expect(answer.channels).toHaveLength(1);
    expect(await firstSample(answer)).toBe(60);
    expect(answer.warnings).toContainEqual(
      `The file has no OME-XML that can be used, so its pages are shown in page order. ${LOST}`,
    );
    expect(answer.warnings).toContainEqual(
      `The description of the pages (ImageDescription) is behind the end of the file, which is truncated. ${LOST}`,
    );
  });

  it('warns about missing OME-XML when only its name says .ome.tif', async () => {
    const pages = Array.from({ length: 6 }, (_, i) => countingPage(i));
    const answer = await open(writeTemp(folder, 'bare.ome.tif', writeTiff({ pages })));
    expect(answer.warnings.join()).toContain('The file has no OME-XML that can be used');
    const plain = await open(writeTemp(folder, 'bare.tif', writeTiff({ pages })));
    expect(plain.warnings.join()).not.toContain('OME-XML');
  });
});

/** The ImageDescription of the first page, moved behind everything else. */
function withTextAtEnd(tiff: Uint8Array, text: string): Uint8Array {
  const bytes = Buffer.concat([tiff, Buffer.from(`${text}\0`)]);
  const ifd = bytes.readUInt32LE(4);
  const entries = Array.from({ length: bytes.readUInt16LE(ifd) }, (_, i) => ifd + 2 + 12 * i);
  const at = entries.find((entry) => bytes.readUInt16LE(entry) === 270);
  if (at === undefined) throw new Error('the page has no description');
  bytes.writeUInt32LE(text.length + 1, at + 4);
  bytes.writeUInt32LE(tiff.length, at + 8);
  return bytes;
}

describe('an OME-TIFF set without one of its parts', () => {
  const OWN = 'urn:uuid:11111111-1111-1111-1111-111111111111';
  const OTHER = { name: 't1.ome.tif', uuid: 'urn:uuid:22222222-2222-2222-2222-222222222222' };
  const part = (children: string[], T: number) => {
    const xml = omeXml({ uuid: OWN, images: [{ sizes: { X: 4, Y: 3, T }, children }] });
    return writeTiff({ pages: [countingPage(1, [description(xml)])] });
  };
  const MISSING = '"t1.ome.tif", a file of this set, is missing';

  it('does not show a plane of the remaining file in place of a missing one', async () => {
    const path = writeTemp(
      folder,
      't0.ome.tif',
      part([tiffData({ IFD: 0 }), tiffData({ IFD: 0, FirstT: 1 }, OTHER)], 2),
    );
    const answer = await open(path, { T: 0 });
    expect(await firstSample(answer)).toBe(12);
    expect(answer.warnings).toContainEqual('Missing from the folder: t1.ome.tif. The planes in it cannot be read.');
    const error = await refused(path, { T: 1 });
    expect(error.error).toBe('companion_missing');
    expect(error.message).toContain(MISSING);
  });

  it('shows the pages of the remaining file in unknown order when it contains all planes', async () => {
    const answer = await open(writeTemp(folder, 'alone.ome.tif', part([tiffData({ IFD: 0 }, OTHER)], 1)));
    expect(answer.warnings.join()).toContain(MISSING);
    expect(answer.warnings.join()).toContain('The file has no OME-XML that can be used');
  });
});

describe('a LIF with one damaged byte in its XML', () => {
  const whole = writeLif({ elements: [overview(), seriesVector()] });
  /** `text` inside the XML, which is UTF-16, with one byte of it changed. */
  const damaged = (text: string) => {
    const bytes = Buffer.from(whole);
    const at = bytes.lastIndexOf(Buffer.from(text, 'utf16le'));
    expect(at).toBeGreaterThan(0);
    bytes[at + 2] = 0x2e;
    return bytes;
  };

  it('names the pixel memory of an image that the XML lost', async () => {
    const before = await open(writeTemp(folder, 'whole.lif', whole));
    expect(before.source.scenes).toHaveLength(2);
    expect(before.warnings).toEqual([]);

    const answer = await open(writeTemp(folder, 'dropped.lif', damaged('Memory Size="240"')));
    // A file of one scene does not list it.
    expect(answer.source.scenes).toBeUndefined();
    expect(answer.warnings).toContainEqual(
      'The file has data that do not belong to any image, so images (scenes) may be missing. ' +
        'Unused memory blocks: "MemBlock_2" (240 bytes).',
    );
    expect(await firstSample(answer)).toBe(await firstSample(before));
  });

  it('reports a start tag and end tag that do not match', async () => {
    const answer = await open(writeTemp(folder, 'open-tag.lif', damaged('Element Name="Series002"')));
    expect(answer.source.scenes).toBeUndefined();
    expect(answer.warnings.join()).toContain(
      'The XML that describes the images is corrupted (unexpected close tag). Images (scenes) or channels may be missing',
    );
  });
});
