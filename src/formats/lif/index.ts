/** Leica LIF, LOF, and projects on disk (XLEF, XLIF). See `docs/formats/lif.md`. */
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readBlockIndex, readTextBlock } from './blocks.js';
import { collectFromDisk, filesOf, type Shelf } from './disk.js';
import { parseDocument } from './document.js';
import {
  addImage,
  type Collected,
  documentWarnings,
  FileRange,
  noteUnused,
  nothingYet,
  toScenes,
  warn,
} from './images.js';
import { readLof } from './lof.js';
import { isContainer } from './magic.js';
import { readImagePlane } from './planes.js';
import type { LifScene } from './types.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, probe, signal } = input;
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .lif or .xlef file inside it`);
  if (!isContainer(probe.head)) {
    return openProject(probe.name, source, input.folder, signal);
  }
  const first = readTextBlock(source, 0);
  if (first.text === 'LMS_Object_File') return toAcquisition(probe.name, 'lof', collectLof(probe.name, source));
  return toAcquisition(probe.name, 'lif', collectLif(probe.name, source, first, signal));
}

/** A project on disk; `main` is the file that was opened. */
export function openProject(name: string, main: ByteSource, folder: Shelf, signal?: AbortSignal): Acquisition {
  const format = /\.(xlif|xlcf)$/i.exec(name)?.[1]?.toLowerCase() ?? 'xlef';
  const collected = collectFromDisk(name, main, folder, signal);
  return { ...toAcquisition(name, format, collected), files: () => filesOf(folder, collected) };
}

function collectLif(
  name: string,
  source: ByteSource,
  { text, end }: { text: string; end: number },
  signal: AbortSignal | undefined,
): Collected {
  const document = parseDocument(text);
  if (document.enhanced) {
    throw unsupported(
      `${name}: is a LIFEXT file, which belongs to a LIF file and is not read alone; open the .lif file`,
    );
  }
  const { blocks, stopped } = readBlockIndex(source, end, signal);
  const collected = nothingYet();
  documentWarnings(document, collected);
  noteUnused(blocks, document, collected);
  for (const raw of document.images) {
    const block = blocks.get(raw.blockId);
    const missing = `the file does not hold its data ("${raw.blockId}")${stopped ? `: ${stopped}` : ''}`;
    if (raw.memorySize === 0 && !block?.size) addImage(collected, raw, document.saved, 'nothing was recorded');
    else addImage(collected, raw, document.saved, block ? new FileRange(source, block.offset, block.size) : missing);
  }
  return collected;
}

function collectLof(name: string, source: ByteSource): Collected {
  const { pixels, xml, problem } = readLof(source);
  if (xml === '') throw decodeFailed(`${name}: has no description of its image; ${problem || 'it is empty'}`);
  const document = parseDocument(xml);
  const collected = nothingYet();
  documentWarnings(document, collected);
  const [raw, ...more] = document.images;
  if (raw) addImage(collected, raw, document.saved, new FileRange(source, pixels.offset, pixels.size));
  if (more.length > 0) warn(collected, `Only the first of the ${more.length + 1} images that are described is there.`);
  return collected;
}

function toAcquisition(name: string, format: string, collected: Collected): Acquisition {
  const scenes = toScenes(collected);
  if (scenes.length === 0) {
    if (collected.missing) throw collected.missing;
    throw decodeFailed(`${name}: holds no image that can be read. ${collected.warnings.slice(0, 3).join(' ')}`.trim());
  }
  const sceneAt = (index: number): LifScene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`${name}: has no scene ${index}`);
    return scene;
  };
  return {
    info: { format, scenes: scenes.map(({ info }) => info) },
    async readPlane(address, target, signal) {
      const { image, folded } = sceneAt(address.scene);
      signal?.throwIfAborted();
      await readImagePlane(image.bytes, image.layout, folded, address, target, signal);
    },
    async readReference(index, channel, target, signal) {
      const { reference } = sceneAt(index);
      if (!reference) throw decodeFailed(`${name}: scene ${index} has no reference image`);
      await readImagePlane(reference.bytes, reference.layout, 0, { channel, t: 0, z: 0 }, target, signal);
    },
  };
}
