/** Opens a chunk file: its index, its metadata trees and its frames, as one acquisition. */

import { decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Acquisition } from '../../model/acquisition.js';
import { lutWindows } from './display.js';
import { frameChannels, scratchBytes } from './frame.js';
import { openFrames } from './frames.js';
import { type ChunkIndex, openIndex, withUnmappedFrames } from './index-map.js';
import { layoutScenes } from './layout.js';
import { parseLoops } from './loops.js';
import { toScenes } from './metadata.js';
import { parseAttributes, parsePicture, readOptional, readTree } from './parse.js';
import { planFrames } from './plan.js';
import { readPlaneColumns } from './plane-columns.js';
import { readChannels, readPlane } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openChunkFile(source: ByteSource, signal?: AbortSignal): Acquisition {
  const found = openIndex(source, signal);
  const attributes = readTree(source, found, ['ImageAttributesLV!', 'ImageAttributes!'], 'SLxImageAttributes');
  if (!attributes) throw noAttributes(found);
  const raw = parseAttributes(attributes);
  const index = withUnmappedFrames(source, found, raw.sequenceCount, signal);
  const notes = new Notes();
  notes.addAll(index.warnings);
  const tree = (names: string[], root: string) =>
    readOptional(source, () => readTree(source, index, names, root), notes);
  const pictureTree = tree(['ImageMetadataSeqLV|0!', 'ImageMetadataSeq|0!'], 'SLxPictureMetadata');
  const experiment = tree(['ImageMetadataLV!', 'ImageMetadata!'], 'SLxExperiment');
  const text = tree(['ImageTextInfoLV!', 'ImageTextInfo!'], 'SLxImageTextInfo');
  // Without the LUTs only the suggested contrast is missing, which needs no warning.
  const luts = readOptional(source, () => readTree(source, index, ['CustomDataVar|LUTDataV1_0!'], ''), new Notes());
  const picture = pictureTree && parsePicture(pictureTree);
  const frames = openFrames(source, index, raw, picture);
  notes.addAll(frames.warnings);
  const loops = parseLoops(experiment);
  notes.addAll(loops.warnings);
  const plan = planFrames(loops.loops, frames.offsets.keys());
  notes.addAll(plan.warnings);
  const layout = layoutScenes(frames.form, picture, plan, frames.offsets);
  notes.addAll(layout.warnings);
  const channels = frameChannels(frames.form.components, picture?.planes ?? [], notes);
  const scenes = toScenes({
    form: frames.form,
    picture,
    dateText: text?.text('TextInfoItem_9'),
    plan,
    layout,
    channels,
    // The file does not say which of the three components of a color plane a range belongs to.
    windows: picture?.planes.length === channels.length ? lutWindows(luts, channels.length) : [],
    timeOf: frames.timeOf,
    notes,
  });
  const components = channels.map(({ component }) => component);
  const planes = { reader: frames.reader, plan, layout, components };
  /** The rows of a plane are rows in the file, which can be read one without the other. */
  const hasRows = layout.lines || !(frames.form.deflated || layout.transposed);
  return {
    info: { format: 'nd2', scenes },
    scratchBytes: () => scratchBytes(frames.form),
    ...(hasRows ? { bands: (scene) => scenes[scene]?.sizes.Y ?? 1 } : {}),
    readsOnce: () => components.length > 1 && hasRows,
    readPlane: (address, target, abort) => readPlane(planes, address, target, abort),
    readChannels: (plane, list, targets, abort) => readChannels(planes, plane, { channels: list, targets }, abort),
    listMetadata: (_scene, list) => listMetadata(source, index, list),
    readPlaneColumns: async (scene) => {
      const [planned, info] = [plan.scenes[scene], scenes[scene]];
      if (!planned || !info) throw decodeFailed(`there is no scene ${scene}`);
      const file = { source, index, lines: layout.lines };
      return readPlaneColumns(file, { plan, timeOf: frames.timeOf }, planned, info);
    },
  };
}

function noAttributes(index: ChunkIndex): Error {
  return decodeFailed(
    'the image attributes, which give the size of the frames, are missing; the file has ' +
      `${plural(index.frames.size, 'frame')}. The recording was probably interrupted. Repair the file in NIS-Elements.`,
  );
}
