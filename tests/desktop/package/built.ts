import { buildDesktop } from '../../../desktop/build/build.mjs';
import { buildExecutable } from '../../../desktop/build/executable.mjs';
import { fetchNode } from '../../../desktop/build/nodes.mjs';

/** The target of this computer; Linux has one. */
export const TARGET = `${process.platform}-${process.arch}`;

/** Returns why the executable cannot be built here; `undefined` when it can. */
export function whyNotBuilt(target = TARGET): string | undefined {
  try {
    fetchNode(target);
    return undefined;
  } catch (error) {
    return `NO NODE FOR ${target}: the desktop application was not tested (${(error as Error).message})`;
  }
}

export async function builtExecutable(): Promise<{ path: string; packageFolder: string }> {
  buildDesktop();
  return buildExecutable(TARGET);
}
