/** What a check works with: the server, the files, and the sessions that it has opened. */

import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { Static } from 'typebox';
import { ensure, equal, Failure, Skipped, shorten } from './failure.js';
import { FRAME, type KitFiles, SCAN } from './files/kit-files.js';
import { toParts } from './parts.js';
import type { Answer, Target } from './target.js';

/** The open response; what this project added may be missing. */
export type Opened = Static<typeof OpenResponse>;

export class Context {
  readonly server: Target;
  readonly files: KitFiles;
  private readonly sessions = new Set<string>();

  constructor(server: Target, files: KitFiles) {
    this.server = server;
    this.files = files;
  }

  /** Opens a file by v2, and returns the response as it is. Its session ends with the check. */
  async openAsIs(path: string, request: object = {}): Promise<Record<string, unknown>> {
    return this.note(await this.server.post('/api/v2/open', { path, ...request }));
  }

  /** Opens a file by v2. Its session ends with the check. */
  async open(path: string, request: object = {}): Promise<Opened> {
    return toParts(OpenResponse, await this.openAsIs(path, request), 'the open response');
  }

  /** Opens the two-channel image. */
  openFrame(request: object = {}): Promise<Opened> {
    return this.open(this.files.frame, request);
  }

  /** Opens the line scan, and returns the response as it is. Skips the check where the server does not read OIF. */
  async openScanAsIs(request: object = {}): Promise<Record<string, unknown>> {
    const capabilities = (await this.server.get('/api/v2/capabilities')).json();
    const extensions = capabilities['allowedImportExtensions'];
    // Without the list, the open itself tells.
    if (Array.isArray(extensions) && !extensions.includes(SCAN.extension)) {
      throw new Skipped(`the server does not open ${SCAN.extension} files`);
    }
    const opened = await this.server.post('/api/v2/open', { path: this.files.scan, ...request });
    if (opened.status !== 200 && opened.json()['error'] === 'unsupported_format') {
      throw new Skipped(`the server does not open ${SCAN.extension} files`);
    }
    return this.note(opened);
  }

  /** Opens the line scan with its reference image. Skips the check where the server does not read OIF. */
  async openScan(request: object = {}): Promise<Opened & { reference: NonNullable<Opened['reference']> }> {
    const opened = toParts(OpenResponse, await this.openScanAsIs(request), 'the open response');
    ensure(opened.reference !== null, '`reference` is null for a line scan with an overview image');
    return opened as Opened & { reference: NonNullable<Opened['reference']> };
  }

  private note(answer: Answer): Record<string, unknown> {
    const opened = answer.expectStatus(200).json();
    if (typeof opened['sessionId'] === 'string') this.sessions.add(opened['sessionId']);
    return opened;
  }

  /** Reads a plane and checks its samples, exactly. */
  async expectPlane(address: string, expected: ArrayLike<number>): Promise<Answer> {
    const answer = (await this.server.get(address)).expectStatus(200);
    expectSamples(answer, expected);
    return answer;
  }

  /** Ends the sessions of the check. */
  async close(): Promise<void> {
    for (const id of this.sessions) {
      await this.server.ask('DELETE', `/api/v2/sessions/${encodeURIComponent(id)}`).catch(() => {});
    }
    this.sessions.clear();
  }
}

/** Fails unless the body has these samples as little-endian float32, bit by bit. */
export function expectSamples({ what, body }: Answer, expected: ArrayLike<number>): void {
  equal(body.length, 4 * expected.length, `the length of ${what} in bytes`);
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  for (let i = 0; i < expected.length; i++) {
    const sample = view.getFloat32(4 * i, true);
    const isEqual = Object.is(sample, Math.fround(expected[i]!));
    ensure(isEqual, `sample ${i} of ${what} is ${sample}; expected ${Math.fround(expected[i]!)}`);
  }
}

/** Fails unless the answer is an error of v2 with this code. Returns its body. */
export function expectError(answer: Answer, code: string, status?: number): Record<string, unknown> {
  const { what } = answer;
  const body = answer.json();
  equal(body['error'], code, `\`error\` of ${what}`);
  if (status !== undefined) equal(answer.status, status, `the status of ${what} (${code})`);
  else ensure(answer.status >= 400, `the status of ${what} is ${answer.status}; expected 400 or above`);
  return body;
}

/** Fails unless an error has every field of the contract. */
export function expectErrorFields(answer: Answer): void {
  const { what } = answer;
  const { ok, error, message, details } = answer.json();
  equal(ok, false, `\`ok\` of ${what}`);
  for (const [name, text] of [
    ['error', error],
    ['message', message],
  ] as const) {
    const isText = typeof text === 'string' && /\S/.test(text);
    ensure(isText, `\`${name}\` of ${what} is ${shorten(text)}; expected a text`);
  }
  ensure(details !== undefined, `\`details\` of ${what} is missing; expected null or a value`);
  if (error !== 'request_validation_failed') equal(details, null, `\`details\` of ${what}`);
}

/** Returns the channel with an index of a response, in the order of the response. */
export function channelOf<T extends { index: number }>(channels: readonly T[], index: number): T {
  const channel = channels.find((candidate) => candidate.index === index);
  if (!channel) throw new Failure(`\`channels\` has no channel with index ${index}`);
  return channel;
}

/** Samples of a channel of the two-channel image. */
export function frameSamples(index: number): Uint16Array {
  return FRAME.channels[index]!;
}
