import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { SessionStore } from './store.js';
import { ValkeyStore } from './store-valkey.js';
import { createValkeyClient } from './valkey-client.js';

export interface StoreOptions {
  sessionStore?: string;
  sessionStoreCa?: string;
  sessionStoreTimeoutMs: number;
}

const TRIES = 3;
const PAUSE_MS = 500;

/**
 * Connects to the store that instances share; returns nothing where sessions stay in the memory of the process.
 * @throws AcqError `request_validation_failed` when it cannot be used, `session_store_unavailable` when it does not answer
 */
export async function createStore(
  options: StoreOptions,
  report: (message: string) => void,
): Promise<SessionStore | undefined> {
  const { sessionStore, sessionStoreCa: caFile, sessionStoreTimeoutMs: timeoutMs } = options;
  if (sessionStore === undefined) return undefined;
  const client = await createValkeyClient({ url: readAddress(sessionStore), caFile, timeoutMs, report });
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.ping();
        return new ValkeyStore(client);
      } catch (error) {
        if (attempt === TRIES) throw error;
        await setTimeout(PAUSE_MS);
      }
    }
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** An address can be in a file that only the server reads: a command line is visible to all users of a computer. */
function readAddress(setting: string): string {
  if (!setting.startsWith('file:')) return setting;
  try {
    return readFileSync(fileURLToPath(setting), 'utf8').trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'not an address of a file';
    throw new AcqError('request_validation_failed', `--session-store ${setting}: cannot be read (${reason})`);
  }
}
