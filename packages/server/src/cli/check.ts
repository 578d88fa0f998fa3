import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import { type Surveyed, surveyAll } from '../batch/surveys.js';
import { defaultOptions } from '../options.js';
import { FINDING_KINDS, type Finding, findingOf } from '../survey/findings.js';
import { toFailure } from './batch-result.js';
import { EXIT } from './exit-codes.js';
import type { CheckFlags } from './flags.js';
import type { Output } from './inspect-command.js';
import { isForeign, surveyPaths } from './survey-paths.js';
import { visible, visibleJson, visibleLines } from './visible.js';

/** The worst that was found of a recording. `foreign`: a file of another program. */
const STATES = ['fine', ...FINDING_KINDS, 'foreign'] as const;
type State = (typeof STATES)[number];

/** One line of `--jsonl`. */
interface CheckedRecording {
  /** Absolute path. */
  path: string;
  state: State;
  /** Label of the format; absent when it could not be opened. */
  format?: string;
  /** Error code of the API; absent when it could be opened. */
  error?: string;
  findings: Finding[];
}

/** Findings of one recording that the table has. */
const MAX_SHOWN = 5;
const WIDTH = Math.max(...STATES.map(({ length }) => length)) + 2;

/** `acqstore check`: says what is wrong with each recording. Resolves to the exit code. */
export async function check(
  args: readonly string[],
  flags: CheckFlags,
  output: Output & { signal: AbortSignal },
): Promise<number> {
  const paths = await surveyPaths(args, flags);
  const { signal } = output;
  const counts = new Map<State, number>(STATES.map((state) => [state, 0]));
  const all: CheckedRecording[] = [];
  const surveys = surveyAll(paths, {
    planes: flags.planes,
    workers: flags.workers ?? 0,
    timeoutSeconds: flags.timeout ?? defaultOptions().openTimeoutSeconds,
    signal,
  });
  for await (const one of surveys) {
    const checked = toChecked(one, output);
    counts.set(checked.state, counts.get(checked.state)! + 1);
    if (flags.json) all.push(checked);
    else if (flags.jsonl) await output.print(visible(JSON.stringify(checked)));
    else if (checked.state !== 'fine' && checked.state !== 'foreign') await output.print(toRows(checked));
  }
  if (flags.json) await output.print(toDocument(all, counts, signal.aborted));
  else if (!flags.jsonl) await output.print(describeCounts(counts, signal.aborted));
  return exitCodeFor(counts, flags);
}

function toChecked(one: Surveyed, output: Output): CheckedRecording {
  const { path } = one;
  if ('survey' in one) {
    const { format, findings } = one.survey;
    return { path, state: findings[0]?.kind ?? 'fine', format, findings };
  }
  const { code, message, stack } = toFailure(one.error);
  // An unexpected error is a bug.
  if (stack !== undefined) output.complain(visibleLines(stack));
  if (isForeign(one)) return { path, state: 'foreign', error: code, findings: [] };
  const finding = findingOf({ code, message });
  return { path, state: finding.kind, error: code, findings: [finding] };
}

function toRows({ path, state, findings }: CheckedRecording): string {
  const more = findings.length - MAX_SHOWN;
  const rows = findings
    .slice(0, MAX_SHOWN)
    .map(({ kind, message }) => (kind === state ? message : `${kind}: ${message}`));
  if (more > 0) rows.push(`… and ${plural(more, 'more finding')}: use --jsonl for all of them`);
  return [state.padEnd(WIDTH) + visible(path), ...rows.map((row) => ' '.repeat(WIDTH) + visible(row))].join('\n');
}

function toDocument(
  recordings: readonly CheckedRecording[],
  counts: ReadonlyMap<State, number>,
  stopped: boolean,
): string {
  const summary = Object.fromEntries(counts);
  return visibleJson(JSON.stringify({ summary, stopped, recordings }, null, 2));
}

function describeCounts(counts: ReadonlyMap<State, number>, stopped: boolean): string {
  const foreign = counts.get('foreign')!;
  const listed = [...counts].filter(([state, count]) => count > 0 && state !== 'foreign');
  const total = listed.reduce((sum, [, count]) => sum + count, 0);
  const parts = listed.map(([state, count]) => `${grouped(count)} ${state}`).join(', ');
  const others = foreign > 0 ? ` ${plural(foreign, 'file')} of other programs.` : '';
  const end = stopped ? ' Stopped before the end: others were not checked.' : '';
  return `${plural(total, 'recording')}${parts === '' ? '' : `: ${parts}`}.${others}${end}`;
}

function exitCodeFor(counts: ReadonlyMap<State, number>, { strict = false }: CheckFlags): number {
  const wrong: readonly State[] = strict ? FINDING_KINDS : ['corrupted', 'unreadable'];
  return wrong.some((state) => counts.get(state)! > 0) ? EXIT.corrupted : EXIT.ok;
}
