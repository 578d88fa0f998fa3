#!/usr/bin/env node
/** Loads the command line. Few imports: where the system has nothing left, this file has to say so. */
import { AcqError } from '../errors.js';
import { exhaustionError } from '../io/exhaustion.js';
import { checkAddressSpace } from './address-space.js';

try {
  checkAddressSpace(0);
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const known = error instanceof AcqError ? error : exhaustionError('The program cannot start', error);
  if (!known) throw error;
  console.error(`acqstore: ${known.code}: ${known.message}`);
  process.exitCode = 1;
}
