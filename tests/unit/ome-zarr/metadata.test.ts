import { describe, expect, it } from 'vitest';
import { omeZarrFormat } from '../../../packages/readers/src/formats/ome-zarr/format.js';
import { expectContradictionsSaid } from '../../support/contradiction.js';
import { openFiles, planeOf, smallImage, stack } from '../../support/ome-zarr.js';
import {
  arrayFiles,
  axis,
  groupFiles,
  type ImageSpec,
  imageFiles,
  json,
  type StoreFiles,
} from '../../writers/ome-zarr.js';

const merged = (...all: StoreFiles[]): StoreFiles => new Map(all.flatMap((files) => [...files]));
const MICRO = 'micrometer';

/** A small image of these axes; samples count up. */
function imageOf(axes: ImageSpec['axes'], shape: number[], over: Partial<ImageSpec> = {}): ImageSpec {
  const value: ImageSpec['value'] = (index) => index.reduce((sum, n, i) => sum * (shape[i] as number) + n, 0);
  return { version: 3, type: 'uint16', shape, chunks: shape, value, ...(axes ? { axes } : {}), ...over };
}

const sceneOf = async (spec: ImageSpec) => {
  const [scene] = openFiles(await imageFiles(spec)).info.scenes;
  if (!scene) throw new Error('no scene');
  return scene;
};

describe('axes', () => {
  it('in any order', async () => {
    const spec = imageOf([axis('x', MICRO), axis('c'), axis('y', MICRO), axis('t', 'second')], [5, 2, 3, 4], {
      scale: [0.1, 1, 0.2, 3],
    });
    const acquisition = openFiles(await imageFiles(spec));
    const [scene] = acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 4, Z: 1, Y: 3, X: 5 });
    expect(scene?.steps).toMatchObject({ T: { step: 3, unit: 'seconds' }, Y: { step: 0.2 }, X: { step: 0.1 } });
    const plane = await planeOf(acquisition, { channel: 1, t: 2 });
    for (const [y, x] of [
      [0, 0],
      [2, 4],
      [1, 3],
    ] as const)
      expect(plane[y * 5 + x]).toBe(spec.value([x, 1, y, 2]));
  });

  it.each([
    ['by name without types', ['t', 'c', 'z', 'y', 'x'], [2, 3, 4, 5, 6], { T: 2, Z: 4, Y: 5, X: 6 }, 3],
    ['not named before 0.3', undefined, [2, 3, 4, 5, 6], { T: 2, Z: 4, Y: 5, X: 6 }, 3],
    ['not named, fewer', undefined, [4, 5, 6], { T: 1, Z: 4, Y: 5, X: 6 }, 1],
    ['upper case', [{ name: 'C' }, { name: 'Y' }, { name: 'X' }], [3, 5, 6], { T: 1, Z: 1, Y: 5, X: 6 }, 3],
    [
      'by type, with names of their own',
      [
        { name: 'dye', type: 'channel' },
        { name: 'depth', type: 'space' },
        { name: 'down', type: 'space' },
        { name: 'across', type: 'space' },
      ],
      [3, 4, 5, 6],
      { T: 1, Z: 4, Y: 5, X: 6 },
      3,
    ],
    ['in depth without a y', ['z', 'x'], [4, 6], { T: 1, Z: 1, Y: 4, X: 6 }, 1],
    ['one in space', ['c', 'x'], [3, 6], { T: 1, Z: 1, Y: 1, X: 6 }, 3],
  ] as const)('%s', async (_, axes, shape, sizes, channels) => {
    const scene = await sceneOf(imageOf(axes as unknown as ImageSpec['axes'], [...shape]));
    expect(scene.sizes).toEqual(sizes);
    expect(scene.channels).toHaveLength(channels);
    const depth = axes?.[0] === 'z' && shape.length === 2;
    expect(scene.rowAxis).toBe(depth ? 'z' : undefined);
    expect(scene.warnings).toEqual(
      depth ? ['This is an x–z scan: the rows are depths, so the Y axis runs along z.'] : [],
    );
  });

  it('of no known meaning are served at their first entry', async () => {
    const spec = imageOf([{ name: 'angle', type: 'other' }, axis('y'), axis('x')], [3, 2, 2]);
    const acquisition = openFiles(await imageFiles(spec));
    expect(acquisition.info.scenes[0]?.warnings).toEqual(['The axis "angle" has 3 entries. Showing only the first.']);
    expect([...(await planeOf(acquisition))]).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['too few', [axis('y'), axis('x')], 'decode_failed', /list 2 axes, but the array has 3 dimensions/],
    ['twice the same', [axis('y'), axis('y'), axis('x')], 'decode_failed', /two axes called "y"/],
    [
      'none in space',
      [axis('t'), axis('c'), { name: 'f', type: 'frequency' }],
      'unsupported_format',
      /none of the axes is in space/,
    ],
    ['without a name', [axis('c'), axis('y'), { type: 'space' }], 'decode_failed', /has no name/],
  ] as const)('%s are refused', async (_, axes, code, message) => {
    const files = await imageFiles(imageOf(axes as unknown as ImageSpec['axes'], [2, 3, 4]));
    expect(() => openFiles(files)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});

describe('a scale that cannot be used', () => {
  const axes = [axis('c'), axis('y', MICRO), axis('x', MICRO)];
  it.each([
    ['of too few axes', [0.5, 0.5], /has 2 numbers for 3 axes/],
    ['of too many axes', [1, 0.5, 0.5, 0.5], /has 4 numbers for 3 axes/],
    ['with texts', [1, '0.5', 0.25], /is not a number along y; the steps along y are missing/],
    ['with nothing', [1, 0.5, null], /is not a number along x; the steps along x are missing/],
  ])('%s is told', async (_, scale, message) => {
    const scene = await sceneOf(imageOf(axes, [1, 2, 3], { scale: scale as number[] }));
    expect(scene.warnings).toEqual([expect.stringMatching(message)]);
    expect(scene.steps.Y.unit === 'Pixels' || scene.steps.X.unit === 'Pixels').toBe(true);
  });

  it('without a unit is told', async () => {
    const scene = await sceneOf(imageOf([axis('y', ''), axis('x', MICRO)], [2, 3], { scale: [0.5, 0.25] }));
    expect(scene.warnings).toEqual([expect.stringContaining('0.5 has no unit')]);
  });
});

describe('documents', () => {
  it.each([
    ['millions of escapes', '\\\\'.repeat(10_000_000)],
    ['a text without an end', 'x'.repeat(10_000_000)],
    ['an escape at the end', `${'x'.repeat(1000)}\\`],
  ])('of %s are refused as damaged', async (_name, text) => {
    const files = await imageFiles(imageOf([axis('y'), axis('x')], [2, 3]));
    files.set('zarr.json', Uint8Array.from(Buffer.from(`{"a": NaN, "b": "${text}`)));
    expect(() => openFiles(files)).toThrow(expect.objectContaining({ code: 'decode_failed' }));
  });
});

describe('line scans', () => {
  it('have time for rows', async () => {
    const spec = imageOf([axis('t', 'millisecond'), axis('c'), axis('x', MICRO)], [6, 2, 4], { scale: [2, 1, 0.25] });
    const acquisition = openFiles(await imageFiles(spec));
    const [scene] = acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual([]);
    expect((await planeOf(acquisition, { channel: 1 }))[5 * 4 + 3]).toBe(spec.value([5, 1, 3]));
  });

  it('have a y in seconds', async () => {
    const scene = await sceneOf(imageOf([axis('y', 'second'), axis('x', MICRO)], [6, 4], { scale: [0.002, 0.25] }));
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
  });

  it('may be frames of one row', async () => {
    const spec = imageOf([axis('t', 'second'), axis('y', MICRO), axis('x', MICRO)], [6, 1, 4], {
      scale: [0.002, 1, 0.25],
    });
    const acquisition = openFiles(await imageFiles(spec));
    const [scene] = acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene?.warnings).toEqual(['6 frames of one row are shown as the lines of a line scan.']);
    expect([...(await planeOf(acquisition))]).toEqual(Array.from({ length: 24 }, (_, i) => i));
  });
});

describe('steps', () => {
  const step = async (unit: string | undefined, scale: number) => {
    const { steps, warnings } = await sceneOf(
      imageOf([axis('y'), { name: 'x', ...(unit === undefined ? {} : { unit }) }], [2, 2], { scale: [1, scale] }),
    );
    return { ...steps.X, warnings };
  };

  it.each([
    ['micrometer', 0.25, 0.25],
    ['nanometer', 250, 0.25],
    ['millimeter', 0.001, 1],
    ['meter', 1e-6, 1],
    ['angstrom', 2500, 0.25],
    ['µm', 0.25, 0.25],
    ['um', 0.25, 0.25],
  ])('in %s', async (unit, scale, wanted) => {
    const found = await step(unit, scale);
    expect(found.step).toBeCloseTo(wanted, 12);
    expect([found.unit, found.origin, found.warnings]).toEqual(['micrometer', 'file', []]);
  });

  it.each([
    [undefined, 1, []],
    [undefined, 0.25, ['X step: 0.25 has no unit in the file, so it was ignored.']],
    ['second', 1, [expect.stringContaining('the unit "second" is not a known unit of length')]],
    ['parsec', 1, [expect.stringContaining('parsec')]],
    ['micrometer', -1, [expect.stringContaining('-1 micrometer is not a valid step')]],
    ['micrometer', 0, [expect.stringContaining('0 micrometer is not a valid step')]],
  ])('in %s of %d are pixels', async (unit, scale, warnings) => {
    expect(await step(unit, scale)).toEqual({ step: 1, unit: 'Pixels', origin: 'default', warnings });
  });

  it('of the level times those of the image', async () => {
    const files = await imageFiles(smallImage());
    const attributes = JSON.parse(Buffer.from(files.get('.zattrs') as Uint8Array).toString());
    attributes.multiscales[0].coordinateTransformations = [{ type: 'scale', scale: [1, 10, 100] }];
    attributes.multiscales[0].datasets[0].coordinateTransformations.push({
      type: 'translation',
      translation: [1, 2, 3],
    });
    files.set('.zattrs', json(attributes));
    const [scene] = openFiles(files).info.scenes;
    expect([scene?.steps.Y.step, scene?.steps.X.step]).toEqual([5, 25]);
  });
});

describe('versions', () => {
  it('0.4 attributes in a Zarr 3 group', async () => {
    const files = await imageFiles(smallImage({ version: 3 }));
    const { attributes } = JSON.parse(Buffer.from(files.get('zarr.json') as Uint8Array).toString());
    files.set('zarr.json', json({ zarr_format: 3, node_type: 'group', attributes: attributes.ome }));
    expect(openFiles(files).info.scenes[0]?.steps.X.step).toBe(0.25);
  });

  it('of both kinds beside each other: the one that describes an image', async () => {
    const files = await imageFiles(smallImage());
    files.set('zarr.json', json({ zarr_format: 3, node_type: 'group' }));
    expect(openFiles(files).info.scenes[0]?.steps.X.step).toBe(0.25);
  });

  it('of Zarr that are missing are refused', () => {
    const files = new Map([['zarr.json', json({ zarr_format: 4, node_type: 'group' })]]);
    expect(() => openFiles(files)).toThrow(/Zarr format 4 is not supported/);
  });
});

describe('several images', () => {
  it('in one group are scenes', async () => {
    const files = await imageFiles(stack());
    const document = JSON.parse(Buffer.from(files.get('zarr.json') as Uint8Array).toString());
    const [first] = document.attributes.ome.multiscales;
    document.attributes.ome.multiscales = [
      { ...first, name: 'one' },
      { ...first, axes: [axis('y'), axis('x')], name: 'two', datasets: [{ path: 'b' }] },
    ];
    files.set('zarr.json', json(document));
    const more = await arrayFiles({ ...imageOf(undefined, [3, 4]), path: 'b' });
    const acquisition = openFiles(merged(files, more));
    expect(acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.Y])).toEqual([
      ['one', 9],
      ['two', 3],
    ]);
    expect([...(await planeOf(acquisition, { scene: 1 }))]).toEqual(Array.from({ length: 12 }, (_, i) => i));
  });

  const XML = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">
    <Instrument ID="Instrument:0"><Microscope Manufacturer="Nikon" Model="A1"/></Instrument>
    <Image ID="Image:0" Name="first"><AcquisitionDate>2023-04-05T06:07:08.5</AcquisitionDate><InstrumentRef ID="Instrument:0"/><Pixels PhysicalSizeX="0.5" PhysicalSizeY="500" PhysicalSizeYUnit="nm"><Channel Name="GCaMP"/></Pixels></Image>
    <Image ID="Image:1" Name="second"><Pixels/></Image></OME>`;
  const series = async (root: StoreFiles, paths: string[]) => {
    const images = await Promise.all(paths.map((path) => imageFiles(imageOf(undefined, [2, 3], { version: 2, path }))));
    return merged(root, ...images, new Map([['OME/METADATA.ome.xml', Uint8Array.from(Buffer.from(XML))]]));
  };

  it('numbered by bioformats2raw, with what the OME-XML says', async () => {
    const files = await series(groupFiles(2, '', { 'bioformats2raw.layout': 3 }), ['0', '1']);
    const { scenes } = openFiles(files).info;
    expect(scenes.map(({ name, date, time }) => [name, date, time])).toEqual([
      ['first', '20230405', '06:07:08'],
      ['second', '', ''],
    ]);
    expect(scenes[0]?.instrument).toEqual({ microscope: 'Nikon A1', start: '2023-04-05T06:07:08.5' });
    expect(scenes[1]?.instrument).toBeUndefined();
    expect(scenes[0]?.channels).toEqual([{ name: 'GCaMP' }]);
    expect(scenes[0]?.steps).toMatchObject({
      Y: { step: 0.5, unit: 'micrometer' },
      X: { step: 0.5, unit: 'micrometer' },
    });
  });

  it('have what the OME-XML says of the only image, also at the root', async () => {
    const ofOne = XML.replace(/<Image ID="Image:1".*<\/OME>/, '</OME>');
    const dates = [ofOne, XML].map(async (xml) => {
      const image = await imageFiles(imageOf(undefined, [2, 3], { version: 2 }));
      const files = merged(image, new Map([['OME/METADATA.ome.xml', Uint8Array.from(Buffer.from(xml))]]));
      return openFiles(files).info.scenes.map(({ name, date, time }) => [name, date, time]);
    });
    expect(await Promise.all(dates)).toEqual([[['first', '20230405', '06:07:08']], [['', '', '']]]);
  });

  it('are as far apart as the planes of the OME-XML say, and contradictions are said', async () => {
    const open = async (increment: number, at: readonly number[], kind: 't' | 'z' = 't') => {
      const unit = kind === 't' ? 'second' : 'micrometer';
      const axes = [axis(kind, unit), axis('y'), axis('x')];
      const image = imageOf(axes, [at.length, 2, 3], { version: 2, path: '0', scale: [increment, 1, 1] });
      const planes = at.map((value, i) =>
        kind === 't'
          ? `<Plane TheC="0" TheZ="0" TheT="${i}" DeltaT="${1000 * value + 70}" DeltaTUnit="ms"/>`
          : `<Plane TheC="0" TheZ="${i}" TheT="0" PositionZ="${9000 - value}" PositionZUnit="µm"/>`,
      );
      const xml = `<?xml version="1.0" encoding="UTF-8"?><OME><Image ID="Image:0"><Pixels>${planes.join('')}</Pixels></Image></OME>`;
      const files = merged(
        groupFiles(2, '', { 'bioformats2raw.layout': 3 }),
        await imageFiles(image),
        new Map([['OME/METADATA.ome.xml', Uint8Array.from(Buffer.from(xml))]]),
      );
      return { acquisition: openFiles(files), close: () => {} };
    };
    await expectContradictionsSaid(open);
    await expectContradictionsSaid((step, at) => open(step, at, 'z'), { axis: 'Z' });
    const uneven = (await open(3, [0, 1, 2, 9])).acquisition.info.scenes[0];
    expect(uneven?.warnings.join()).toMatch(/1 s to 7 s apart \(median 1 s\), by their time stamps \(DeltaT\)/);
  });

  it('have a scale that contradicts the OME-XML only with a warning', async () => {
    const files = await series(groupFiles(2, '', { 'bioformats2raw.layout': 3 }), []);
    const axes = [axis('y', MICRO), axis('x', MICRO)];
    const scaled = merged(files, await imageFiles(imageOf(axes, [2, 3], { version: 2, path: '0', scale: [0.5, 0.2] })));
    const [scene] = openFiles(scaled).info.scenes;
    expect(scene?.steps.X.step).toBe(0.2);
    expect(scene?.warnings).toEqual([
      'X step: the scale of the axis says 0.2 µm, but PhysicalSizeX of the OME-XML says 0.5 µm. Showing 0.2 µm.',
    ]);
  });

  it('listed by bioformats2raw', async () => {
    const files = await series(groupFiles(2, '', { 'bioformats2raw.layout': 3 }), ['b', 'a']);
    files.set('OME/.zattrs', json({ series: ['b', 'a', 'gone'] }));
    files.set('OME/.zgroup', json({ zarr_format: 2 }));
    const { scenes } = openFiles(files).info;
    expect(scenes.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(scenes[0]?.warnings).toContain('gone was skipped: it is listed, but missing.');
  });

  it('of a plate, those that can be read', async () => {
    const images = ['A/1/0', 'A/1/1', 'B/2/0'].map((path) => imageFiles(smallImage({ path })));
    const files = merged(
      groupFiles(2, '', { plate: { wells: [{ path: 'A/1' }, { path: 'B/2' }, { path: 'C/3' }] } }),
      groupFiles(2, 'A/1', { well: { images: [{ path: '0' }, { path: '1' }] } }),
      groupFiles(2, 'B/2', { well: { images: [{ path: '0' }] } }),
      ...(await Promise.all(images)),
    );
    files.delete('A/1/1/0/.zarray');
    const { scenes } = openFiles(files).info;
    expect(scenes.map(({ name }) => name)).toEqual(['A/1/0', 'B/2/0']);
    expect(scenes[1]?.warnings).toEqual([
      'C/3 was skipped: it is listed, but missing.',
      'memory.ome.zarr/A/1/1/0: the image A/1/1 was skipped: the array that "multiscales" lists is missing',
    ]);
  });

  it('of a well that is opened alone', async () => {
    const well = groupFiles(3, '', { well: { images: [{ path: '0' }, { path: '1' }] } });
    const files = merged(well, await imageFiles(stack({ path: '0' })), await imageFiles(stack({ path: '1' })));
    expect(openFiles(files).info.scenes.map(({ name }) => name)).toEqual(['0', '1']);
  });
});

describe('channel names', () => {
  it('are the labels of omero, and numbers where it has none', async () => {
    const omero = { channels: [{ label: 'DAPI' }, { color: 'FF0000' }] };
    const scene = await sceneOf(stack({ ome: { omero } }));
    expect(scene.channels.map(({ name }) => name)).toEqual(['DAPI', 'CH2', 'CH3']);
  });
});

describe('windows of omero', () => {
  it('are served where they are sound', async () => {
    const windows = [
      { min: 0, max: 65_535, start: 100, end: 4000 },
      { start: 5, end: 5 },
      { start: 'black', end: 1 },
    ];
    const omero = { channels: windows.map((window) => ({ window })) };
    const scene = await sceneOf(stack({ ome: { omero } }));
    expect(scene.channels).toEqual([
      { name: 'CH1', window: { start: 100, end: 4000 } },
      { name: 'CH2' },
      { name: 'CH3' },
    ]);
  });
});

describe('what is refused', () => {
  const refused = (files: StoreFiles, code: string, message: RegExp) =>
    expect(() => openFiles(files)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));

  it('a group without images, an array alone, nothing', async () => {
    refused(groupFiles(3, '', {}), 'unsupported_format', /has no "multiscales"/);
    refused(await arrayFiles({ ...imageOf(undefined, [2, 2]), path: '' }), 'unsupported_format', /open that folder/);
    refused(new Map([['a', new Uint8Array()]]), 'unsupported_format', /without OME-Zarr images/);
  });

  it.each(['../0', '/0', 'a/../../0', 'a\\b', '0//1', '..', ''])('the path %j', async (path) => {
    const files = await imageFiles(smallImage());
    files.set('.zattrs', json({ multiscales: [{ datasets: [{ path }] }] }));
    refused(files, 'decode_failed', /leads out of the store/);
  });

  it('a level that is a group, a dataset without a path, no datasets', async () => {
    const files = await imageFiles(smallImage());
    files.set('labels/.zgroup', json({ zarr_format: 2 }));
    for (const [datasets, message] of [
      [[{ path: 'labels' }], /labels: expected an array, found a group/],
      [[{}], /without a path/],
      [[], /lists no datasets/],
    ] as const) {
      files.set('.zattrs', json({ multiscales: [{ datasets }] }));
      refused(files, 'decode_failed', message);
    }
  });

  it('documents that are not a JSON objects', async () => {
    const files = await imageFiles(smallImage());
    for (const text of ['', '{', '[]', '7', '{"multiscales":[}']) {
      files.set('.zattrs', Uint8Array.from(Buffer.from(text)));
      refused(files, 'decode_failed', /\.zattrs is not (valid JSON|a JSON object)/);
    }
  });
});

describe('what a file stands for', () => {
  it.each([
    ['/data/a.ome.zarr/.zattrs', '/data/a.ome.zarr'],
    ['/data/a.ome.zarr/0/zarr.json', '/data/a.ome.zarr'],
    ['/data/a.zarr/A/1/0/.zgroup', '/data/a.zarr'],
    ['/data/a.zarr/0/c/0/1', '/data/a.zarr'],
    ['/data/a.zarr/0/0.1.2', '/data/a.zarr'],
    ['C:\\data\\a.zarr\\0\\.zarray', 'C:\\data\\a.zarr'],
    ['/data/recording/zarr.json', '/data/recording'],
    ['/data/recording/0/.zarray', '/data/recording'],
    ['/data/a.zarr/notes.tif', undefined],
    ['/data/recording/0/0', undefined],
    ['/data/a.zarr', undefined],
  ])('%s', (path, wanted) => expect(omeZarrFormat.home?.(path)).toBe(wanted));
});
