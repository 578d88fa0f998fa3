/** The one folder that the export tool writes to. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OutputError, toOutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { createToken, removeLeftovers } from '../../export/partial.js';
import type { FileSink } from '../../export/sink.js';
import { finishStaged, StagedFile } from '../../export/staged.js';
import { UsageError } from '../usage-error.js';
import { ToolError } from './tool-error.js';

const MAX_NAME_BYTES = 200;
/** Separators, what Windows does not allow or takes for a stream, and what nobody sees. */
const REFUSED = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
/** Devices of Windows, also with an extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export class ExportFolder {
  /** Real path. */
  readonly path: string;
  private readonly identity: string;

  /** @throws UsageError when there is no such folder */
  constructor(given: string) {
    try {
      this.path = realpathSync(resolve(given));
      this.identity = identityOf(this.path);
    } catch (error) {
      throw new UsageError(`--export-folder ${given}: ${(error as Error).message}`);
    }
  }

  /**
   * Writes a file, which appears under its name when it is complete. Returns its path.
   * @param name checked here; gets the extension if it has another one
   * @throws OutputError; ToolError `export_not_allowed`
   */
  async write(
    name: string,
    { extension, overwrite }: { extension: string; overwrite: boolean },
    write: (sink: FileSink) => Promise<void>,
  ): Promise<string> {
    checkName(name);
    const full = name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
    const target = join(this.path, full);
    this.checkFolder();
    checkFree(target, full, overwrite);
    removeLeftovers(this.path);
    try {
      const staged = new StagedFile(target, { token: createToken(), overwrite });
      return await finishStaged(staged, { onFinishing: () => this.checkFolder() }, () => write(staged.sink));
    } catch (error) {
      throw toOutputError(full, error);
    }
  }

  /** Refuses a folder that was replaced, for example by a link to another one. */
  private checkFolder(): void {
    const identity = lstatSync(this.path, { throwIfNoEntry: false }) && identityOf(this.path);
    if (identity === this.identity) return;
    const text = 'The export folder was moved or replaced since this server started. Restart it.';
    throw new ToolError('export_not_allowed', text);
  }
}

/** @throws Error for anything but a folder */
function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true });
  if (!stats.isDirectory()) throw new Error('the path is not a folder');
  return `${realpathSync(path)} ${stats.dev} ${stats.ino}`;
}

function checkName(name: string): void {
  const isPlain = !REFUSED.test(name) && !DEVICES.test(name) && !/^\.|[. ]$/.test(name);
  if (isPlain && Buffer.byteLength(name) <= MAX_NAME_BYTES) return;
  throw new ToolError(
    'export_not_allowed',
    `\`name\` must be the name of a file, without a folder: no / \\ : * ? " < > | and no invisible characters, no dot at either end, at most ${MAX_NAME_BYTES} bytes.`,
  );
}

function checkFree(target: string, name: string, overwrite: boolean): void {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isFile()) {
    throw new OutputError(
      'output_exists',
      name,
      'is a folder or a link, which is never replaced. Choose another name.',
    );
  }
  if (overwrite) return;
  throw new OutputError(
    'output_exists',
    name,
    'already exists. Choose another name, or ask the user and set `overwrite`.',
  );
}
