import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import Value from 'typebox/value';
import { writeAtomic } from './atomic-file.js';
import type { BrowserStart } from './browser-start.js';
import { type Handler, PageError } from './http.js';
import type { UpdateResult, UpdatesState as UpdateState } from './protocol.js';
import { findAddressFault, readRelease } from './release-file.js';
import { isNewer, isVersion } from './version.js';

export interface UpdatesOptions {
  /** JSON file of the application. The server would refuse its own with settings that it does not know. */
  file: string;
  version: string;
  changed: () => void;
  browser: BrowserStart;
}

const TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const Stored = Type.Object({
  'update-address': Type.Optional(Type.String()),
  'check-for-updates': Type.Optional(Type.Boolean()),
});

/** Looks for new versions, if the user has said so. Never loads anything else, and never changes the application. */
export class Updates {
  private readonly options: UpdatesOptions;
  private stored: Record<string, unknown> = {};
  private result: UpdateResult = { name: 'none' };
  private readonly timer: NodeJS.Timeout;

  constructor(options: UpdatesOptions) {
    this.options = options;
    this.read();
    this.timer = setInterval(() => void this.checkIfWanted(), DAY_MS);
    this.timer.unref();
  }

  get state(): UpdateState {
    const { result, address } = this;
    const wanted = this.stored['check-for-updates'] as boolean | undefined;
    return { address, check: wanted === undefined ? 'unasked' : wanted ? 'yes' : 'no', result };
  }

  /** Looks for a new version if the user wants that, and resolves when it is known. */
  async checkIfWanted(): Promise<void> {
    if (this.state.check === 'yes' && this.address !== '') await this.check();
  }

  handlers(): Record<string, Handler> {
    return {
      'POST /api/updates/address': async ({ address }) => {
        if (typeof address !== 'string') throw new PageError('invalid_body', 'Enter an address.');
        const fault = address === '' ? undefined : findAddressFault(address);
        if (fault !== undefined) throw new PageError('invalid_settings', fault);
        if (address !== this.address) this.result = { name: 'none' };
        this.save({ 'update-address': address === '' ? undefined : address });
        void this.checkIfWanted();
        return { ok: true };
      },
      'POST /api/updates/wanted': async ({ wanted }) => {
        this.save({ 'check-for-updates': wanted === true });
        void this.checkIfWanted();
        return { ok: true };
      },
      'POST /api/updates/check': async () => {
        await this.check();
        return { ok: true };
      },
      'POST /api/updates/open': async () => {
        if (this.result.name !== 'newer' || !this.result.url)
          throw new PageError('not_found', 'The page is not known.');
        this.options.browser.show(this.result.url, '');
        return { ok: true };
      },
    };
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private get address(): string {
    return String(this.stored['update-address'] ?? '');
  }

  private async check(): Promise<void> {
    const { address } = this;
    const { version: current } = this.options;
    if (address === '' || this.result.name === 'checking') return;
    this.become({ name: 'checking' });
    const result = await readRelease(address, TIMEOUT_MS).then(
      ({ version, url }): UpdateResult => {
        const checkedAt = Date.now();
        if (!isVersion(current)) return { name: 'failed', message: 'This version cannot be compared.', checkedAt };
        if (!isNewer(version, current)) return { name: 'current', checkedAt };
        return { name: 'newer', version, ...(url === undefined ? {} : { url }), checkedAt };
      },
      (error: Error): UpdateResult => ({ name: 'failed', message: error.message, checkedAt: Date.now() }),
    );
    // The answer of an address that was replaced meanwhile is about something else.
    if (address === this.address) this.become(result);
  }

  private become(result: UpdateResult): void {
    this.result = result;
    this.options.changed();
  }

  private read(): void {
    try {
      const parsed: unknown = JSON.parse(readFileSync(this.options.file, 'utf8'));
      if (!Value.Check(Stored, parsed)) return;
      const { 'update-address': address, ...rest } = parsed;
      this.stored = address !== undefined && findAddressFault(address) === undefined ? parsed : rest;
    } catch {
      // Without the file nothing is asked and nothing is looked for.
    }
  }

  private save(changes: Record<string, unknown>): void {
    this.stored = { ...this.stored, ...changes };
    writeAtomic(this.options.file, `${JSON.stringify(this.stored, null, 2)}\n`);
    this.options.changed();
  }
}
