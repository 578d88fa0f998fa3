/** What V8 makes of the modules of a start is kept for the next one. */
import { mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';

interface Features extends Pick<typeof nodeModule, 'builtinModules'> {
  /** Not in Node 20. Resolves nothing: a folder that cannot be used is as if there were none. */
  enableCompileCache?: (folder: string) => unknown;
}

/**
 * Lets Node keep the compiled code of modules that are imported from now on. It is written when the process ends, only the
 * user can read it, and Node ignores what another version or another source has left.
 */
export function keepCompiledCode(stateDir: string, { enableCompileCache }: Features = nodeModule): void {
  if (!enableCompileCache) return;
  const folder = join(stateDir, 'compiled');
  try {
    // Node would let others read which modules there are.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // A start needs no folder.
    return;
  }
  enableCompileCache(folder);
}
