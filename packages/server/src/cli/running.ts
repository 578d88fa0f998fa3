import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { isAlive, isZombie, processStart } from '../processes.js';
import { CHALLENGE_HEADER, createProof, PROOF_HEADER } from '../server/identity.js';
import { type Instance, livingInstances } from './instance.js';

/**
 * `running`: the server at the address proved that it wrote the instance file, so the process id in the file is its
 * own. `stopping`: nothing answers, but the process is the one that wrote the file; it may also be stuck. `silent`:
 * nothing answers, and the process may be any program. `other`: another program answers.
 */
export type InstanceState = 'running' | 'stopping' | 'silent' | 'other';

/** A server that an instance file describes. */
export interface Candidate extends Instance {
  state: InstanceState;
}

const ANSWER_MS = 3_000;

/** Returns the servers of this user on this computer by their instance files, sorted by port. Asks each for a proof. */
export async function findServers(stateDir: string, port?: number): Promise<Candidate[]> {
  const instances = livingInstances(stateDir).filter((instance) => port === undefined || instance.port === port);
  const candidates = await Promise.all(
    instances.map(async (instance) => ({ ...instance, state: await findState(instance) })),
  );
  return candidates.sort((a, b) => a.port - b.port);
}

async function findState(instance: Instance): Promise<InstanceState> {
  const answer = await challenge(instance);
  return answer === 'silent' && isWriter(instance) ? 'stopping' : answer;
}

/** Asks the server at the address of an instance file to prove that it wrote the file. */
function challenge({ url, secret }: Instance): Promise<'running' | 'silent' | 'other'> {
  const text = randomBytes(32).toString('hex');
  const options = { agent: false, timeout: ANSWER_MS, headers: { [CHALLENGE_HEADER]: text } };
  return new Promise((resolve) => {
    const request = get(`${url}/api/v2/health`, options, (response) => {
      const proved = response.headers[PROOF_HEADER] === createProof(secret, text);
      request.destroy();
      resolve(proved ? 'running' : 'other');
    });
    request.on('timeout', () => request.destroy());
    request.on('error', (error: NodeJS.ErrnoException) => resolve(isProtocolError(error) ? 'other' : 'silent'));
    request.on('close', () => resolve('silent'));
  });
}

/** True when something answered, but not in HTTP. */
function isProtocolError({ code }: NodeJS.ErrnoException): boolean {
  return code?.startsWith('HPE_') ?? false;
}

/** True when the process with the id in the instance file wrote the file. */
function isWriter({ pid, processStart: start }: Instance): boolean {
  return start !== '' && processStart(pid) === start;
}

export function isRunning(pid: number): boolean {
  return isAlive(pid) && !isZombie(pid);
}
