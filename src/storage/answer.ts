import { AcqError } from '../errors.js';
import { openError } from '../io/byte-source.js';
import { Crossing, Look } from './look.js';
import { admitPath } from './path-policy.js';
import type { FoundKind, Lookup, LookupReply, LookupRequest, LookupValues } from './protocol.js';

function resultOf(lookup: Lookup, look: Look): LookupValues[keyof LookupValues] {
  switch (lookup.kind) {
    case 'admit':
      return admitPath(lookup.path, lookup.policy, lookup.picked, look);
    case 'find':
      return kindOf(lookup.path, look);
    case 'probe':
      look.probe(lookup.path);
      return undefined;
  }
}

function kindOf(path: string, look: Look): FoundKind {
  try {
    const found = look.stat(look.realpath(path));
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    throw error instanceof Crossing ? error : openError(path, error);
  }
}

/** Looks something up. Comes back when the system has answered. Never throws. */
export function answerLookup({ lookup, admitted, mountPoints }: LookupRequest): LookupReply {
  const look = new Look({ admitted, mountPoints, platform: process.platform });
  try {
    return { kind: 'done', value: resultOf(lookup, look) };
  } catch (thrown) {
    if (thrown instanceof Crossing) return { kind: 'crossing', storage: thrown.storage };
    if (thrown instanceof AcqError) return { kind: 'failed', error: thrown.toRecord() };
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { kind: 'failed', error: { code: 'internal_error', message: 'a look-up failed', details: null }, stack };
  }
}
