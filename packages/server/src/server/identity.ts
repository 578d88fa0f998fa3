import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * How a server proves to programs of its user that it wrote an instance file: the file contains a secret, the program
 * sends a random challenge with `GET /api/v2/health`, and the answer contains the proof. Neither reveals the secret.
 */
export const CHALLENGE_HEADER = 'x-acqstore-challenge';
export const PROOF_HEADER = 'x-acqstore-proof';

/** Returns the proof for a challenge: an HMAC with the secret. */
export function createProof(secret: string, challenge: string): string {
  return createHmac('sha256', secret).update(`acqstore instance ${challenge}`).digest('hex');
}

/** Returns the challenge of a request; `undefined` without a valid one. */
export function readChallenge(headers: IncomingHttpHeaders): string | undefined {
  const challenge = headers[CHALLENGE_HEADER];
  return typeof challenge === 'string' && /^[0-9a-f]{32,128}$/.test(challenge) ? challenge : undefined;
}
