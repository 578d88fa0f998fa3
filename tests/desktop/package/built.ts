import type { ChildProcess } from 'node:child_process';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildExecutable } from '../../../packages/desktop/build/executable.mjs';
import { fetchNode } from '../../../packages/desktop/build/nodes.mjs';

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

/** Resolves with the address that a starting server prints. */
export function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const url = /API +(http:\S+)\/api\/v2\n/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    server.once('exit', (code) => reject(new Error(`the server ended with exit code ${code}:\n${text}`)));
  });
}
