/** OME-TIFF: a page for each plane, in the type of the file, and all scenes as images in one OME-XML. */

import { toUtf8 } from '../../base/bytes.js';
import { grouped, subjectFirst } from '../../base/wording.js';
import { lastPart } from '../../io/paths.js';
import type { ChannelInfo, SceneInfo } from '../../model/acquisition.js';
import { acquisitionDate, toOmeXml } from '../../model/metadata/ome-xml.js';
import { countPlanes, type PlaneTable } from '../../model/metadata/plane-table.js';
import { SAMPLE_ARRAYS } from '../../model/samples/types.js';
import { type Cut, planesOf } from './cut.js';
import { OutputError } from './output-error.js';
import { noteLineTimes, readPlaneTable } from './plane-text.js';
import { type Deflate, needsBigTiff, type PageToWrite, TiffWriter } from './tiff-writer.js';
import type { ByteSink, CutJob } from './types.js';

/** Planes that are described: about 40 MB of text, which readers hold in memory. */
const MAX_DESCRIBED = 250_000;

/** @throws OutputError `not_representable` for a type that OME-TIFF does not have */
export function checkOmeTiff({ cut, name }: Pick<CutJob, 'cut' | 'name'>): void {
  for (const { sampleType } of cut.info.scenes) {
    if (!sampleType.endsWith('64') || sampleType === 'float64') continue;
    const text = `OME-TIFF has no type for ${sampleType} samples. Export it as ome-zarr or npy.`;
    throw new OutputError('not_representable', name, text);
  }
}

/** Returns the OME-XML of all scenes. */
export async function describeFile(job: CutJob): Promise<string> {
  noteLineTimes(job, 'OME-TIFF');
  return describePages(job.cut, job.name, await describeScenes(job));
}

/** @param deflate compresses a strip, if the options say so */
export async function writeOmeTiffTo(job: CutJob, xml: string, sink: ByteSink, deflate: Deflate): Promise<void> {
  const { cut, options } = job;
  const sizes = cut.info.scenes.map((scene) => ({ count: countPlanes(scene), bytes: planeBytes(scene) }));
  const isBig = needsBigTiff(sizes, toUtf8(xml).length);
  const writer = new TiffWriter(sink, { isBig, deflate: options.compress && deflate });
  let isFirst = true;
  for (const [index, scene] of cut.info.scenes.entries()) {
    const page = toPage(scene);
    for (const address of planesOf(cut, index)) {
      writer.add(isFirst ? { ...page, description: xml } : page, await cut.read(address));
      isFirst = false;
      job.onPlane();
    }
  }
  writer.finish();
}

/** Returns the OME-XML. The planes of a scene are on consecutive pages, in the order of its dimensions. */
function describePages({ info }: Cut, name: string, planes: readonly string[]): string {
  let page = 0;
  return toOmeXml(info, {
    name: lastPart(name),
    planes: (scene, index) => {
      const count = countPlanes(scene);
      const data = `<TiffData IFD="${page}" PlaneCount="${count}"/>`;
      page += count;
      return data + (planes[index] ?? '');
    },
  });
}

/** What a description needs of a job. */
export interface DescribedJob extends Pick<CutJob, 'name' | 'notes'> {
  cut: Pick<Cut, 'info' | 'planeCount' | 'readPlanes'>;
}

/** Returns the `Plane` elements of each scene; none for more planes than a description can name. */
export async function describeScenes(job: DescribedJob): Promise<string[]> {
  const { cut, name, notes } = job;
  const { scenes } = cut.info;
  if (cut.planeCount > MAX_DESCRIBED) {
    const known = scenes.some(({ coordinates, channels }) => coordinates ?? channels.some(hasExposure));
    const text = `the times and positions of the ${grouped(cut.planeCount)} planes are not in the OME-XML; the limit is ${grouped(MAX_DESCRIBED)} planes. Export as npy keeps those of the axes.`;
    if (known) notes.add(subjectFirst(name, text));
    return [];
  }
  const described: string[] = [];
  for (const [index, scene] of scenes.entries()) {
    described.push(toPlaneElements(scene, await readPlaneTable(job, index)));
  }
  return described;
}

function hasExposure({ exposureSeconds }: ChannelInfo): boolean {
  return exposureSeconds !== undefined;
}

/** Returns a `Plane` for each plane of which something is known. */
function toPlaneElements(scene: SceneInfo, table: PlaneTable | undefined): string {
  const { sizes, channels } = scene;
  if (!table && !channels.some(hasExposure)) return '';
  const elements: string[] = [];
  const total = countPlanes(scene);
  const from = (table?.first ?? 0) + acquisitionDate(scene).after;
  for (let row = 0; row < total; row++) {
    const c = row % channels.length;
    const number = (column: Float64Array | undefined) => {
      const value = column?.[row];
      return value !== undefined && Number.isFinite(value) ? value : undefined;
    };
    const exposure = number(table?.exposure) ?? channels[c]!.exposureSeconds;
    const values = [
      attribute('DeltaT', sinceDate(number(table?.time), from), 's'),
      exposure !== undefined && exposure > 0 ? attribute('ExposureTime', exposure, 's') : '',
      attribute('PositionX', number(table?.x), 'µm'),
      attribute('PositionY', number(table?.y), 'µm'),
      attribute('PositionZ', number(table?.z), 'µm'),
    ].join('');
    const z = Math.floor(row / channels.length) % sizes.Z;
    const t = Math.floor(row / (channels.length * sizes.Z));
    if (values !== '') elements.push(`<Plane TheC="${c}" TheT="${t}" TheZ="${z}"${values}/>`);
  }
  return elements.join('');
}

/** Returns the seconds from `AcquisitionDate`, `from` later than the time 0, without the noise of a sum. */
function sinceDate(time: number | undefined, from: number): number | undefined {
  return time === undefined || from === 0 ? time : Number((time + from).toPrecision(15));
}

function attribute(name: string, value: number | undefined, unit: string): string {
  return value === undefined ? '' : ` ${name}="${value}" ${name}Unit="${unit}"`;
}

function toPage({ sampleType, sizes, steps: { Y, X } }: SceneInfo): PageToWrite {
  const x = X.unit === 'micrometer' ? { x: 1e4 / X.step } : {};
  const y = Y.unit === 'micrometer' ? { y: 1e4 / Y.step } : {};
  const resolution = { ...x, ...y };
  return {
    rows: sizes.Y,
    columns: sizes.X,
    sampleFormat: sampleType.startsWith('uint') ? 1 : sampleType.startsWith('int') ? 2 : 3,
    bits: 8 * SAMPLE_ARRAYS[sampleType].BYTES_PER_ELEMENT,
    // For programs that do not read OME-XML, such as ImageJ without plug-ins. The lines of a line scan are not lengths.
    ...(Object.keys(resolution).length > 0 ? { resolution } : {}),
  };
}

function planeBytes({ sizes, sampleType }: SceneInfo): number {
  return sizes.Y * sizes.X * SAMPLE_ARRAYS[sampleType].BYTES_PER_ELEMENT;
}
