import { formatFileSize } from '@acquisition-store/client/answers/describe.js';
import { clockText, grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type Surveyed, surveyAll } from '../batch/surveys.js';
import { defaultOptions } from '../options.js';
import { toDetails } from '../survey/details.js';
import type { Survey } from '../survey/survey.js';
import { exitCodeFor, toFailure } from './batch-result.js';
import type { CatalogFlags } from './flags.js';
import type { Output } from './inspect-command.js';
import { isForeign, surveyPaths } from './survey-paths.js';
import { visible, visibleLines } from './visible.js';

const UNKNOWN = '–';
/** Characters of the columns of the table; a longer text moves the others. */
const WIDTHS = [19, 8, 26, 4] as const;

/** `acqstore catalog`: lists recordings while it finds them. Resolves to the exit code. */
export async function catalog(
  args: readonly string[],
  flags: CatalogFlags,
  output: Output & { signal: AbortSignal },
): Promise<number> {
  const paths = await surveyPaths(args, flags);
  const { signal } = output;
  const surveys = surveyAll(paths, {
    planes: 'none',
    thumbnail: flags.jsonl === true && flags.thumbnails === true,
    workers: flags.workers ?? 0,
    timeoutSeconds: flags.timeout ?? defaultOptions().openTimeoutSeconds,
    signal,
  });
  const totals = { total: 0, failed: 0 };
  for await (const one of surveys) {
    if (isForeign(one)) continue;
    totals.total++;
    if ('survey' in one) await output.print(flags.jsonl ? toLine(one.path, one.survey) : toRow(one.survey));
    else {
      totals.failed++;
      await report(one, flags, output);
    }
  }
  if (!flags.jsonl) {
    const end = signal.aborted ? ' Stopped before the end.' : '';
    await output.print(`${plural(totals.total, 'recording')}.${end}`);
  }
  return exitCodeFor(totals);
}

async function report(one: Extract<Surveyed, { error: unknown }>, flags: CatalogFlags, output: Output): Promise<void> {
  const { code, message, stack } = toFailure(one.error);
  // An unexpected error is a bug.
  if (stack !== undefined) output.complain(visibleLines(stack));
  if (!flags.jsonl) return output.complain(`${code}: ${visible(message)}`);
  await output.print(visible(JSON.stringify({ path: one.path, ok: false, error: code, message })));
}

function toLine(path: string, survey: Survey): string {
  return visible(JSON.stringify({ path, ...toDetails(survey) }));
}

/** `2026-11-28 10:31:02  842 KB  T 120 × Y 512 × X 512  2 ch  /data/scan.oir  Olympus OIR, 1 warning` */
function toRow(survey: Survey): string {
  const { path, size, sizes, scenes, channels, formatName, warnings, files } = survey;
  const axes = (['T', 'Z', 'Y', 'X'] as const).filter((axis) => sizes[axis] > 1 || axis === 'Y' || axis === 'X');
  const dims = [
    ...(scenes > 1 ? [`S ${grouped(scenes)}`] : []),
    ...axes.map((axis) => `${axis} ${grouped(sizes[axis])}`),
  ].join(' × ');
  const cells = [
    clockText(survey) || UNKNOWN,
    size === null ? UNKNOWN : formatFileSize(size),
    dims,
    `${channels.length} ch`,
  ];
  const notes = [
    formatName,
    ...(files && files.length > 1 ? [plural(files.length, 'file')] : []),
    ...(warnings.length > 0 ? [plural(warnings.length, 'warning')] : []),
  ];
  const columns = cells.map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0));
  return visible([...columns, path, notes.join(', ')].join('  '));
}
