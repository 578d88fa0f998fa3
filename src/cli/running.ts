import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../server/identity.js';
import { type Instance, isAlive, livingInstances } from './instance.js';
import { isZombie, processStart } from './process.js';

/**
 * `running`: the server at the address proved that it wrote the instance file, so the process id in it is its own.
 * `stopping`: nothing answers there, but the process is the one that wrote the file; it may also be stuck.
 * `silent`: nothing answers there, and the process may be any. `other`: something answers that is not this server.
 */
export type InstanceState = 'running' | 'stopping' | 'silent' | 'other';

export interface Found extends Instance {
  state: InstanceState;
}

const ANSWER_MS = 3_000;

/** Servers of this user on this computer, by their instance files, each asked who it is. By port. */
export async function findServers(stateDir: string, port?: number): Promise<Found[]> {
  const living = livingInstances(stateDir).filter((one) => port === undefined || one.port === port);
  const found = await Promise.all(living.map(async (one) => ({ ...one, state: await stateOf(one) })));
  return found.sort((a, b) => a.port - b.port);
}

async function stateOf(instance: Instance): Promise<InstanceState> {
  const answer = await challenge(instance);
  return answer === 'silent' && isWriter(instance) ? 'stopping' : answer;
}

/** Asks the server at the address of an instance file to prove that it wrote the file. */
function challenge({ url, secret }: Instance): Promise<'running' | 'silent' | 'other'> {
  const text = randomBytes(32).toString('hex');
  const options = { agent: false, timeout: ANSWER_MS, headers: { [CHALLENGE_HEADER]: text } };
  return new Promise((resolve) => {
    const request = get(`${url}/api/v2/health`, options, (response) => {
      const proved = response.headers[PROOF_HEADER] === proofOf(secret, text);
      request.destroy();
      resolve(proved ? 'running' : 'other');
    });
    request.on('timeout', () => request.destroy());
    request.on('error', (error: NodeJS.ErrnoException) => resolve(speaksAnother(error) ? 'other' : 'silent'));
    request.on('close', () => resolve('silent'));
  });
}

/** Something answered, but not in HTTP. */
function speaksAnother({ code }: NodeJS.ErrnoException): boolean {
  return code?.startsWith('HPE_') ?? false;
}

/** The process with the number of the instance file is the one that wrote it. */
function isWriter({ pid, processStart: start }: Instance): boolean {
  return start !== '' && processStart(pid) === start;
}

export function isRunning(pid: number): boolean {
  return isAlive(pid) && !isZombie(pid);
}
