import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { writeThor, writeThorRaw } from '../writers/thorimage.js';
import { cutLengths, EDGE_VALUES, honest, hostileCases, mutate, Witness } from './mutate.js';

type Files = Record<string, Uint8Array>;

const bytesOf = (files: Record<string, Uint8Array | string>): Files =>
  Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    ]),
  );

const RECORDINGS = [
  { name: 'volumes', files: bytesOf(writeThorRaw({ T: 3, Z: 2, flyback: 1 })) },
  {
    name: 'lines',
    files: bytesOf(
      writeThorRaw({ T: 4, settings: { LSM: 'areaMode="2" channel="5" pixelX="4" pixelY="3" frameRate="30"' } }),
    ),
  },
  { name: 'TIFFs', files: bytesOf(writeThor({ T: 2, Z: 2 })) },
];

/** Opens a recording by its settings, with one of its files replaced. */
function recording(files: Files, victim: string, bytes: Uint8Array) {
  const { 'Experiment.xml': settings, ...beside } = { ...files, [victim]: bytes };
  return openBytes('Experiment.xml', settings!, beside);
}

describe.each(RECORDINGS)('a corrupted ThorImage recording of $name', ({ name, files }) => {
  const cases = Math.ceil(hostileCases(6_000) / 3);
  const names = Object.keys(files);

  it(`is refused or opened, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      // Every second time the settings: a raw file has no structure that could break.
      const victim = i % 2 ? 'Experiment.xml' : names[i % names.length]!;
      outcomes[await honest(i, () => recording(files, victim, mutate(files[victim]!.slice(), i)))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 20);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it('shows true planes when a file is truncated', async () => {
    for (const victim of names.slice(0, 3)) {
      const whole = files[victim]!;
      const witness = await Witness.of(whole, (bytes) => recording(files, victim, bytes));
      await witness.expectTrueCuts(cutLengths(whole, victim === 'Experiment.xml' && name === 'TIFFs' ? 64 : 128));
    }
  });
});

describe('settings with impossible values', () => {
  const raw = new Uint8Array(1_024).fill(7);
  const lsm = (more: string) => writeThorRaw({ settings: { LSM: `channel="3" ${more}` } })['Experiment.xml'] as string;
  const open = (xml: string) =>
    openBytes('Experiment.xml', new TextEncoder().encode(xml), { 'Image_001_001.raw': raw });
  const values = [...EDGE_VALUES, -1, 0.5, '1e300', 'NaN', '', '9007199254740993'];

  it.each(['pixelX', 'pixelY', 'frameRate', 'areaMode', 'channel', 'averageNum'])('open or not: %s', async (name) => {
    for (const value of values) {
      const others = ['pixelX', 'pixelY'].filter((other) => other !== name).map((other) => `${other}="4"`);
      await honest(`${name} ${value}`, () => open(lsm(`${others.join(' ')} averageMode="1" ${name}="${value}"`)));
    }
  });

  it.each(['steps', 'flybackFrames'])('open or not: %s', async (name) => {
    for (const value of values) {
      const settings = {
        ZStage: `steps="${name === 'steps' ? value : 2}" stepSizeUM="1"`,
        Streaming: `rawData="1" zFastEnable="1" flybackFrames="${name === 'steps' ? 1 : value}"`,
      };
      await honest(`${name} ${value}`, () => open(writeThorRaw({ settings })['Experiment.xml'] as string));
    }
  });

  it('open with a plane of one pixel for each sample', async () => {
    expect(await honest(0, () => open(lsm('pixelX="1" pixelY="1"')))).toBe('opened');
  });
});
