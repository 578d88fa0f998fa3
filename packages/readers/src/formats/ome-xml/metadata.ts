import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { planeTooLarge } from '../../base/plane-size.js';
import { asCorrupted, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ChannelInfo, ChannelOptics, ReadColumns, SceneInfo } from '../../model/acquisition.js';
import { type ChannelDisplay, channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { type GridAxis, gridSize } from '../../model/metadata/mixed-radix.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import {
  omeDisplay,
  omeInstrument,
  omeOptics,
  planeAxes,
  type RawOmeImage,
  type RawPixels,
} from '../../model/metadata/ome-document.js';
import { omePlaneColumns } from '../../model/metadata/ome-plane-columns.js';
import { areLines, omeAxes, omePositionUnit } from '../../model/metadata/ome-steps.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { bytesPerElement, type SampleType } from '../../model/samples/types.js';
import type { OmeDocument } from './parse.js';

/** How the pixels of an image are stored. */
export interface PixelPlan {
  sampleType: SampleType;
  /** One bit per pixel, 8 pixels in a byte. */
  isBits: boolean;
  /** Rows and columns of a stored plane; one line of a scan has one row. */
  width: number;
  height: number;
  /** Samples per pixel of each channel that has blocks of its own. */
  samples: number[];
  interleaved: boolean;
  /** Axes of the blocks, fastest first. */
  axes: GridAxis[];
  /** By the number of a plane. */
  blocks: PixelBlock[];
  /** All planes are in the first block, one after the other. */
  isOneBlock: boolean;
  /** Frames of one line each are the lines of a scan. */
  areLines: boolean;
}

export interface PixelBlock {
  offset: number;
  /** Bytes of text. */
  length: number;
  compression: string;
  littleEndian: boolean;
}

/** Types of OME by their names in lower case, as far as they can be shown. Old schemas write `Uint8`. */
const TYPES: Readonly<Record<string, SampleType>> = {
  ...{ int8: 'int8', uint8: 'uint8', int16: 'int16', uint16: 'uint16', int32: 'int32', uint32: 'uint32' },
  ...{ float: 'float32', double: 'float64', bit: 'uint8' },
};

export interface OmeXmlScene {
  image: RawOmeImage;
  info: SceneInfo;
  plan: PixelPlan;
}

/**
 * Makes the scenes of a document. An image that cannot be shown is named in the warnings of the others.
 * @throws AcqError if none can be shown: that of the first
 */
export function toScenes(document: OmeDocument): OmeXmlScene[] {
  const scenes: OmeXmlScene[] = [];
  const problems: AcqError[] = [];
  for (const image of document.ome.images) {
    try {
      scenes.push(toScene(image, document));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      problems.push(error);
    }
  }
  if (scenes.length === 0) throw problems[0] ?? decodeFailed('the OME-XML contains no image');
  const [problem] = problems;
  const { errors, complete } = document.ome;
  for (const { info } of scenes) {
    if (problem) info.warnings.push(`Skipped ${plural(problems.length, 'OME image')}: ${problem.message}`);
    if (!complete) info.warnings.push(asCorrupted('The OME-XML ends early: the file is truncated. Copy it again.'));
    else if (errors[0] !== undefined) info.warnings.push(`The OME-XML is not well-formed: ${errors[0]}`);
  }
  return scenes;
}

function toScene(image: RawOmeImage, document: OmeDocument): OmeXmlScene {
  const notes = new Notes();
  const plan = planPixels(image, document, notes);
  const [T, Z] = [gridSize(plan.axes, 'T'), gridSize(plan.axes, 'Z')];
  const info: SceneInfo = {
    name: cleanName(image.name),
    sampleType: plan.sampleType,
    channels: toChannels(image, plan),
    ...omeAxes(image, { T, Z, Y: plan.height, X: plan.width }, () => NO_SIZE, notes),
    ...omeInstrument(image),
    ...(parseDateTime(image.date) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
  return { image, info, plan };
}

const NO_SIZE = { X: defaultStep(), Y: defaultStep() };

/** @throws AcqError `unsupported_format`, `decode_failed` */
function planPixels({ pixels, name }: RawOmeImage, { cut, ome }: OmeDocument, notes: Notes): PixelPlan {
  const label = `OME image "${cleanName(name)}"`;
  const sampleType = TYPES[pixels.type.toLowerCase()];
  if (!sampleType) throw unsupported(`${label}: pixels of type "${cleanName(pixels.type)}" are not supported`);
  if (pixels.binData.length === 0) throw unsupported(`${label} has no pixels in this file`);
  const { X: width, Y: height } = pixels.sizes;
  const [Z, T] = [Math.max(1, pixels.sizes.Z), Math.max(1, pixels.sizes.T)];
  if (width < 1 || height < 1) throw decodeFailed(`${label} has ${grouped(height)} lines of ${grouped(width)} pixels`);
  const tooLarge = planeTooLarge({ Y: height, X: width });
  if (tooLarge) throw tooLarge.restated(`${label}: ${tooLarge.statement}`);
  if (T > LIMITS.planes || Z > LIMITS.planes)
    throw decodeFailed(
      `${label} has ${plural(T, 'frame')} of ${plural(Z, 'section')}; the limit is ${grouped(LIMITS.planes)} of each`,
    );
  const samples = planSamples(pixels, Z * T);
  const axes = planeAxes(pixels.order, { C: samples.length, Z, T }) ?? planeAxes('XYCZT', { C: samples.length, Z, T })!;
  if (!planeAxes(pixels.order, { C: 1, Z: 1, T: 1 }))
    notes.add(`The OME DimensionOrder "${cleanName(pixels.order)}" is invalid; XYCZT was assumed.`);
  const blocks = toBlocks(pixels, cut.blocks, bytesPerElement(sampleType), notes);
  const isBits = pixels.type.toLowerCase() === 'bit';
  if (isBits) notes.add('The pixels are bits; the first pixel was assumed to be the highest bit of a byte.');
  const isOneBlock = blocks.length === 1 && gridSize(axes) > 1 && ome.complete;
  const plan = { sampleType, isBits, width, height, samples, axes, blocks, isOneBlock };
  const stored = { ...plan, areLines: areLines({ T, Y: height }), interleaved: pixels.interleaved };
  noteMissing(stored, notes);
  return stored;
}

/** SizeC counts samples. A channel with several of them has one block, unless there is a block for each. */
function planSamples(pixels: RawPixels, perChannel: number): number[] {
  const sizeC = Math.max(1, pixels.sizes.C);
  if (sizeC > LIMITS.channels)
    throw decodeFailed(`the OME image has ${grouped(sizeC)} channels; the limit is ${grouped(LIMITS.channels)}`);
  const declared = pixels.channels.map(({ samples }) => Math.max(1, samples));
  const sum = declared.reduce((total, count) => total + count, 0);
  const hasBlocks = pixels.binData.length !== perChannel * sizeC || declared.length === sizeC;
  return sum === sizeC && hasBlocks ? declared : new Array<number>(sizeC).fill(1);
}

function toBlocks(
  pixels: RawPixels,
  places: readonly { offset: number; length: number }[],
  sampleBytes: number,
  notes: Notes,
): PixelBlock[] {
  const said = pixels.bigEndian ?? pixels.binData[0]?.bigEndian;
  if (said === undefined && sampleBytes > 1)
    notes.add('The OME-XML does not say the byte order (BigEndian); high byte first was assumed.');
  return pixels.binData.map(({ block, compression, bigEndian }) => {
    const { offset, length } = places[block ?? -1] ?? { offset: 0, length: 0 };
    return { offset, length, compression, littleEndian: !(bigEndian ?? said ?? true) };
  });
}

/** Bytes of one block when it is complete and not compressed. */
export function blockBytes({ sampleType, isBits, width, height }: PixelPlan, samples: number): number {
  const count = width * height * samples;
  return isBits ? Math.ceil(count / 8) : count * bytesPerElement(sampleType);
}

/** True for a block whose text is too short for a plane: an empty one stands for a plane that was not written. */
export function isShort({ compression, length }: PixelBlock, bytes: number): boolean {
  return compression === 'none' ? Math.floor((length * 3) / 4) < bytes : length === 0;
}

const IN_DOUBT = 'The channel, time point (T) and section (Z) of each block are uncertain.';

function noteMissing(plan: PixelPlan, notes: Notes): void {
  const planes = gridSize(plan.axes);
  const { blocks } = plan;
  const bytes = blockBytes(plan, Math.min(...plan.samples));
  if (plan.isOneBlock) {
    if (isShort(blocks[0]!, bytes * planes))
      notes.add(
        asCorrupted(`${plural(1, 'block')} of pixels ends before the last plane. What is missing is shown as zeros.`),
      );
    return;
  }
  if (blocks.length > planes)
    notes.add(
      asInconsistent(
        `The OME image has ${plural(planes, 'plane')}, but ${plural(blocks.length, 'block')} of pixels; the last ones were ignored. ${IN_DOUBT}`,
      ),
    );
  if (blocks.length < planes)
    notes.add(
      asCorrupted(
        `The OME image has ${plural(planes, 'plane')}, but ${plural(blocks.length, 'block')} of pixels. The others are shown as zeros. ${IN_DOUBT}`,
      ),
    );
  const short = blocks.slice(0, planes).filter((block) => isShort(block, bytes)).length;
  if (short > 0)
    notes.add(
      asCorrupted(
        `${plural(short, 'block')} of pixels ${short === 1 ? 'is' : 'are'} shorter than a plane. What is missing is shown as zeros.`,
      ),
    );
}

function toChannels(image: RawOmeImage, { samples }: PixelPlan): ChannelInfo[] {
  const { channels } = image.pixels;
  const total = samples.reduce((sum, count) => sum + count, 0);
  if (total > LIMITS.channels)
    throw decodeFailed(`the OME image has ${grouped(total)} channels; the limit is ${grouped(LIMITS.channels)}`);
  const names = channels.length > 0 ? channels.map(({ name }) => name) : image.logicalNames;
  const displays = channels.length === samples.length ? channels.map(omeDisplay) : [];
  const parts = samples.flatMap((count, i) =>
    Array.from({ length: count }, (_, sample): { name: string; display: ChannelDisplay } => {
      const name = cleanName(names.length === samples.length ? names[i] : undefined);
      if (count === 1) return { name: cleanName(names.length === total ? names[i] : name), display: displays[i] ?? {} };
      const letter = count === 3 || count === 4 ? 'RGBA'[sample]! : String(sample + 1);
      return { name: `${name} ${letter}`.trim(), display: { ...displays[i], ...SAMPLE_DISPLAYS[sample] } };
    }),
  );
  const shown = channelsShown(
    channelsNamed(parts.map(({ name }) => name)),
    parts.map(({ display }) => display),
  );
  const optics = omeOptics(image, samples.length);
  const bySample = samples.flatMap((count, i) => new Array<ChannelOptics>(count).fill(optics[i]!));
  return shown.map((channel, i) => ({ ...channel, ...bySample[i] }));
}

/** Reads what the document says of the planes of a scene; the lines of a scan are not planes. */
export function readColumns(text: string, { image, info, plan }: OmeXmlScene): ReadColumns {
  if (plan.areLines) return {};
  const { pixels } = image;
  const positionUnit = omePositionUnit(pixels, info.sizes);
  return omePlaneColumns(text, { ...pixels, positionUnit }, { ...info.sizes, samples: plan.samples });
}
