/** Reads which version is the latest: a small JSON file from an address in the settings. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isVersion } from './version.js';

export interface Release {
  version: string;
  /** Page about it; only with https. */
  url?: string;
}

const MAX_BYTES = 64 * 1024;
const MAX_REDIRECTS = 3;
const MAX_URL = 2_048;
/** The characters of addresses (RFC 3986): none that a program of the system could misread. */
const ADDRESS = /^https:\/\/(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns why an address cannot be used; nothing when it can. */
export function findAddressFault(text: string): string | undefined {
  const url = toUrl(text);
  if (!url || text.length > MAX_URL) return 'Enter an address such as https://lab.example/acquisition-store.json.';
  if (url.username !== '' || url.password !== '') return 'The address must not have a name or password.';
  return isSafe(url) ? undefined : 'The address must start with https://.';
}

/**
 * Asks for the latest version. Sends nothing but the request.
 * @throws Error with a sentence for the user
 */
export async function readRelease(address: string, milliseconds: number): Promise<Release> {
  const fault = findAddressFault(address);
  if (fault !== undefined) throw new Error(fault);
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return toRelease(await get(new URL(address), signal, MAX_REDIRECTS));
  } catch (error) {
    if (signal.aborted) throw new Error(`There was no complete answer within ${milliseconds / 1000} s.`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`The website cannot be reached: ${message}.`);
  }
}

async function get(url: URL, signal: AbortSignal, redirects: number): Promise<string> {
  const response = await send(url, signal);
  const { statusCode = 0, headers } = response;
  const { location } = headers;
  if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
    response.destroy();
    const next = toUrl(location, url);
    if (!next || next.host !== url.host || next.protocol !== url.protocol) {
      throw new Error('The address leads to another website, which was not asked.');
    }
    if (redirects === 0) throw new Error('The address leads to too many others.');
    return get(next, signal, redirects - 1);
  }
  if (statusCode !== 200) {
    response.destroy();
    throw new Error(`The website answered with status ${statusCode}.`);
  }
  return readText(response);
}

function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const call = request(url, { signal, agent: false, headers: { accept: 'application/json' } }, resolve);
    call.on('error', reject);
    call.end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    // Leaving the loop ends the connection.
    if (length > MAX_BYTES) throw new Error('The answer is larger than 64 KiB.');
  }
  return Buffer.concat(parts).toString('utf8');
}

function toRelease(text: string): Release {
  const { version, url } = parseObject(text);
  if (typeof version !== 'string' || !isVersion(version)) throw new Error('The answer does not contain a version.');
  const page = typeof url === 'string' && url.length <= MAX_URL ? toUrl(url) : undefined;
  const isSafePage = page !== undefined && ADDRESS.test(page.href) && page.username === '' && page.password === '';
  return isSafePage ? { version, url: page.href } : { version };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Other computers are asked with https alone. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

function toUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
