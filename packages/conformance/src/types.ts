import type { Context } from './context.js';
import type { Answer } from './target.js';

/** `contract`: what every server of the API does. `additions`: what this project added, or decided where the contract is open. */
export type Level = 'contract' | 'additions';

/** One thing that a server must do. Checks are independent: each opens and closes its own sessions. */
export interface Check {
  /** Stable name, `group.subject`. */
  id: string;
  api: 'v1' | 'v2';
  level: Level;
  /** True for a check without which all others of its API fail: they are not run then. */
  isRequired?: boolean;
  /** The rule, as a sentence about the server. */
  title: string;
  /** @throws Failure when the server breaks the rule, Skipped when it cannot be checked here */
  run(context: Context): Promise<void>;
}

/** A check that asks for something that the server must refuse. */
export interface Refusal extends Check {
  ask: (context: Context) => Promise<Answer>;
}

export interface Result {
  id: string;
  level: Level;
  title: string;
  status: 'passed' | 'failed' | 'skipped';
  /** What the server did, or why the check was skipped; empty when it passed. */
  message: string;
  milliseconds: number;
}
