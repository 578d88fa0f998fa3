import { describe, expect, it } from 'vitest';
import { openFiles, planeOf } from '../../support/ome-zarr.js';
import { axis, groupFiles, type ImageSpec, imageFiles, json, type StoreFiles } from '../../writers/ome-zarr.js';

const MICRO = 'micrometer';
const PHYSICAL = { name: 'physical', axes: [axis('y', MICRO), axis('x', MICRO)] };
const ARRAY = {
  name: 'array',
  axes: [
    { name: 'dim_0', type: 'array' },
    { name: 'dim_1', type: 'array' },
  ],
};
const TO_PHYSICAL = { input: { path: '0' }, output: { name: 'physical' } };
const TO_ARRAY = { input: { path: '0' }, output: { name: 'array' } };

interface Sixth {
  systems?: unknown[];
  /** Of the full resolution. */
  own?: unknown[];
  /** Between coordinate systems. */
  more?: unknown[];
  shape?: number[];
  axes?: unknown;
}

/** An image as version 0.6 has it; 12 pixels that count up. */
async function sixth({ systems = [PHYSICAL], own, more, shape = [3, 4], axes }: Sixth): Promise<StoreFiles> {
  const dataset = { path: '0', ...(own ? { coordinateTransformations: own } : {}) };
  const image = {
    ...(axes ? { axes } : {}),
    ...(systems.length > 0 ? { coordinateSystems: systems } : {}),
    datasets: [dataset],
    ...(more ? { coordinateTransformations: more } : {}),
  };
  return await imageFiles({ ...counting(shape), ome: { version: '0.6.dev4', multiscales: [image] } });
}

function counting(shape: number[]): ImageSpec {
  const value: ImageSpec['value'] = (index) => index.reduce((sum, n, i) => sum * (shape[i] as number) + n, 0);
  return { version: 3, type: 'uint16', shape, chunks: shape, value };
}

async function sceneOf(spec: Sixth) {
  const acquisition = openFiles(await sixth(spec));
  const [scene] = acquisition.info.scenes;
  if (!scene) throw new Error('no scene');
  const { Y, X } = scene.steps;
  return { acquisition, scene, steps: [Y.step, Y.unit, X.step, X.unit], warnings: scene.warnings };
}

const micrometers = (y: number, x: number) => [y, 'micrometer', x, 'micrometer'];
const PIXELS = [1, 'Pixels', 1, 'Pixels'];

describe('steps of OME-Zarr 0.6', () => {
  it.each([
    ['scale', [{ type: 'scale', scale: [3, 2] }], [3, 2]],
    ['identity', [{ type: 'identity' }], [1, 1]],
    ['translation', [{ type: 'translation', translation: [5, 6] }], [1, 1]],
    [
      'diagonal affine',
      [
        {
          type: 'affine',
          affine: [
            [3, 0, 30],
            [0, 2, 20],
          ],
        },
      ],
      [3, 2],
    ],
    ['affine in one list', [{ type: 'affine', affine: [3, 0, 30, 0, 2, 20] }], [3, 2]],
    [
      'half turn',
      [
        {
          type: 'affine',
          affine: [
            [3, 4e-16, 0],
            [-2e-16, 2, 0],
          ],
        },
      ],
      [3, 2],
    ],
    [
      'rotation by nothing',
      [
        {
          type: 'rotation',
          rotation: [
            [1, 0],
            [0, 1],
          ],
        },
      ],
      [1, 1],
    ],
    ['map of each axis to itself', [{ type: 'mapAxis', mapAxis: [0, 1] }], [1, 1]],
    [
      'sequence',
      [
        {
          type: 'sequence',
          transformations: [
            { type: 'scale', scale: [3, 2] },
            { type: 'translation', translation: [1, 1] },
          ],
        },
      ],
      [3, 2],
    ],
    [
      'sequence of sequences',
      [
        {
          type: 'sequence',
          transformations: [
            { type: 'sequence', transformations: [{ type: 'scale', scale: [3, 2] }] },
            {
              type: 'affine',
              affine: [
                [2, 0, 0],
                [0, 0.5, 0],
              ],
            },
            { type: 'identity' },
          ],
        },
      ],
      [6, 1],
    ],
    [
      'transformation by dimension',
      [
        {
          type: 'byDimension',
          transformations: [
            { transformation: { type: 'scale', scale: [2] }, inputAxes: [1], outputAxes: [1] },
            { transformation: { type: 'translation', translation: [9] }, input_axes: [0], output_axes: [0] },
          ],
        },
      ],
      [1, 2],
    ],
    [
      'bijection',
      [{ type: 'bijection', forward: { type: 'scale', scale: [3, 2] }, inverse: { type: 'coordinates' } }],
      [3, 2],
    ],
    ['inverse', [{ type: 'inverseOf', transformation: { type: 'scale', scale: [4, 2] } }], [0.25, 0.5]],
  ])('of a %s', async (_, own, [y, x]) => {
    const [first] = own;
    const found = await sceneOf({ own: [{ ...first, ...TO_PHYSICAL }] });
    expect(found.steps).toEqual(micrometers(y as number, x as number));
    expect(found.warnings).toEqual([]);
  });

  it.each([
    [
      'a rotation',
      {
        type: 'rotation',
        rotation: [
          [0, -1],
          [1, 0],
        ],
      },
      /^The rotation transformation mixes the axes y, x; the steps along y, x are missing\.$/,
    ],
    [
      'off-diagonal terms',
      {
        type: 'affine',
        name: 'shear',
        affine: [
          [3, 0.4, 30],
          [0.3, 2, 20],
        ],
      },
      /affine transformation "shear" mixes the axes y, x/,
    ],
    [
      'one off-diagonal term',
      {
        type: 'affine',
        affine: [
          [3, 0.4, 30],
          [0, 2, 20],
        ],
      },
      /affine transformation mixes the axes y, x/,
    ],
    ['an axis map', { type: 'mapAxis', mapAxis: [1, 0] }, /mapAxis transformation swaps the axes y, x/],
    [
      'an axis map by names',
      { type: 'mapAxis', mapAxis: { x: 'y', y: 'x' } },
      /mapAxis transformation renames or swaps axes/,
    ],
    [
      'displacements',
      { type: 'displacements', path: 'field' },
      /displacements transformation cannot be expressed as steps/,
    ],
    ['coordinates', { type: 'coordinates', path: 'field' }, /coordinates transformation cannot be expressed/],
    ['projected axes', { type: 'projectAxis', createdOutputs: [0] }, /projectAxis transformation cannot be expressed/],
    ['an unknown transformation', { type: 'toString' }, /toString transformation cannot be expressed/],
    ['a transformation without a type', { scale: [3, 2] }, /transformation has no type/],
    [
      'a scale in an array',
      { type: 'scale', path: 'numbers' },
      /scale transformation has its numbers in the array "numbers", which is not supported/,
    ],
    ['a matrix in an array', { type: 'affine', path: 'numbers' }, /affine transformation has its numbers in the array/],
    ['a scale without numbers', { type: 'scale' }, /scale transformation has no numbers/],
    [
      'a matrix of the wrong size',
      {
        type: 'affine',
        affine: [
          [3, 0],
          [0, 2],
        ],
      },
      /is not a matrix of 2 × 3 numbers/,
    ],
    [
      'a matrix of texts',
      {
        type: 'rotation',
        rotation: [
          ['1', 0],
          [0, 1],
        ],
      },
      /is not a matrix of 2 × 2 numbers/,
    ],
    ['an axis map that is too long', { type: 'mapAxis', mapAxis: [0, 1, 2] }, /has 3 entries for 2 axes/],
    [
      'dimensions that change places',
      {
        type: 'byDimension',
        transformations: [{ transformation: { type: 'scale', scale: [3, 2] }, inputAxes: [0, 1], outputAxes: [1, 0] }],
      },
      /byDimension transformation mixes the axes y, x/,
    ],
    [
      'dimensions that are unknown',
      { type: 'byDimension', transformations: [{ type: 'scale', scale: [3], inputAxes: [7], outputAxes: [7] }] },
      /maps unknown axes/,
    ],
    [
      'a bijection of fields',
      { type: 'bijection', forward: { type: 'coordinates', path: 'f' } },
      /coordinates transformation cannot/,
    ],
    [
      'a sequence with one of these',
      {
        type: 'sequence',
        transformations: [
          { type: 'scale', scale: [3, 2] },
          {
            type: 'rotation',
            rotation: [
              [0, 1],
              [1, 0],
            ],
          },
        ],
      },
      /rotation transformation mixes/,
    ],
  ])('are missing after %s, and a warning says why', async (_, own, message) => {
    const found = await sceneOf({ own: [{ ...own, ...TO_PHYSICAL }] });
    expect(found.steps).toEqual(PIXELS);
    expect(found.warnings).toEqual([expect.stringMatching(message)]);
    expect([...(await planeOf(found.acquisition))]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('stay those of the axes that a matrix leaves alone', async () => {
    const systems = [{ name: 'physical', axes: [axis('z', MICRO), axis('y', MICRO), axis('x', MICRO)] }];
    const affine = [
      [5, 0, 0, 1],
      [0, 3, 0.4, 1],
      [0, 0.3, 2, 1],
    ];
    const { scene } = await sceneOf({ systems, shape: [2, 2, 3], own: [{ type: 'affine', affine, ...TO_PHYSICAL }] });
    expect(scene.steps.Z).toEqual({ step: 5, unit: 'micrometer', origin: 'file' });
    expect([scene.steps.Y.unit, scene.steps.X.unit]).toEqual(['Pixels', 'Pixels']);
    expect(scene.warnings).toEqual([expect.stringMatching(/mixes the axes y, x; the steps along y, x are missing/)]);
  });

  it('of axes that by-dimension transformations do not name are missing', async () => {
    const part = { transformation: { type: 'scale', scale: [2] }, inputAxes: [1], outputAxes: [1] };
    const found = await sceneOf({ own: [{ type: 'byDimension', transformations: [part], ...TO_PHYSICAL }] });
    expect(found.steps).toEqual([1, 'Pixels', 2, 'micrometer']);
    expect(found.warnings).toEqual([
      expect.stringMatching(/does not describe the axes y; the steps along y are missing/),
    ]);
  });

  it('are missing without any transformation, and a warning says so', async () => {
    const found = await sceneOf({});
    expect(found.steps).toEqual(PIXELS);
    expect(found.warnings).toEqual(['The image has no scale, so the steps along y, x are missing.']);
  });

  it('end at transformations that are nested without end', async () => {
    let own: object = { type: 'scale', scale: [3, 2] };
    for (let i = 0; i < 40; i++) own = { type: 'sequence', transformations: [own] };
    const found = await sceneOf({ own: [{ ...own, ...TO_PHYSICAL }] });
    expect(found.warnings).toEqual([expect.stringMatching(/is nested too deeply/)]);
    const many = Array.from({ length: 100_000 }, () => ({ type: 'identity' }));
    const long = await sceneOf({ own: [{ type: 'sequence', transformations: many, ...TO_PHYSICAL }] });
    expect(long.warnings).toEqual([expect.stringMatching(/has 100,000 entries/)]);
  });
});

describe('coordinate systems of OME-Zarr 0.6', () => {
  const NANO = { name: 'other', axes: [axis('y', 'nanometer'), axis('x', 'nanometer')] };
  const own = [{ type: 'scale', scale: [3, 2], ...TO_PHYSICAL }];
  const link = (type: object) => [{ ...type, input: { name: 'physical' }, output: { name: 'other' } }];

  it.each([
    ['an object', { name: 'physical' }],
    ['a name, as in drafts', 'physical'],
  ])('are found by %s, wherever they stand in the list', async (_, output) => {
    const found = await sceneOf({
      systems: [NANO, PHYSICAL],
      own: [{ type: 'scale', scale: [3, 2], input: '0', output }],
    });
    expect([found.steps, found.warnings]).toEqual([micrometers(3, 2), []]);
  });

  it('have units of length and time', async () => {
    const axes = [
      axis('t', 'centisecond'),
      axis('c'),
      axis('z', 'picometer'),
      axis('y', 'nanometer'),
      axis('x', 'foot'),
    ];
    const found = await sceneOf({
      systems: [{ name: 'physical', axes }],
      shape: [2, 1, 2, 3, 4],
      own: [{ type: 'scale', scale: [5, 1, 2e6, 250, 1], ...TO_PHYSICAL }],
    });
    const { T, Z, Y, X } = found.scene.steps;
    expect([T.step, T.unit, Z.step, Y.step, X.step]).toEqual([0.05, 'seconds', 2, 0.25, 304_800]);
    expect(found.warnings).toEqual([]);
  });

  it.each([
    [
      'missing',
      [{ type: 'scale', scale: [3, 2], input: { path: '0' }, output: { name: 'gone' } }],
      [PHYSICAL],
      /"gone" is missing; "physical" was assumed/,
    ],
    [
      'not named',
      [{ type: 'scale', scale: [3, 2] }],
      [PHYSICAL, NANO],
      /does not name its coordinate system; the first one, "physical", was assumed/,
    ],
  ])('that are %s are a guess with a warning', async (_, transformations, systems, message) => {
    const found = await sceneOf({ systems, own: transformations });
    expect(found.steps).toEqual(micrometers(3, 2));
    expect(found.warnings).toEqual([expect.stringMatching(message)]);
  });

  it('without units lead to one that has them', async () => {
    const systems = [PHYSICAL, ARRAY];
    const to = { input: { name: 'array' }, output: { name: 'physical' } };
    const from = { input: { name: 'physical' }, output: { name: 'array' } };
    const own = [{ type: 'scale', scale: [3, 2], ...TO_ARRAY }];
    const forward = await sceneOf({ systems, own, more: [{ type: 'scale', scale: [10, 100], ...to }] });
    expect([forward.steps, forward.warnings]).toEqual([micrometers(30, 200), []]);
    const backward = await sceneOf({ systems, own, more: [{ type: 'scale', scale: [8, 16], ...from }] });
    expect([backward.steps, backward.warnings]).toEqual([micrometers(0.375, 0.125), []]);
    const named = { type: 'scale', scale: [2, 5], input_axes: ['dim_1', 'dim_0'], output_axes: ['x', 'y'] };
    const draft = await sceneOf({ systems, own, more: [{ type: 'byDimension', transforms: [named], ...to }] });
    expect([draft.steps, draft.warnings]).toEqual([micrometers(15, 4), []]);
  });

  it('without units that lead nowhere are pixels with a warning', async () => {
    const found = await sceneOf({
      systems: [PHYSICAL, ARRAY],
      own: [{ type: 'identity', ...TO_ARRAY }],
      more: [{ type: 'mapAxis', mapAxis: [1, 0], input: { name: 'array' }, output: { name: 'physical' } }],
    });
    expect([found.scene.sizes.Y, found.scene.sizes.X, found.steps]).toEqual([3, 4, PIXELS]);
    expect(found.warnings).toEqual([
      'The coordinate system "physical" was ignored: the mapAxis transformation swaps the axes dim_0, dim_1. ' +
        'The image is shown in "array", which has no units.',
    ]);
  });

  it.each([
    [
      'cannot be expressed',
      {
        type: 'rotation',
        rotation: [
          [0, -1],
          [1, 0],
        ],
      },
      [/"other" was ignored: the rotation transformation mixes the axes y, x\.$/],
    ],
    [
      'has other steps',
      { type: 'scale', scale: [1000, 2000] },
      [/steps are those of the coordinate system "physical"; "other" has others along x\.$/],
    ],
    ['is the same in another unit', { type: 'scale', scale: [1000, 1000] }, []],
    [
      'is shifted',
      {
        type: 'sequence',
        transformations: [
          { type: 'scale', scale: [1000, 1000] },
          { type: 'translation', translation: [7, 8] },
        ],
      },
      [],
    ],
  ])('that %s beside the one of the image', async (_, type, messages) => {
    const found = await sceneOf({ systems: [NANO, PHYSICAL], own, more: link(type) });
    expect(found.steps).toEqual(micrometers(3, 2));
    expect(found.warnings).toEqual(messages.map((message) => expect.stringMatching(message)));
  });

  it('of labels are not those of the image', async () => {
    const rotation = {
      type: 'rotation',
      rotation: [
        [0, -1],
        [1, 0],
      ],
    };
    const more = [{ ...rotation, input: { name: 'physical' }, output: { name: 'physical', path: 'labels/cells' } }];
    const found = await sceneOf({ own, more });
    expect([found.steps, found.warnings]).toEqual([micrometers(3, 2), []]);
  });

  it.each([
    [
      'of the wrong size',
      [{ name: 'physical', axes: [axis('x', MICRO)] }],
      /list 1 axes, but the array has 2 dimensions/,
    ],
    ['without names', [{ name: 'physical', axes: [{ type: 'space' }, { type: 'space' }] }], /has no name/],
    ['by the million', Array.from({ length: 2000 }, () => PHYSICAL), /lists 2,000 coordinate systems/],
    [
      'of many axes',
      [{ name: 'physical', axes: Array.from({ length: 50 }, (_, i) => ({ name: `a${i}` })) }],
      /lists 50 axes; the limit is 32/,
    ],
  ])('%s are refused', async (_, systems, message) => {
    const files = await sixth({ systems, own });
    expect(() => openFiles(files)).toThrow(
      expect.objectContaining({ code: 'decode_failed', message: expect.stringMatching(message) }),
    );
  });

  it('yield to axes when nothing names them', async () => {
    const axes = [axis('y', MICRO), axis('x', MICRO)];
    const found = await sceneOf({ systems: [ARRAY], axes, own: [{ type: 'scale', scale: [3, 2] }] });
    expect([found.steps, found.warnings]).toEqual([micrometers(3, 2), []]);
  });
});

describe('transformations of OME-Zarr 0.4 and 0.5', () => {
  const axes = [axis('y', MICRO), axis('x', MICRO)];
  it.each([
    [
      'of the level and of the image',
      [{ type: 'scale', scale: [3, 2] }],
      [{ type: 'scale', scale: [10, 10] }],
      micrometers(30, 20),
      [],
    ],
    ['of the image only', undefined, [{ type: 'scale', scale: [10, 5] }], micrometers(10, 5), []],
    [
      'that shift',
      [
        { type: 'scale', scale: [3, 2] },
        { type: 'translation', translation: [1, 1] },
      ],
      [{ type: 'translation', translation: [1, 1] }],
      micrometers(3, 2),
      [],
    ],
    ['that do nothing', [{ type: 'identity' }], undefined, micrometers(1, 1), []],
    [
      'of the level that turn',
      [
        {
          type: 'rotation',
          rotation: [
            [0, 1],
            [1, 0],
          ],
        },
      ],
      undefined,
      PIXELS,
      [/rotation transformation mixes the axes y, x/],
    ],
    [
      'of the image that turn',
      [{ type: 'scale', scale: [3, 2] }],
      [
        {
          type: 'affine',
          affine: [
            [1, 1, 0],
            [0, 1, 0],
          ],
        },
      ],
      PIXELS,
      [/affine transformation mixes/],
    ],
    ['in an array', [{ type: 'scale', path: 'scale' }], undefined, PIXELS, [/has its numbers in the array "scale"/]],
    ['that are missing', undefined, undefined, PIXELS, [/The image has no scale, so the steps along y, x are missing/]],
  ])('%s', async (_, own, more, steps, messages) => {
    const found = await sceneOf({ systems: [], axes, ...(own ? { own } : {}), ...(more ? { more } : {}) });
    expect(found.steps).toEqual(steps);
    expect(found.warnings).toEqual(messages.map((message) => expect.stringMatching(message)));
  });
});

describe('the scene of OME-Zarr 0.6', () => {
  const merged = (...all: StoreFiles[]): StoreFiles => new Map(all.flatMap((files) => [...files]));
  const tile = (path: string) =>
    imageFiles({ ...counting([2, 2]), path, axes: [axis('y', MICRO), axis('x', MICRO)], scale: [1, 1] });
  const to = (input: unknown) => ({ type: 'translation', translation: [0, 0], input, output: { name: 'world' } });
  const NOTE = 'The transformations of the scene are not applied. Its images are shown one by one, as stored.';

  it.each([
    [
      'as released',
      { scene: { coordinateTransformations: [to({ path: 'b', name: 'p' }), to({ path: 'a', name: 'p' })] } },
    ],
    [
      'as in drafts',
      {
        coordinateTransformations: [
          { ...to('b'), output: 'world' },
          { ...to('a'), output: 'world' },
        ],
      },
    ],
  ])('is the images that it places, %s', async (_, ome) => {
    const files = merged(groupFiles(3, '', ome), await tile('a'), await tile('b'));
    const { scenes } = openFiles(files).info;
    expect(scenes.map(({ name, warnings }) => [name, warnings])).toEqual([
      ['b', [NOTE]],
      ['a', [NOTE]],
    ]);
  });

  it('tells which image is missing, and never leaves the store', async () => {
    const scene = (path: string) => ({ scene: { coordinateTransformations: [to({ path: 'a' }), to({ path })] } });
    const files = merged(groupFiles(3, '', scene('gone')), await tile('a'));
    expect(openFiles(files).info.scenes[0]?.warnings).toContain('gone was skipped: it is listed, but missing.');
    files.set('zarr.json', groupFiles(3, '', scene('../other')).get('zarr.json') as Uint8Array);
    expect(() => openFiles(files)).toThrow(/leads out of the store/);
  });

  it('may not be listed at all', async () => {
    const root = groupFiles(3, '', { coordinateTransformations: [to('tile_10_mm')] });
    const files = merged(
      root,
      await tile('tile_10'),
      await tile('tile_2'),
      new Map([['notes/zarr.json', json({ zarr_format: 3, node_type: 'group' })]]),
    );
    const { scenes } = openFiles(files).info;
    expect(scenes.map(({ name }) => name)).toEqual(['tile_2', 'tile_10']);
    expect(scenes[0]?.warnings).toEqual(['The file does not list its images. Showing those directly inside it.']);
  });
});
