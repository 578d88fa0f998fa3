/** What a row of a folder says of the recording in it. */
import type { FolderEntry, RecordingDetails } from '@acquisition-store/client';
import { clockText } from '@acquisition-store/readers/base/wording.js';
import { formatNumber } from '../model/number-text.ts';
import type { RecordingFacts } from './recordings.ts';

export interface RowText {
  /** Dimensions, channels and number of files; empty before these are known. */
  readonly what: string;
  /** Name of the format; empty when it is not known. */
  readonly format: string;
  /** Number of warnings; empty without any. */
  readonly warnings: string;
  /** Why it cannot be opened; empty when it can. */
  readonly problem: string;
  /** When it was recorded; empty when that is not known. */
  readonly recorded: string;
  /** Lines for its tooltip. */
  readonly notes: readonly string[];
}

/** Warnings that a tooltip lists. */
const MAX_LISTED = 5;

/** True for a recording in several files, which are opened together. */
export function isJoined(facts: RecordingFacts | null): boolean {
  return (
    facts !== null && 'details' in facts && facts.details.recording !== undefined && (facts.details.files ?? 1) > 1
  );
}

/** @param facts null before it is known what is in it */
export function rowText(entry: FolderEntry, facts: RecordingFacts | null): RowText {
  if (facts && 'details' in facts) return describedText(facts.details);
  const { kind, openable, recording } = entry;
  const format = recording?.format ?? (kind === 'folder' && openable ? 'acquisition' : '');
  const problem = facts?.problem ?? '';
  // The row has the name already.
  const short = problem.startsWith(`${entry.name}: `) ? problem.slice(entry.name.length + 2) : problem;
  return {
    ...{ what: filesText(recording?.files ?? 1), format, warnings: '', problem: short, recorded: '' },
    notes: problem === '' ? [] : [problem],
  };
}

function describedText({
  formatName,
  channels,
  files,
  warnings,
  date,
  time,
  instrument,
  ...more
}: RecordingDetails): RowText {
  const microscope = instrument?.microscope;
  const hidden = warnings.length - MAX_LISTED;
  return {
    what: joined([sizesText(more), counted(channels.length, 'channel'), filesText(files ?? 1)]),
    format: formatName,
    warnings: warnings.length === 0 ? '' : counted(warnings.length, 'warning'),
    problem: '',
    recorded: clockText({ date, time: time.slice(0, 5) }),
    notes: [
      ...(microscope === undefined ? [] : [microscope]),
      ...warnings.slice(0, MAX_LISTED),
      ...(hidden > 0 ? [`and ${counted(hidden, 'more warning')}`] : []),
    ],
  };
}

/** `T 120 · 512 × 512`: columns by rows, as pictures are wide and high. */
function sizesText({ sizes, scenes }: Pick<RecordingDetails, 'sizes' | 'scenes'>): string {
  const axis = (name: string, size: number) => (size > 1 ? `${name} ${formatNumber(size)}` : '');
  return joined([
    axis('S', scenes),
    axis('T', sizes.T),
    axis('Z', sizes.Z),
    `${formatNumber(sizes.X)} × ${formatNumber(sizes.Y)}`,
  ]);
}

function filesText(files: number): string {
  return files > 1 ? counted(files, 'file') : '';
}

function counted(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' · ');
}
