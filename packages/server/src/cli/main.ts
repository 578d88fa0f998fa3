#!/usr/bin/env node
// An old Node must be able to read this file, to end with one sentence instead of a syntax error: no top-level await, and
// the program is imported only once the version is known.
import { nodeFault } from '../../../../scripts/node-version.mjs';

const fault = nodeFault(process.versions.node);
if (fault === '') void run();
else {
  console.error(`acqstore: ${fault}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { commandLine } = await import('./command-line.js');
  process.exitCode = await commandLine(process.argv.slice(2));
}
