import { AcqError } from '../../base/errors.js';
import { quoteError } from '../../base/subject.js';
import { clockText, subjectFirst } from '../../base/wording.js';
import type { Step } from '../../model/acquisition.js';
import { describeInstrument, describeOptics } from '../../model/metadata/instrument-text.js';
import { cleanName } from '../../model/metadata/names.js';
import type { PlaneTable } from '../../model/metadata/plane-table.js';
import type { Cut } from './cut.js';
import type { CutJob } from './types.js';

/**
 * Describes the first plane in lines of text, for formats that have no fields for it. Names have one line each. When and
 * where it was taken is that of this plane, or of its indices when only that is known.
 */
export async function describePlane(job: CutJob): Promise<string[]> {
  const { cut, name } = job;
  const address = cut.first;
  const { sizes, steps, sampleType, channels, coordinates } = cut.info.scenes[address.scene]!;
  const table = await readPlaneTable(job, address.scene);
  const row = (address.t * sizes.Z + address.z) * channels.length + address.channel;
  const time = (table?.time ?? coordinates?.T?.values)?.[table?.time ? row : address.t];
  const depth = coordinates?.Z?.values[address.z];
  const focus = table?.z?.[row] === depth ? undefined : table?.z?.[row];
  return [
    ...describeOrigin(cut, address.scene, name),
    `channel: ${cleanName(channels[address.channel]?.name)}`,
    ...describeClock(cut, address.scene),
    ...describeMeasured('time', time, 'seconds'),
    ...describeMeasured('depth', depth, 'micrometer'),
    ...describeMeasured('focus', focus, 'micrometer'),
    `rows: ${sizes.Y}, step ${describeStep(steps.Y)}`,
    `columns: ${sizes.X}, step ${describeStep(steps.X)}`,
    `samples: ${sampleType}`,
  ];
}

/** Describes a scene in lines of text: where it is from, and what it was taken with. */
export function describeScene(cut: Cut, scene: number, file: string): string[] {
  const { instrument, channels } = cut.info.scenes[scene]!;
  const optics = channels.map((channel) => [cleanName(channel.name), describeOptics(channel)] as const);
  return [
    ...describeOrigin(cut, scene, file),
    ...describeClock(cut, scene),
    ...describeInstrument(instrument).map(([field, text]) => `${field}: ${cleanName(text)}`),
    ...optics.flatMap(([name, text]) => (text === '' ? [] : [`channel ${name}: ${cleanName(text)}`])),
  ];
}

function describeOrigin({ info, sceneIndices }: Cut, at: number, file: string): string[] {
  const { name } = info.scenes[at]!;
  const sceneText = `${sceneIndices[at]} ${cleanName(name)}`.trim();
  return [`file: ${cleanName(file)}`, ...(info.scenes.length > 1 || name !== '' ? [`scene: ${sceneText}`] : [])];
}

function describeClock({ info }: Cut, at: number): string[] {
  const recorded = clockText(info.scenes[at]!);
  return recorded === '' ? [] : [`recorded: ${recorded}`];
}

function describeMeasured(field: string, value: number | undefined, unit: string): string[] {
  return value !== undefined && Number.isFinite(value) ? [`${field}: ${Number(value.toPrecision(12))} ${unit}`] : [];
}

function describeStep({ step, unit, origin }: Step): string {
  return origin === 'default' ? 'unknown' : `${step} ${unit}`;
}

type DescribingJob<Name extends keyof Cut> = Pick<CutJob, 'name' | 'notes'> & { cut: Pick<Cut, Name> };

/** Reads the table of planes of a scene; `undefined` when there is none, or it cannot be read. */
export async function readPlaneTable(job: DescribingJob<'readPlanes'>, scene: number): Promise<PlaneTable | undefined> {
  return unlessCorrupted(job, () => job.cut.readPlanes(scene));
}

/** Reads the values of axes that opening did not wait for, and the steps of a part, into the scenes. */
export async function fillCoordinates(job: DescribingJob<'info' | 'readAxes'>): Promise<void> {
  const { scenes } = job.cut.info;
  for (const [index, scene] of scenes.entries()) {
    const axes = await unlessCorrupted(job, () => job.cut.readAxes(index));
    scenes[index] = { ...scene, ...axes };
  }
}

/** Says which format has no place for the times of lines with a pause between them. */
export function noteLineTimes(
  { cut, name, notes }: Pick<CutJob, 'name' | 'notes'> & { cut: Pick<Cut, 'info'> },
  format: string,
): void {
  if (!cut.info.scenes.some(({ coordinates }) => coordinates?.Y?.uneven)) return;
  const text =
    `the lines are not evenly spaced in time, and ${format} has no place for their times: it has the median ` +
    'period. Export as ome-zarr keeps them.';
  notes.add(subjectFirst(name, text));
}

/** What only describes may be corrupted: the samples are written without it. */
async function unlessCorrupted<T>(
  { name, notes }: Pick<CutJob, 'name' | 'notes'>,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AcqError && error.code === 'decode_failed')) throw error;
    notes.add(quoteError('The times and positions of planes cannot be read', error.about(name)));
    return undefined;
  }
}
