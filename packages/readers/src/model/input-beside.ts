import type { OpenInput, Probe } from './acquisition.js';

/** Bytes of the start of a file by which formats are recognized. */
export const HEAD_BYTES = 4096;

/** Returns what opens another file of the folder; `undefined` when it is missing. */
export function inputBeside({ part: _, ...input }: OpenInput, name: string): OpenInput | undefined {
  const source = input.folder.open(name);
  if (!source) return undefined;
  const head = source.read(0, Math.min(HEAD_BYTES, source.size));
  const probe: Probe = { name, kind: 'file', head, entries: [], size: source.size };
  return { ...input, source, probe };
}
