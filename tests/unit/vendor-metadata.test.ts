/** What the readers list of the vendor's own metadata, each from a fixture of its format. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METADATA_LIMITS } from '../../src/metadata-list.js';
import { openAcquisition } from '../../src/open.js';
import { listHonestly } from '../support/honest.js';
import { timeSeries } from '../support/nd2.js';
import { lineScan } from '../support/oif.js';
import { tempFolder } from '../support/temp.js';
import { writeCzi } from '../writers/czi.js';
import { stack } from '../writers/czi-kinds.js';
import { picture, writeNd2 } from '../writers/nd2.js';
import { bool, bytes, f64, level, text } from '../writers/nd2-tree.js';
import { writeOib, writeOif } from '../writers/oif.js';

const root = tempFolder();

/** Writes a file into a folder of its own; returns its path. */
function file(name: string, content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(root, 'case-')), name);
  writeFileSync(path, content);
  return path;
}

/** Returns the list as `name=value`, with ` (note)` behind it. */
async function listed(path: string): Promise<string[]> {
  const { acquisition, close } = await openAcquisition(path);
  const entries = listHonestly(acquisition);
  close();
  return entries.map(({ name, value, note }) => `${name}=${value}${note ? ` (${note})` : ''}`);
}

/** Returns the entries among `expected` that the list has, in its order. */
async function among(path: string, expected: readonly string[]): Promise<string[]> {
  return (await listed(path)).filter((entry) => expected.includes(entry));
}

describe('CZI', () => {
  const objective = '<Objective Id="Objective:1"><LensNA>1.2</LensNA></Objective>';
  const xml =
    '<ImageDocument><Metadata><HardwareSetting><Stage>1</Stage></HardwareSetting>' +
    `<Information><Instrument><Objectives>${objective}</Objectives></Instrument></Information></Metadata></ImageDocument>`;

  it('lists the elements of the XML, with what is installed at the end', async () => {
    expect(await listed(file('a.czi', writeCzi({ ...stack(1, 1), xml })))).toEqual([
      'Information/Instrument/Objectives/Objective:1/LensNA=1.2',
      'HardwareSetting/Stage=1',
    ]);
  });

  it('finds the XML of a file that was not finished', async () => {
    const path = file('a.czi', writeCzi({ ...stack(1, 1), xml, finished: false }));
    expect(await listed(path)).toContain('Information/Instrument/Objectives/Objective:1/LensNA=1.2');
  });

  it('lists nothing without XML', async () => {
    const { blocks } = stack(1, 1);
    expect(await listed(file('a.czi', writeCzi({ blocks })))).toEqual([]);
  });
});

describe('ND2', () => {
  const tree = picture({ channels: [{ name: 'GFP' }, { name: 'RFP' }] });
  const more = [
    text('wsObjectiveName', 'Plan Apo 60x'),
    f64('dObjectiveNA', 1.4),
    level('pCameraSetting', [bool('Cooling', true), bytes('Table', new Uint8Array(9))]),
  ];
  const spec = timeSeries({
    picture: { ...tree, children: [...('children' in tree ? tree.children : []), ...more] } as typeof tree,
  });
  const expected = [
    'ImageMetadataSeq/wsObjectiveName=Plan Apo 60x',
    'ImageMetadataSeq/dObjectiveNA=1.4',
    'ImageMetadataSeq/pCameraSetting/Cooling=true',
    'ImageMetadataSeq/pCameraSetting/Table= (9 bytes)',
    'ImageTextInfo/TextInfoItem_5/Dimensions=T(120)',
    'ImageTextInfo/TextInfoItem_9=4/17/2025  4:39:00 PM',
  ];

  it('lists the trees of the file, also the levels that an open skips', async () => {
    expect(await among(file('a.nd2', writeNd2(spec)), expected)).toEqual(expected);
  });

  it('lists the trees of a file whose trees are XML', async () => {
    const inXml = expected.filter((entry) => !/Table|Dimensions/.test(entry));
    expect(await among(file('a.nd2', writeNd2({ ...spec, version: 2 })), inXml)).toEqual(inXml);
  });
});

describe('OIF and OIB', () => {
  const expected = [
    'Acquisition Parameters Common/ScanMode=XT',
    'Axis 0 Parameters Common/AxisCode=X',
    'GUI Channel 2 Parameters/CH Name=CHS1',
  ];

  it('lists the settings of the main file by their sections', async () => {
    expect(await among(writeOif(mkdtempSync(join(root, 'oif-')), lineScan()), expected)).toEqual(expected);
    expect(await among(file('a.oib', writeOib(lineScan())), expected)).toEqual(expected);
  });
});

describe('a file with a million settings', () => {
  it('gives as many as fit', async () => {
    const items = Array.from({ length: 200 }, (_, i) => `<S${i}>${'<v>1</v>'.repeat(200)}</S${i}>`).join('');
    const path = file(
      'a.czi',
      writeCzi({ ...stack(1, 1), xml: `<ImageDocument><Metadata>${items}</Metadata></ImageDocument>` }),
    );
    expect(await listed(path)).toHaveLength(METADATA_LIMITS.entries);
  });
});
