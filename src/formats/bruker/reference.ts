/** The raster image that the line of a line scan was drawn on. */
import type { ReferenceInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { channelsNamed } from '../../metadata/names.js';
import type { PlaneTarget } from '../../plane-target.js';
import { readPageSample } from '../../tiff/read-page.js';
import { fileOf, type ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { pixelStep } from './metadata.js';
import type { RawLine, RawScan } from './parse.js';
import { openPage } from './planes.js';
import { stemOf } from './times.js';

export interface ReferenceImage {
  info: ReferenceInfo;
  /** A file for each channel. */
  files: string[];
}

/**
 * `undefined` without a reference that can be read: `warnings` says why. Never throws.
 * @param like taken for what the reference looks like, instead of opening its file
 */
export function openReference(
  plan: ScenePlan,
  scan: RawScan,
  files: MemberFiles,
  like: ReferenceImage | undefined,
  warnings: string[],
): ReferenceImage | undefined {
  try {
    const found = findFiles(plan, files);
    const [first] = found;
    const look = like?.info ?? (first && lookOf(first.file, files));
    if (!first || !look) {
      warnings.push('The image that the line was drawn on is not in the folder; there is no reference.');
      return undefined;
    }
    const { sampleType, sizes } = look;
    const silent: string[] = [];
    return {
      files: found.map(({ file }) => file),
      info: {
        sampleType,
        channels: channelsNamed(found.map(({ name }) => name)),
        sizes,
        steps: { Y: pixelStep(plan, scan, 'y', silent), X: pixelStep(plan, scan, 'x', silent) },
        ...scannedLine(plan.sequences[0].line, sizes, warnings),
      },
    };
  } catch (error) {
    warnings.push(`The reference image cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

/** @throws AcqError `decode_failed` */
export async function readReference(
  { info, files: names }: ReferenceImage,
  channel: number,
  files: MemberFiles,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  const name = names[channel];
  const opened = name === undefined ? undefined : openPage(files, { file: name, page: 1 });
  if (!opened) throw decodeFailed(`the reference image has no channel ${channel}`);
  const { tiff, page } = opened;
  const { width, height, sampleType } = page.layout;
  if (width !== info.sizes.X || height !== info.sizes.Y || sampleType !== info.sampleType) {
    throw decodeFailed(
      `${tiff.source.name}: is ${height}×${width} ${sampleType}, the first channel of the reference is ` +
        `${info.sizes.Y}×${info.sizes.X} ${info.sampleType}`,
    );
  }
  await readPageSample(tiff, page, 0, target, signal);
}

function lookOf(file: string, files: MemberFiles): Pick<ReferenceInfo, 'sampleType' | 'sizes'> | undefined {
  const layout = openPage(files, { file, page: 1 })?.page.layout;
  return layout && { sampleType: layout.sampleType, sizes: { Y: layout.height, X: layout.width } };
}

interface Candidate {
  file: string;
  name: string;
}

/** Files that the frame names; else those of the usual names: the source image, the reference of the next cycle. */
function findFiles(plan: ScenePlan, files: MemberFiles): Candidate[] {
  const stem = stemOf(plan.frame);
  const { cycle } = plan.sequences[0];
  const number = (value: number) => String(value).padStart(5, '0');
  const ways: ((channel: number) => string | undefined)[] = [
    (channel) => fileOf(plan.frame, channel)?.source || undefined,
    (channel) => stem && `${stem}-Cycle${number(cycle)}_Ch${channel}Source.tif`,
    (channel) => stem && `References/${stem}-Cycle${number(cycle + 1)}-Ch${channel}-16bit-Reference.tif`,
  ];
  for (const nameOf of ways) {
    const found: Candidate[] = [];
    for (const { number: channel, name } of plan.channels) {
      const file = nameOf(channel);
      if (file && files.find(file) !== undefined) found.push({ file, name: name || `Ch${channel}` });
    }
    if (found.length > 0) return found;
  }
  return [];
}

/** The line in pixels of the source image: its two ends, or every point of a free line. */
function scannedLine(
  line: RawLine | undefined,
  { Y, X }: { Y: number; X: number },
  warnings: string[],
): Pick<ReferenceInfo, 'lineRoi' | 'scanPath'> {
  const path = line && pathOf(line);
  if (!line || !path) {
    const mode = line?.mode ? ` (mode "${line.mode.slice(0, 40)}")` : '';
    warnings.push(`The XML does not say where on the reference the line was scanned${mode}.`);
    return { lineRoi: null, scanPath: null };
  }
  const { x, y } = path;
  const outside = x.some((value) => value < -1 || value > X) || y.some((value) => value < -1 || value > Y);
  if (outside) warnings.push('The scanned line lies partly outside the reference image.');
  return { lineRoi: [x[0], y[0], x.at(-1), y.at(-1)] as [number, number, number, number], scanPath: path };
}

function pathOf({ path, ends }: RawLine): { x: number[]; y: number[] } | undefined {
  if (path.x.length >= 2) return path;
  return ends && { x: [ends[0], ends[2]], y: [ends[1], ends[3]] };
}
