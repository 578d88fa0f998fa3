import { type DialogOutcome, failed } from './dialog.js';

/** Parses what the scripts for macOS and Windows print: `{"path": "…"}` or `{"cancelled": true}`. */
export function jsonOutcome(stdout: Buffer): DialogOutcome {
  const answer = parse(stdout.toString('utf8'));
  if (typeof answer === 'object' && answer !== null) {
    if ('cancelled' in answer && answer.cancelled === true) return { status: 'cancelled' };
    if ('path' in answer && typeof answer.path === 'string') return { status: 'chosen', path: answer.path };
  }
  return failed('printed an invalid answer');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
