import { resolve } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { createToken } from '../server/auth/tokens.js';
import { EXIT } from './exit-codes.js';
import type { TokenFlags } from './flags.js';
import { UsageError } from './usage-error.js';

export interface TokenOutput {
  /** For the tokens file. */
  print(line: string): Promise<void>;
  /** For the person. */
  tell(text: string): void;
}

/**
 * Makes a token. Its line goes to standard output, so that `>> tokens.jsonl` adds it; the token itself goes to standard error
 * and is stored nowhere.
 */
export async function makeToken(name: string, { root, expires }: TokenFlags, output: TokenOutput): Promise<number> {
  const roots = root?.map((folder) => resolve(folder));
  try {
    const { token, line } = createToken({ name, ...(roots ? { roots } : {}), ...(expires ? { expires } : {}) });
    await output.print(JSON.stringify(line));
    output.tell(`Token of ${name}, which is not shown again:\n${token}`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof AcqError) throw new UsageError(error.message);
    throw error;
  }
}
