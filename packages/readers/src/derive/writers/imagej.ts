/**
 * A hyperstack as ImageJ writes it: a TIFF file whose samples follow each other without a gap, channels first, then sections,
 * then time points. Above 4 GB only the first image has an IFD, and ImageJ finds the others by their number.
 */

import { grouped, subjectFirst } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo } from '../../model/acquisition.js';
import type { SampleArray } from '../../model/samples/types.js';
import { inOnePiece } from '../zarr/chunk.js';
import { planeRange } from '../zarr/display.js';
import { isColorImage, type StoredType, storedType } from './imagej-samples.js';
import {
  encodeMetadata,
  pixelsPerUnit,
  stackSizes,
  toDescription,
  toInfo,
  toLabels,
  toLuts,
  toRanges,
} from './imagej-text.js';
import { OutputError } from './output-error.js';
import { describeScene, noteLineTimes, readPlaneTable } from './plane-text.js';
import { bytes, encodeIfd, LONG, numbers, rational, SHORT, type TiffField, text } from './tiff-fields.js';
import { SOFTWARE } from './tiff-writer.js';
import type { ByteSink, CutJob } from './types.js';

/** ImageJ holds a label of each image in memory. */
const MAX_LABELS = 100_000;
/** Offsets, and the bytes of one image, have 32 bits. */
const MAX_OFFSET = 2 ** 32 - 1;
/** An image is one array of Java. */
const MAX_PIXELS = 2 ** 31 - 1;
const HEADER_BYTES = 8;
const [BLACK_IS_ZERO, RGB] = [1, 2];
const NO_UNIT = 1;

/** Notes what ImageJ does not keep. @throws OutputError `not_representable` for planes that it cannot hold */
export function checkImageJ(job: CutJob): void {
  noteLineTimes(job, 'ImageJ');
  for (const scene of job.cut.info.scenes) checkSize(scene, job);
}

function checkSize(scene: SceneInfo, { name, notes }: CutJob): void {
  const { Y, X } = scene.sizes;
  if (Y * X <= MAX_PIXELS && imageBytes(scene, storedType(scene, name, notes)) <= MAX_OFFSET) return;
  const message = `a plane of ${grouped(Y)} × ${grouped(X)} pixels is larger than ImageJ can open. Export it as ome-zarr or ome-tiff.`;
  throw new OutputError('not_representable', name, message);
}

function imageBytes({ sizes }: SceneInfo, { bits, samplesPerPixel }: StoredType): number {
  return (sizes.Y * sizes.X * bits * samplesPerPixel) / 8;
}

/** Writes one scene. */
export async function writeStack(job: CutJob, at: number, sink: ByteSink): Promise<void> {
  const scene = job.cut.info.scenes[at]!;
  const stored = storedType(scene, job.name, job.notes);
  const { images } = stackSizes(scene);
  const size = imageBytes(scene, stored);
  const first = [...imageFields(scene, stored), ...(await describeStack(job, at))];
  const place = { isBig: false, start: HEADER_BYTES };
  const offset = HEADER_BYTES + encodeIfd([...first, strip(0)], { ...place, next: 0 }).length;
  const ifdBytes = encodeIfd([...imageFields(scene, stored), strip(0)], { ...place, next: 0 }).length;
  const { further, hasAll } = planLayout(offset, { images, imageBytes: size, ifdBytes });
  const header = Uint8Array.from([0x49, 0x49, 42, 0, HEADER_BYTES, 0, 0, 0]);
  sink.write(header);
  sink.write(encodeIfd([...first, strip(offset)], { ...place, next: hasAll ? further : 0 }));
  for (let t = 0; t < scene.sizes.T; t++) {
    for (let z = 0; z < scene.sizes.Z; z++) await writeImages(job, { scene: at, t, z }, stored, sink);
  }
  if (!hasAll) return;
  sink.write(new Uint8Array(further - sink.length));
  for (let image = 1; image < images; image++) {
    const fields = [...imageFields(scene, stored), strip(offset + image * size)];
    const next = image === images - 1 ? 0 : 'after';
    sink.write(encodeIfd(fields, { isBig: false, start: sink.length, next }));
  }
}

function strip(offset: number): TiffField {
  return numbers(273, LONG, [offset]);
}

/**
 * Returns where the IFDs of further images are, and whether all of them can be written.
 * @param offset of the first samples
 */
export function planLayout(
  offset: number,
  { images, imageBytes, ifdBytes }: { images: number; imageBytes: number; ifdBytes: number },
): { further: number; hasAll: boolean } {
  const end = offset + images * imageBytes;
  const further = end + (end % 2);
  return { further, hasAll: images > 1 && further + (images - 1) * ifdBytes <= MAX_OFFSET };
}

/** Writes the channels of one section, or the three samples of each pixel of a color image. */
async function writeImages(
  { cut, onPlane }: CutJob,
  plane: { scene: number; t: number; z: number },
  { samplesPerPixel, convert }: StoredType,
  sink: ByteSink,
): Promise<void> {
  const { sizes, channels } = cut.info.scenes[plane.scene]!;
  const pixels = samplesPerPixel > 1 ? new Uint8Array(sizes.Y * sizes.X * samplesPerPixel) : undefined;
  for (let channel = 0; channel < channels.length; channel++) {
    const samples = convert(await cut.read({ ...plane, channel }));
    if (pixels) for (let i = 0; i < samples.length; i++) pixels[i * samplesPerPixel + channel] = Number(samples[i]);
    else sink.write(samples);
    onPlane();
  }
  if (pixels) sink.write(pixels);
}

/** Returns the fields of every image, without the place of its samples. */
function imageFields(scene: SceneInfo, stored: StoredType): TiffField[] {
  const { sizes } = scene;
  const { samplesPerPixel, bits, sampleFormat } = stored;
  const scale = pixelsPerUnit(scene);
  const ofSamples = (value: number) => new Array<number>(samplesPerPixel).fill(value);
  return [
    numbers(256, LONG, [sizes.X]),
    numbers(257, LONG, [sizes.Y]),
    numbers(258, SHORT, ofSamples(bits)),
    numbers(259, SHORT, [1]),
    numbers(262, SHORT, [samplesPerPixel > 1 ? RGB : BLACK_IS_ZERO]),
    numbers(277, SHORT, [samplesPerPixel]),
    numbers(278, LONG, [sizes.Y]),
    numbers(279, LONG, [imageBytes(scene, stored)]),
    ...(scale ? [rational(282, scale.x), rational(283, scale.y), numbers(296, SHORT, [NO_UNIT])] : []),
    numbers(339, SHORT, ofSamples(sampleFormat)),
  ];
}

/** Returns the fields of the first image that are about the whole stack. */
async function describeStack(job: CutJob, at: number): Promise<TiffField[]> {
  const { cut, notes, name } = job;
  const scene = cut.info.scenes[at]!;
  const { images } = stackSizes(scene);
  const table = images <= MAX_LABELS ? await readPlaneTable(job, at) : undefined;
  if (images > MAX_LABELS) {
    const text = `the ${grouped(images)} images have no labels; the limit is ${grouped(MAX_LABELS)}.`;
    notes.add(subjectFirst(name, text));
  }
  const luts = toLuts(scene);
  const metadata = encodeMetadata([
    toInfo(describeScene(cut, at, name)),
    ...(images <= MAX_LABELS ? [toLabels(scene, table)] : []),
    toRanges(await findWindows(job, at)),
    luts,
  ]);
  // ImageJ uses the table of its own metadata for several channels only.
  const colorMap = scene.channels.length === 1 && luts.items[0] && Array.from(luts.items[0], (part) => part * 257);
  const recorded = toDateTime(scene);
  return [
    text(270, toDescription(scene)),
    text(305, SOFTWARE),
    ...(recorded === undefined ? [] : [text(306, recorded)]),
    ...(colorMap ? [numbers(320, SHORT, colorMap)] : []),
    ...(metadata ? [numbers(50838, LONG, metadata.counts), bytes(50839, metadata.block)] : []),
  ];
}

/** Returns `YYYY:MM:DD HH:MM:SS` when the file has both. */
function toDateTime({ date, time }: SceneInfo): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  return year !== undefined && time !== '' ? `${year}:${month}:${day} ${time}` : undefined;
}

/** Returns the ranges of several channels when the file has any; the others get that of their middle plane. */
async function findWindows({ cut }: CutJob, at: number): Promise<NonNullable<ChannelInfo['window']>[]> {
  const scene = cut.info.scenes[at]!;
  const { channels, sizes } = scene;
  if (channels.length === 1 || isColorImage(scene) || channels.every(({ window }) => window === undefined)) return [];
  const windows: NonNullable<ChannelInfo['window']>[] = [];
  for (const [channel, { window }] of channels.entries()) {
    windows.push(window ?? planeRange(inOnePiece(await middlePlane(channel))));
  }
  return windows;

  function middlePlane(channel: number): Promise<SampleArray> {
    return cut.read({ scene: at, channel, t: sizes.T >> 1, z: sizes.Z >> 1 });
  }
}
