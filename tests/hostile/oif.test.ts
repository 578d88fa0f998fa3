import { describe, expect, it } from 'vitest';
import type { OpenInput } from '../../src/acquisition.js';
import type { FileSet } from '../../src/formats/oif/file-set.js';
import { openSet, reader } from '../../src/formats/oif/index.js';
import { MemorySource } from '../../src/io/byte-source.js';
import { Folder } from '../../src/io/folder.js';
import { parseIni } from '../../src/io/ini.js';
import { frames, lineScan } from '../support/oif.js';
import { oifFiles, roiText, writeOib } from '../writers/oif.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const LINE = lineScan({ roi: roiText(4, [0, 2, 3], [3, 1, 0]) });
const COMPOUND = [
  { name: 'line scan', bytes: writeOib(LINE) },
  { name: 'line scan in 4,096-byte sectors', bytes: writeOib(LINE, { version: 4 }) },
  { name: 'frames', bytes: writeOib(frames()) },
];

function openOib(bytes: Uint8Array) {
  const source = new MemorySource('damaged.oib', bytes);
  const probe: OpenInput['probe'] = {
    name: 'damaged.oib',
    kind: 'file',
    head: bytes.slice(0, 4096),
    entries: [],
    size: bytes.length,
  };
  return reader.open({ path: '/damaged.oib', probe, source, folder: new Folder('/nowhere') });
}

/** A set in memory of which one file is damaged. */
function damagedSet(seed: number): FileSet {
  const files = new Map(oifFiles(LINE).map(({ name, bytes }) => [name, bytes]));
  const names = [...files.keys()];
  const victim = names[seed % names.length] as string;
  files.set(victim, mutate(files.get(victim) as Uint8Array, seed));
  const main = parseIni(files.get(names[0] as string) as Uint8Array);
  return {
    name: 'damaged.oif',
    main,
    names: names.slice(1),
    open: (name) => {
      const bytes = files.get(name);
      return bytes && new MemorySource(name, bytes);
    },
  };
}

describe('damaged OIF and OIB', () => {
  const cases = hostileCases();
  const perFile = Math.ceil((cases * 0.6) / COMPOUND.length);

  it.each(COMPOUND)(`compound file, $name, ${perFile} cases`, { timeout: 3_600_000 }, async ({ bytes }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perFile; i++) {
      outcomes[await honest(i, () => openOib(mutate(bytes, i)))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(perFile / 10);
    expect(outcomes.refused).toBeGreaterThan(perFile / 10);
  });

  it(`one file of a set, ${Math.ceil(cases * 0.4)} cases`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases * 0.4; i++) outcomes[await honest(i, () => openSet(damagedSet(i), 'oif'))]++;
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
  });

  it.each(COMPOUND)('$name, cut at each of 64 places and around sectors: true planes', async ({ bytes }) => {
    const around: number[] = [];
    for (let cut = 508; cut < Math.min(bytes.length, 20_000); cut += 512) around.push(cut, cut + 4, cut + 5);
    await (await Witness.of(bytes, openOib)).expectTrueCuts([...cutLengths(bytes, 64), ...around]);
  });

  it.each(COMPOUND)(`$name, ${perFile} times a few bytes: true planes`, { timeout: 3_600_000 }, async ({ bytes }) => {
    await (await Witness.of(bytes, openOib)).expectTrueChanges(perFile, 0.03);
  });
});
