#!/usr/bin/env node
/** Loads the command line. Has few imports, because it must report when the system has no resources left. */
import { setFlagsFromString } from 'node:v8';
import { checkByteOrder } from '../byte-order.js';
import { AcqError } from '../errors.js';
import { exhaustionError } from '../io/exhaustion.js';
import { checkAddressSpace } from './address-space.js';

// Without this, the young generation of this thread grows to 32 MiB while modules load and stays that large.
setFlagsFromString('--semi-space-growth-factor=1');

try {
  checkByteOrder();
  checkAddressSpace(0);
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const known = error instanceof AcqError ? error : exhaustionError('The program cannot start', error);
  if (!known) throw error;
  console.error(`acqstore: ${known.code}: ${known.message}`);
  process.exitCode = 1;
}
