/** Nikon ND2, the chunk file and the older JPEG 2000 file. See `docs/formats/nd2.md`. */
import type { Acquisition, OpenInput, PlaneAddress, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { countAre, grouped, plural } from '../../wording.js';
import { lutWindows } from './display.js';
import { frameChannels, scratchBytes } from './frame.js';
import { type FrameStore, openFrames } from './frames.js';
import { addUnmappedFrames, type ChunkIndex, openIndex } from './index-map.js';
import { type Layout, layoutScenes } from './layout.js';
import { openLegacy } from './legacy.js';
import { parseLoops } from './loops.js';
import { isChunkFile, isLegacyFile } from './magic.js';
import { toScenes } from './metadata.js';
import { parseAttributes, parsePicture, readTree } from './parse.js';
import { type FramePlan, frameAt, planFrames } from './plan.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, probe, signal } = input;
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .nd2 file inside it`);
  if (isChunkFile(probe.head)) return openChunkFile(probe.name, source, signal);
  if (isLegacyFile(probe.head)) return openLegacy(probe.name, source, signal);
  throw unsupported(`${probe.name}: is no ND2 file`);
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openChunkFile(name: string, source: ByteSource, signal?: AbortSignal): Acquisition {
  const index = openIndex(source, signal);
  const attributes = readTree(source, index, ['ImageAttributesLV!', 'ImageAttributes!'], 'SLxImageAttributes');
  if (!attributes) throw noAttributes(name, index);
  const raw = parseAttributes(attributes);
  completeIndex(index, source, raw.sequenceCount, signal);
  const warnings = [...index.warnings];
  const tree = (names: string[], root: string) => attempt(() => readTree(source, index, names, root), warnings);
  const pictureTree = tree(['ImageMetadataSeqLV|0!', 'ImageMetadataSeq|0!'], 'SLxPictureMetadata');
  const experiment = tree(['ImageMetadataLV!', 'ImageMetadata!'], 'SLxExperiment');
  const text = tree(['ImageTextInfoLV!', 'ImageTextInfo!'], 'SLxImageTextInfo');
  const luts = attempt(() => readTree(source, index, ['CustomDataVar|LUTDataV1_0!'], ''), []);
  const picture = pictureTree && parsePicture(pictureTree);
  const frames = openFrames(name, source, index, raw, picture, warnings);
  const plan = planFrames(name, parseLoops(experiment, warnings), index.frames.keys());
  const layout = layoutScenes(frames.form, picture, plan, index.frames);
  warnings.push(...plan.warnings, ...layout.warnings);
  const channels = frameChannels(frames.form.components, picture?.planes ?? [], warnings);
  const components = channels.map(({ component }) => component);
  const scenes = toScenes({
    form: frames.form,
    picture,
    dateText: text?.text('TextInfoItem_9'),
    plan,
    layout,
    channels,
    // Of which of the three components of a color plane a range is, is not known.
    windows: picture?.planes.length === channels.length ? lutWindows(luts, channels.length) : [],
    timeOf: frames.timeOf,
    warnings,
  });
  return {
    info: { format: 'nd2', scenes },
    scratchBytes: () => scratchBytes(frames.form),
    readPlane: (address, target, abort) =>
      readPlane({ name, frames, plan, layout, components }, address, target, abort),
  };
}

/** The header counts more frames than the map has: they may be in the file all the same. */
function completeIndex(index: ChunkIndex, source: ByteSource, counted: number, signal?: AbortSignal): void {
  if (index.walked || index.frames.size >= counted) return;
  const added = addUnmappedFrames(index, source, signal);
  if (added > 0)
    index.warnings.push(`The chunk map does not list ${plural(added, 'frame')} of the file. All are shown.`);
  if (index.frames.size < counted) {
    index.warnings.push(`The header says ${plural(counted, 'frame')}; the file has ${grouped(index.frames.size)}.`);
  }
}

/** Damaged descriptions cost what they describe, not the pixels. */
function attempt<Result>(read: () => Result | undefined, warnings: string[]): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(
      `${error.message}; what it describes is not shown (it may be names and order of channels, positions, times or depths).`,
    );
    return undefined;
  }
}

function noAttributes(name: string, index: ChunkIndex): Error {
  return decodeFailed(
    `${name}: says nowhere how large its frames are (${countAre(index.frames.size, 'frame')} in it); the recording was ` +
      'interrupted before this was written, or the file is damaged. Repair it with NIS-Elements.',
  );
}

interface OpenedFile {
  name: string;
  frames: FrameStore;
  plan: FramePlan;
  layout: Layout;
  /** Interleaved component of each channel. */
  components: readonly number[];
}

async function readPlane(
  { name, frames, plan, layout, components }: OpenedFile,
  { scene, channel, t, z }: PlaneAddress,
  target: Parameters<Acquisition['readPlane']>[1],
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const place = layout.scenes[scene];
  const component = components[channel];
  if (!place || component === undefined) throw decodeFailed(`${name}: has no channel ${channel} of scene ${scene}`);
  const position = layout.scenes.length > 1 ? `position ${place.position + 1}, ` : '';
  const frameOf = (T: number) => frameAt(plan.loops, { S: place.position, T, Z: z });
  if (layout.lines) {
    const where = `${name}: the line scan of ${position}depth ${z + 1}`;
    await frames.reader.readLines(where, frameOf, component, target, signal);
    return;
  }
  const frame = frameOf(t);
  const where = () => `${name}: the plane of ${position}time ${t + 1}, depth ${z + 1} (frame ${frame})`;
  await frames.reader.read({ where, frame, component, transposed: layout.transposed }, target, signal);
}
