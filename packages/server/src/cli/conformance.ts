/** `acqstore conformance`: runs the checks of the kit and prints their results. */
import { tmpdir } from 'node:os';
import {
  type Choice,
  chooseChecks,
  expectReadable,
  type Result,
  runChecks,
  Target,
  writeKitFiles,
} from '@acquisition-store/conformance';
import { plural } from '@acquisition-store/readers/base/wording.js';
import type { ConformanceFlags } from './conformance-command.js';
import { EXIT } from './exit-codes.js';
import { toTable } from './table.js';
import { UsageError } from './usage-error.js';
import { visibleJson } from './visible.js';

const EXIT_BY_SIGINT = 130;

/** Checks a server. Returns the exit code: 0 when no check failed. */
export async function conformance(
  baseUrl: string,
  flags: ConformanceFlags,
  print: (text: string) => Promise<void>,
): Promise<number> {
  const token = flags.token ?? process.env['ACQSTORE_TOKEN'];
  const server = new Target(baseUrl, { timeoutSeconds: flags.timeout, ...(token ? { token } : {}) });
  const choice: Choice = { api: flags.v1 ? 'v1' : 'v2', additions: flags.additions ?? false };
  const { files, remove } = writeFiles(flags);
  // A signal ends a process without its `finally` blocks, and the files must not stay.
  const stop = () => {
    remove();
    process.exit(EXIT_BY_SIGINT);
  };
  process.once('SIGINT', stop);
  try {
    await expectReadable(server, files, choice.api);
    const results = await runChecks(chooseChecks(choice), { server, files });
    await print(flags.json ? toJson(server.base, choice, results) : toText(server.base, choice, results));
    return results.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.ok;
  } finally {
    process.off('SIGINT', stop);
    remove();
  }
}

function writeFiles({ files, serverFiles }: ConformanceFlags): ReturnType<typeof writeKitFiles> {
  if (serverFiles !== undefined && files === undefined) {
    throw new UsageError('--server-files needs --files: the path of the same folder on this computer.');
  }
  try {
    return writeKitFiles(files ?? tmpdir(), serverFiles);
  } catch (error) {
    throw new UsageError(`--files: cannot write into ${files ?? tmpdir()}: ${(error as Error).message}`);
  }
}

function toJson(url: string, { api, additions }: Choice, results: readonly Result[]): string {
  const summary = count(results);
  const report = { ok: summary.failed === 0, url, api, additions, ...summary, checks: results };
  return visibleJson(JSON.stringify(report, null, 2));
}

function toText(url: string, { api, additions }: Choice, results: readonly Result[]): string {
  const rows = results.map(({ status, id, title, message }) => [status, id, message || title]);
  const { passed, failed, skipped } = count(results);
  const what = `API ${api}${additions ? ' with additions' : ''}`;
  const total = `${url}: ${what}, ${plural(results.length, 'check')}: ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return `${toTable(rows)}\n\n${total}`;
}

function count(results: readonly Result[]): Record<Result['status'], number> {
  const withStatus = (wanted: Result['status']) => results.filter(({ status }) => status === wanted).length;
  return { passed: withStatus('passed'), failed: withStatus('failed'), skipped: withStatus('skipped') };
}
