import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openInstead, sniff } from '../../../packages/readers/src/formats/metamorph-nd/magic.js';
import { parseNd } from '../../../packages/readers/src/formats/metamorph-nd/parse.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { FilesInMemory } from '../../support/files-in-memory.js';
import { openBytes, samplesOf } from '../../support/memory.js';
import { readNative } from '../../support/native.js';
import { firstSample, type NdSpec, ndSet, ndText, plainPages } from '../../writers/metamorph-nd.js';

const SPEC: NdSpec = { stem: 'run', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 3, sections: 2 };

/** Opens a set, without some files and with others. */
function open(spec: NdSpec, change: (files: Record<string, Uint8Array>) => void = () => {}) {
  const files = ndSet(spec);
  change(files);
  const { [`${spec.stem}.nd`]: nd, ...others } = files;
  return openBytes(`${spec.stem}.nd`, nd!, others);
}

const replacing = (name: string, bytes: Uint8Array) => (files: Record<string, Uint8Array>) => {
  files[name] = bytes;
};
const warningsOf = async (...args: Parameters<typeof open>) => (await open(...args)).info.scenes[0]!.warnings;
const parse = (text: string) =>
  parseNd(new FilesInMemory(new Map([['a.nd', new TextEncoder().encode(text)]])).open('a.nd')!);

describe('a .nd', () => {
  it('has keys with values, and a description of several lines', () => {
    const raw = parse(ndText({ ...SPEC, lies: { ZStepSize: '0,50' } }));
    expect(raw).toMatchObject({ version: 1, doTimelapse: true, timePoints: 3, zStepSize: 0.5, hasEnd: true });
    expect([...raw.waves]).toEqual([
      [1, 'DAPI'],
      [2, 'GFP'],
    ]);
    expect(raw.entries[1]).toEqual(['Description', 'Two lines,\nthe second one without a key']);
    expect(parse(ndText({ ...SPEC, lineEnd: '\n' }))).toEqual(parse(ndText(SPEC)));
  });

  it('is known by its first key; plates are refused by name', () => {
    const probe = (name: string, text: string) => {
      const head = new TextEncoder().encode(text);
      return { name, kind: 'file' as const, head, entries: [], size: head.length };
    };
    expect(sniff(probe('a.nd', ndText(SPEC)))).toBe('sure');
    expect(sniff(probe('a.nd', '"HTSInfoFile", Version 1.0'))).toBe(false);
    expect(openInstead(probe('a.HTD', '"HTSInfoFile", Version 1.0'))).toContain('plate of MetaXpress (HTD)');
    expect(openInstead(probe('a.HTD', ''))).toBeDefined();
    expect(openInstead(probe('a.nd', ' "HTSInfoFile", Version 1.0'))).toBeDefined();
    expect(openInstead(probe('a.nd', '"NDInfoFile", Version 1.0'))).toBeUndefined();
    expect(openInstead(probe('a.nd', ndText(SPEC)))).toBeUndefined();
  });
});

describe('a MetaMorph set', () => {
  it('tells the number of a channel from a name that begins with digits', async () => {
    const waves = ['488', 'DIC', '488-525'];
    const { info } = await open({ ...SPEC, waves });
    expect(info.scenes[0]!.channels.map(({ name }) => name)).toEqual(waves);
    expect(info.scenes[0]!.warnings).toEqual([]);
  });

  it('has each plane at its channel, position, time point and section', async () => {
    const acquisition = await open(SPEC);
    expect(acquisition.info.scenes.map(({ name, warnings }) => ({ name, warnings }))).toEqual([
      { name: 'left', warnings: [] },
      { name: 'right', warnings: [] },
    ]);
    for (let stage = 0; stage < 2; stage++) {
      for (let wave = 0; wave < 2; wave++) {
        for (let time = 0; time < 3; time++) {
          for (let z = 0; z < 2; z++) {
            const [first] = await samplesOf(acquisition, { scene: stage, channel: wave, t: time, z });
            expect(first).toBe(firstSample({ wave, stage, time, z }));
          }
        }
      }
    }
  });

  it('has steps, a start and times from its files', async () => {
    const acquisition = await open(SPEC);
    const { steps, date, time, coordinates } = acquisition.info.scenes[1]!;
    expect(steps.T).toEqual({ step: 60, unit: 'seconds', origin: 'derived' });
    expect(steps.Z).toMatchObject({ step: 2, unit: 'micrometer' });
    expect(steps.X).toMatchObject({ step: 0.25, unit: 'micrometer' });
    expect([date, time]).toEqual(['20240603', '12:30:10']);
    expect([...coordinates!.T!.values]).toEqual([0, 60, 120]);
    const { time: times } = await acquisition.readPlaneColumns!(1);
    // T, then Z, then channels.
    expect(Array.from(times!.slice(0, 5), (value) => value - times![0]!)).toEqual([0, 1, 0.1, 1.1, 60].map(close));
  });

  it.each(['.TIF', '.tif', '.STK', '.tiff'])('has files with the extension %s', async (extension) => {
    const acquisition = await open(SPEC, (files) => {
      for (const name of Object.keys(files).filter((one) => one.endsWith('.stk'))) {
        files[name.replace('.stk', extension)] = files[name]!;
        delete files[name];
      }
    });
    expect((await samplesOf(acquisition, { scene: 1, channel: 1, t: 2, z: 1 }))[0]).toBe(
      firstSample({ wave: 1, stage: 1, time: 2, z: 1 }),
    );
  });

  it('prefers a stack where the .nd has sections, and an image where it has none', async () => {
    const twin = replacing('run_w1DAPI_s1_t1.tif', plainPages([7, 8]));
    expect((await samplesOf(await open(SPEC, twin)))[0]).toBe(1000);
    expect((await samplesOf(await open({ ...SPEC, lies: { NDInfoFile: 'Version 2.0' } }, twin)))[0]).toBe(7);
    expect(await warningsOf(SPEC, twin)).toEqual([expect.stringContaining('Several files could be one plane')]);
  });

  it('ends where its names end: an overview, and the files of a longer stem, are not in it', async () => {
    const others = [
      'run_w1DAPI_s1_t1_OverView.tif',
      'run1_w1DAPI_s1_t4.tif',
      'run_w1DAPI_s1_t4_thumb.tif',
      'runt4.tif',
    ];
    const acquisition = await open(SPEC, (files) => {
      for (const name of others) files[name] = plainPages([1]);
    });
    expect(acquisition.info.scenes[0]).toMatchObject({ sizes: { T: 3 }, warnings: [] });
    expect([...(acquisition.files!() as Iterable<string>)]).toEqual(Object.keys(ndSet(SPEC)));
  });

  it('writes characters that names cannot have as a hyphen', async () => {
    const acquisition = await open({ stem: 'run', waves: ['CSU_561 (red)', 'CSU/488'] });
    expect(acquisition.info.scenes[0]).toMatchObject({
      channels: [{ name: 'CSU_561 (red)' }, { name: 'CSU/488' }],
      warnings: [],
    });
  });

  it('has a scene for each size of image', async () => {
    const acquisition = await open({ stem: 'run', waves: ['DAPI', 'GFP'] }, (files) => {
      files['run_w2GFP.TIF'] = plainPages([5], 8, 6);
    });
    expect(acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.X, sizes.Y])).toEqual([
      ['5 × 4 uint16', 5, 4],
      ['8 × 6 uint16', 8, 6],
    ]);
    expect((await samplesOf(acquisition, { scene: 1 }))[0]).toBe(5);
  });
});

const close = (value: number) => expect.closeTo(value, 3);

describe('a MetaMorph set that is not as its .nd says', () => {
  it('has zeros for the time points of a run that was stopped, and says how many', async () => {
    const acquisition = await open({ ...SPEC, lies: { NTimePoints: '10' } });
    const { sizes, warnings } = acquisition.info.scenes[0]!;
    expect(sizes.T).toBe(10);
    expect(warnings[0]).toContain('7 of 10 time points have no file');
    expect(acquisition.info.scenes[0]!.warningKinds).toEqual({ incomplete: warnings.slice(0, 1) });
    expect([...(await samplesOf(acquisition, { t: 9 }))]).toEqual(new Array(20).fill(0));
  });

  it('has zeros for a file that is missing between others', async () => {
    const acquisition = await open(SPEC, (files) => {
      delete files['run_w2GFP_s1_t2.stk'];
    });
    expect(acquisition.info.scenes[0]!.warnings).toEqual([expect.stringContaining('1 file of the set is missing')]);
    expect(acquisition.info.scenes[1]!.warnings).toEqual([]);
    expect((await samplesOf(acquisition, { channel: 1, t: 1 }))[0]).toBe(0);
    expect((await samplesOf(acquisition, { channel: 1, t: 2 }))[0]).toBe(
      firstSample({ wave: 1, stage: 0, time: 2, z: 0 }),
    );
  });

  it.each([
    [{ NTimePoints: '2' }, 'says 2 time points, but there are files of number 3'],
    [{ DoTimelapse: 'FALSE' }, 'does not say that there are time points (T)'],
    [{ DoStage: 'FALSE' }, 'does not say that there are stage positions'],
    [{ DoWave: undefined }, 'does not say that there are channels'],
    [{ NZSteps: '42' }, 'says 42 sections (Z), but the files have 2'],
    [{ ZStepSize: '3' }, 'ZStepSize says 3 µm'],
    [{ NStagePositions: '3' }, 'says 3 stage positions, but one has no file'],
    [{ WaveName2: '"mCherry"' }, 'calls channel 2 "mCherry", but the names of its files say "GFP"'],
  ] as [NdSpec['lies'], string][])('follows its files: %j', async (lies, warning) => {
    const acquisition = await open({ ...SPEC, lies: lies! });
    expect(acquisition.info.scenes.map(({ sizes }) => sizes)).toEqual(new Array(2).fill({ T: 3, Z: 2, Y: 4, X: 5 }));
    expect(acquisition.info.scenes[0]!.warnings.join('\n')).toContain(warning);
    expect(acquisition.info.scenes[0]!.channels.map(({ name }) => name)).toEqual(['DAPI', 'GFP']);
  });

  it('has a scene for each stage position inside of its stacks', async () => {
    const acquisition = await open({
      ...{ stem: 'run', waves: ['DAPI', 'GFP'], sections: 3, zStep: 0 },
      info: ({ z }) => ({ label: `Row${z}`, stage: [100_000 * z, 0] }),
    });
    expect(acquisition.info.scenes.map(({ name, sizes }) => [name, sizes.Z])).toEqual([
      ['Row0', 1],
      ['Row1', 1],
      ['Row2', 1],
    ]);
    expect(acquisition.info.scenes[0]!.warnings.join('\n')).toContain('its files are at 3. Each is a scene');
    expect((await samplesOf(acquisition, { scene: 2, channel: 1 }))[0]).toBe(
      firstSample({ wave: 1, stage: 0, time: 0, z: 2 }),
    );
  });

  it('shows a channel of one plane at the first section', async () => {
    const acquisition = await open({ stem: 'run', waves: ['DAPI', 'GFP'], wavesDoZ: [false, true], sections: 3 });
    expect(acquisition.info.scenes[0]!.warnings).toEqual(['Channel 1 has 1 section of 3 (Z). The others are zeros.']);
    expect((await samplesOf(acquisition, { channel: 0 }))[0]).toBe(1000);
    expect((await samplesOf(acquisition, { channel: 0, z: 1 }))[0]).toBe(0);
    expect((await samplesOf(acquisition, { channel: 1, z: 2 }))[0]).toBe(2020);
  });

  it('takes the pages of plain images for sections where the .nd says so', async () => {
    const plain = (files: Record<string, Uint8Array>) => {
      for (const wave of ['w1DAPI', 'w2GFP']) files[`run_${wave}.stk`] = plainPages([1, 2, 3]);
    };
    const acquisition = await open({ stem: 'run', waves: ['DAPI', 'GFP'], sections: 3 }, plain);
    expect(acquisition.info.scenes[0]).toMatchObject({ sizes: { T: 1, Z: 3 }, steps: { Z: { step: 2 } } });
    expect((await samplesOf(acquisition, { channel: 1, z: 2 }))[0]).toBe(3);
  });

  it('reads the other files when one is corrupted, and names it', async () => {
    const acquisition = await open(SPEC, replacing('run_w1DAPI_s1_t1.stk', new Uint8Array(40)));
    expect(acquisition.info.scenes[1]!.warnings.join('\n')).toContain('run_w1DAPI_s1_t1.stk');
    await expect(samplesOf(acquisition)).rejects.toThrow('run_w1DAPI_s1_t1.stk');
    expect((await samplesOf(acquisition, { t: 1 }))[0]).toBe(1050);
  });

  it('keeps a channel that cannot be read at one position', async () => {
    const acquisition = await open(SPEC, (files) => {
      for (const time of [1, 2, 3]) files[`run_w1DAPI_s1_t${time}.stk`] = new Uint8Array(40);
    });
    expect(acquisition.info.scenes.map(({ channels }) => channels.map(({ name }) => name))).toEqual([
      ['DAPI', 'GFP'],
      ['DAPI', 'GFP'],
    ]);
    await expect(samplesOf(acquisition, { t: 2 })).rejects.toThrow('run_w1DAPI_s1_t3.stk');
  });

  it('refuses a file of another size, and names it', async () => {
    const acquisition = await open(SPEC, replacing('run_w2GFP_s2_t2.stk', plainPages([1, 2], 9, 9)));
    await expect(samplesOf(acquisition, { scene: 1, channel: 1, t: 1 })).rejects.toThrow(
      'run_w2GFP_s2_t2.stk has planes of 9 × 9 uint16, but the first file of the channel has 5 × 4 uint16',
    );
  });

  it('is refused without its files, with their stem', async () => {
    const files = ndSet(SPEC);
    await expect(openBytes('renamed.nd', files['run.nd']!, files)).rejects.toThrow('every file of the set "renamed"');
  });

  it('says that it lost its end', async () => {
    const cut = ndText(SPEC).slice(0, 300);
    const files = { ...ndSet(SPEC), 'run.nd': new TextEncoder().encode(cut) };
    const { info } = await openBytes('run.nd', files['run.nd'], files);
    expect(info.scenes[0]!.warnings.join('\n')).toContain('no end (EndFile)');
    expect(info.scenes.map(({ sizes }) => sizes.T)).toEqual([3, 3]);
  });
});

const real = resolve('../shared/samples-next/nd/mda_parser/data');

describe.skipIf(!existsSync(real))('a real MetaMorph set (needs shared/samples-next)', () => {
  it('of channels with and without sections has the planes that tifffile reads', async () => {
    const opened = await openAcquisition(join(real, 'sample_3ch_2pos_mixed-z.nd'));
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name, sizes }) => [name, sizes])).toEqual([
      ['Position1', { T: 1, Z: 5, Y: 3, X: 2 }],
      ['Position2', { T: 1, Z: 5, Y: 3, X: 2 }],
    ]);
    expect(scenes[0]!.channels.map(({ name }) => name)).toEqual(['Conf640', 'Conf561', 'Conf488']);
    expect(scenes[0]!.steps.Z).toMatchObject({ step: 3, unit: 'micrometer' });
    expect([...(await readNative(opened, 1, { channel: 2, z: 4 }))]).toEqual(TIFFFILE_LAST);
    opened.close();
  });
});

/** tifffile 2026.3.3: `imread('sample_3ch_2pos_mixed-z_w3Conf488_s2.stk')[4]`. */
const TIFFFILE_LAST = [2, 1, 0, 128, 0, 0];
