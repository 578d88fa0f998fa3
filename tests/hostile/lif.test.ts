import { describe, expect, it } from 'vitest';
import { FIELD, lineVector, overview, seriesVector, stampsEvery } from '../support/lif.js';
import { openBytes } from '../support/memory.js';
import {
  GHOST,
  imageXml,
  type LifSpec,
  lifXml,
  onDisk,
  referring,
  textBlock,
  writeLif,
  writeLof,
} from '../writers/lif.js';
import { writeTiff } from '../writers/tiff.js';
import { cutLengths, honest, hostileCases, mutate, randomNumbers, Witness } from './mutate.js';

const line = lineVector({
  settings: { ScanMode: 'xt', LineTime: '0.0025', ...FIELD },
  inside: GHOST,
  stamps: stampsEvery(3, 2, 0.0025),
});
const spectrum = {
  name: 'Spectrum',
  channels: [
    { bytesInc: 0, tag: 1 },
    { bytesInc: 1, tag: 3 },
    { bytesInc: 2, tag: 2 },
  ],
  dimensions: [
    { id: 1, count: 3, length: '1e-6', bytesInc: 3 },
    { id: 2, count: 2, length: '1e-6', bytesInc: 12 },
    { id: 5, count: 2, origin: '5e-7', length: '1e-8', bytesInc: 24 },
    { id: 10, count: 2, unit: '', bytesInc: 48 },
  ],
  data: Uint8Array.from({ length: 96 }, (_, i) => i),
};
const PROJECT: LifSpec = {
  saved: [30871828, 391214669],
  elements: [overview(), line, { name: 'Cell', elements: [spectrum] }],
};
const FILES = [
  { name: 'project', bytes: writeLif(PROJECT) },
  { name: 'version 1', bytes: writeLif({ ...PROJECT, version: 1 }) },
  { name: 'LOF', bytes: writeLof(seriesVector({ stamps: stampsEvery(6, 2, 0.5) })) },
];

const open = (bytes: Uint8Array) => openBytes('demo.lif', bytes);

describe('a damaged LIF or LOF file', () => {
  const cases = hostileCases();
  const perFile = Math.ceil((cases * 0.5) / FILES.length);

  it.each(FILES)(`is refused or read honestly ($name, ${perFile} cases)`, { timeout: 7_200_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) outcomes[await honest(i, () => open(mutate(bytes, i)))]++;
    expect(outcomes.opened).toBeGreaterThan(perFile / 10);
    expect(outcomes.refused).toBeGreaterThan(perFile / 50);
  });

  it(`is refused or read honestly when numbers in its XML change (${Math.ceil(cases * 0.4)} cases)`, {
    timeout: 7_200_000,
  }, async () => {
    const xml = lifXml(PROJECT);
    const blocks = FILES[0]?.bytes.slice(textBlock(xml).length) as Uint8Array;
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases * 0.4; i++) {
      const bytes = new Uint8Array(Buffer.concat([textBlock(otherNumbers(xml, i)), blocks]));
      outcomes[await honest(i, () => open(bytes))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases * 0.3);
  });

  it(`is refused or read honestly in a project on disk (${Math.ceil(cases * 0.1)} cases)`, {
    timeout: 7_200_000,
  }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases * 0.1; i++) outcomes[await honest(i, () => openDamagedProject(i))]++;
    expect(outcomes.opened).toBeGreaterThan(cases * 0.05);
  });

  it.each(FILES)('shows only true planes when it is truncated ($name)', async ({ bytes }) => {
    await (await Witness.of(bytes, open)).expectTrueCuts(cutLengths(bytes, 256));
  });

  it.each(FILES)(
    `shows only true planes when a few bytes are changed ($name, ${perFile} cases)`,
    { timeout: 7_200_000 },
    async ({ bytes }) => {
      await (await Witness.of(bytes, open)).expectTrueChanges(perFile, 0.08);
    },
  );
});

const EDGES = [
  '0',
  '1',
  '2',
  '3',
  '7',
  '255',
  '65535',
  '4294967295',
  '9007199254740991',
  '18446744073709551615',
  '-1',
  '1e300',
  '0.5',
  'x',
  '',
];

/** Replaces one to three numbers of the document. */
function otherNumbers(xml: string, seed: number): string {
  const random = randomNumbers(seed);
  const matches = [...xml.matchAll(/="(-?[\d.eE+-]+)"/g)];
  let text = xml;
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const match = matches[Math.floor(random() * matches.length)]!;
    const edge = EDGES[Math.floor(random() * EDGES.length)]!;
    text = text.replace(match[0], `="${edge}"`);
  }
  return text;
}

/** A project on disk: a series in TIFF frames, and a LOF file. */
function projectFiles(): Map<string, Uint8Array> {
  const pixels = seriesVector().data;
  const numbers = Array.from({ length: 12 }, (_, i) => i);
  const parts = numbers.map((i) => `<Frame File="f${i}.tif" Offset="${i * 20}" Size="20"/>`).join('');
  const memory = `<Memory Size="240" MemoryBlockID="m">${parts}</Memory>`;
  const frame = (i: number) =>
    writeTiff({ pages: [{ width: 5, height: 4, samples: pixels.slice(i * 20, i * 20 + 20) }] });
  return new Map<string, Uint8Array>([
    ['P.xlef', Buffer.from(referring('P', ['S.xlif', 'L.lof']))],
    ['S.xlif', Buffer.from(onDisk('S', imageXml(seriesVector()), memory))],
    ['L.lof', writeLof(lineVector())],
    ...numbers.map((i): [string, Uint8Array] => [`f${i}.tif`, frame(i)]),
  ]);
}

const ON_DISK = projectFiles();

/** The project with one of its files damaged. */
function openDamagedProject(seed: number) {
  const names = [...ON_DISK.keys()];
  const victim = names[seed % 6]!;
  const damaged = mutate(ON_DISK.get(victim)!, seed);
  const { 'P.xlef': main, ...others } = Object.fromEntries(new Map(ON_DISK).set(victim, damaged));
  return openBytes('P.xlef', main!, others);
}
