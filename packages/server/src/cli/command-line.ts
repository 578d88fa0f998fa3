/** Starts the command line. Has few imports, because it must report when the system has no resources left. */
import { checkByteOrder } from '@acquisition-store/readers/base/byte-order.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { checkAddressSpace, hasAddressSpace } from '../address-space.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { complain } from './message.js';

/** Starts a worker of the server, unless there may be too little address space for it. */
async function startEarly(): Promise<void> {
  const { startEarlyThread } = await import('../decode/early-thread.js');
  if (hasAddressSpace(1)) startEarlyThread();
}

/**
 * Runs a command line of `acqstore` and resolves to its exit code.
 * @param args without the names of the program and its script
 */
export async function commandLine(args: string[]): Promise<number> {
  try {
    checkByteOrder();
    checkAddressSpace(0);
    if (args.find((arg) => !arg.startsWith('-')) === 'serve') await startEarly();
    const { run } = await import('./run.js');
    return await run(args);
  } catch (error) {
    const known = error instanceof AcqError ? error : exhaustionError('The program cannot start', error);
    if (!known) throw error;
    complain(`${known.code}: ${known.message}`);
    return 1;
  }
}
