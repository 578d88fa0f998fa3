/** Runs the code of every reader while a worker is idle: the first open of a format should not pay for cold code. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { extensionOf, FORMATS } from '@acquisition-store/readers/formats/index.js';
import { parseXml, type XmlElement } from '@acquisition-store/readers/io/xml.js';
import { type BlockSource, BlockTarget } from '@acquisition-store/readers/model/samples/block-target.js';
import { createScratch } from '@acquisition-store/readers/model/samples/plane-target.js';
import { allocateSamples, heldType, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import { openAt } from '../open.js';

/** Opens of one file. V8 collects types from the second on; the hottest loops are compiled by the later ones. */
const EARLY_ROUNDS = 5;
const ROUNDS = 15;
/** Documents of real files have some 100 KB. These are small, so that an open does not wait for one. */
const XML_ROUNDS = 96;
const XML_ELEMENTS = 100;
/** An open right after the start has the worker, and the processor, for itself. */
const REST_MS = 300;
/** Pause between two pieces of what follows. */
const PAUSE_MS = 2;

/** What is opened before the first request comes: some of the formats that are used most. */
export const PREPARED: readonly string[] = ['kymograph.tif', 'plain.czi', 'scan.oib', 'scan.lif', 'scan.nd2'];

/**
 * Loads the readers and opens a few acquisitions, so that V8 has compiled their functions: about as much as a thread does
 * while the main thread loads the routes. Then, with pauses, parses documents and opens every acquisition a few times: what
 * a user opens a second after the start. Parameters are those of `warmUp`.
 */
export async function prepare(folder: string, turn: () => Promise<void>): Promise<void> {
  await loadReaders(turn);
  const scratch = createScratch();
  for (const name of PREPARED) {
    await turn();
    await openAndRead(join(folder, name), scratch).catch(() => undefined);
  }
  const gently = async () => {
    await setTimeout(PAUSE_MS);
    await turn();
  };
  await setTimeout(REST_MS);
  await parseDocuments(gently);
  await openAll(folder, EARLY_ROUNDS, gently);
}

async function loadReaders(turn: () => Promise<void>): Promise<void> {
  for (const format of FORMATS) {
    await turn();
    await format.load().catch(() => undefined);
  }
}

/**
 * Loads the readers, and opens the acquisitions of a folder with them. Failures are ignored: whoever opens a file of the
 * format is told why it fails.
 * @param turn resolves when nothing else is to be done; it is awaited every few milliseconds
 */
export async function warmUp(folder: string, turn: () => Promise<void>): Promise<void> {
  await loadReaders(turn);
  await parseDocuments(turn);
  await openAll(folder, ROUNDS, turn);
}

async function parseDocuments(turn: () => Promise<void>): Promise<void> {
  const xml = settingsXml();
  for (let round = 0; round < XML_ROUNDS; round++) {
    await turn();
    // As readers do: with and without elements to skip, and elements to leave out.
    const skip = round % 2 === 0 ? new Set(['Hardware']) : undefined;
    const isKept = ({ name }: XmlElement) => name !== 'Value';
    parseXml(xml, { ...(skip && { skip }), ...(round % 3 === 0 && { onElement: isKept }) });
  }
}

async function openAll(folder: string, rounds: number, turn: () => Promise<void>): Promise<void> {
  const scratch = createScratch();
  for (let round = 0; round < rounds; round++) {
    for (const path of warmUpPaths(folder)) {
      await turn();
      await openAndRead(path, scratch).catch(() => undefined);
    }
  }
}

/** Returns the acquisitions in the folder, without the files beside them; empty when there is no such folder. */
export function warmUpPaths(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || extensionOf(entry.name) !== undefined)
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Opens an acquisition and reads the first plane of its first scene. */
async function openAndRead(path: string, scratch: ArrayBuffer): Promise<void> {
  const { acquisition, close, size, fingerprints } = await openAt({ path });
  try {
    size();
    fingerprints();
    const { sizes, sampleType } = acquisition.info.scenes[0]!;
    const { Y: rows, X: columns } = sizes;
    const whole = { rows, columns, band: { first: 0, count: rows } };
    const target = new BlockTarget(whole, oneBlock(heldType(sampleType), rows, columns), scratch);
    await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
    target.finish();
  } finally {
    close();
  }
}

function oneBlock(type: SampleType, rows: number, columns: number): BlockSource {
  const samples = allocateSamples(type, rows * columns);
  return { rowsPerBlock: rows, sampleType: type, take: () => ({ samples, content: 'used' }), give: () => {} };
}

/** Returns a document with nested elements, attributes, text, CDATA and entities like those of vendors. */
function settingsXml(): string {
  const elements = Array.from(
    { length: XML_ELEMENTS },
    (_, i) =>
      `<s:Setting Id="Setting:${i}" Name='Laser &amp; ${i}' IsActive="true">\r\n  <Value>${i * 0.25}</Value>\r\n` +
      `  <Range><Low>-1e-7</Low><High Unit="&#181;m">&lt; ${i}</High></Range>\r\n` +
      `  <Hardware IsOn="true" Id="${i}">\r\n    <Lamp Id="1" Name="Lamp ${i}" Text="&lt;a&#xD;&#xA;&gt;">&quot;</Lamp>\r\n` +
      `    <Filter Id="2" Name="Filter" IsEmitter="false" />\r\n  </Hardware>\r\n` +
      `  <!-- ${i} --><Note><![CDATA[<b>${i}</b>]]></Note>\r\n</s:Setting>\r\n`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>\r\n<Settings xmlns:s="urn:s">${elements.join('')}<Empty/></Settings>`;
}
