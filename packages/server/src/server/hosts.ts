/** Which `Host` headers are addresses of this server. All functions are pure. */
import { isIPv4, isIPv6 } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { ServerOptions } from '../options.js';
import { hasUsers } from './auth/user.js';

/** @throws AcqError `host_not_allowed` */
export type HostCheck = (host: string | undefined, port: number) => void;

const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = new Set(['0.0.0.0', '::']);
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

/**
 * Accepts loopback names and the names that the operator added at any port, because tunnels and port mappings change it, and
 * the address that the server is bound to at its own port. DNS can give another site the address of this server, but not one of
 * these names.
 */
export function hostCheck({ host: bound, allowHosts }: Pick<ServerOptions, 'host' | 'allowHosts'>): HostCheck {
  const names = new Set([...LOOPBACK_NAMES, ...allowHosts.map((name) => name.toLowerCase())]);
  const own = bracketed(bound).toLowerCase();
  if (isLoopbackHost(bound)) names.add(own);
  return (host, port) => {
    const parsed = parseHost(host);
    if (parsed && names.has(parsed.name)) return;
    if (parsed?.name === own && !WILDCARDS.has(bound) && parsed.port === port) return;
    throw notAllowed(host, `Use http://127.0.0.1:${port}, or start the server with --allow-host NAME.`);
  };
}

/**
 * The check of the operations listener. Probes and scrapers use the address of a container or computer, or send no Host.
 * A page whose name was rebound to this computer can send neither.
 */
export function opsHostCheck(bound: string, allowHosts: readonly string[]): HostCheck {
  const names = new Set([...LOOPBACK_NAMES, bracketed(bound), ...allowHosts].map((name) => name.toLowerCase()));
  return (host, port) => {
    const parsed = parseHost(host);
    if (host === undefined || (parsed && (names.has(parsed.name) || isAddress(parsed.name)))) return;
    throw notAllowed(host, `Use an address such as 127.0.0.1:${port}, or start the server with --allow-host NAME.`);
  };
}

/** True for `localhost`, `::1` and all of 127.0.0.0/8. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True when a `Host` header can only mean this computer, and the request came without a detour. With another port, a tunnel or
 * a port mapping forwarded it.
 */
export function isDirect(host: string | undefined, port: number): boolean {
  const parsed = parseHost(host);
  return parsed !== undefined && isLoopbackHost(parsed.name) && parsed.port === port;
}

/** True for a page of this computer, at any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const [, name] = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  return name !== undefined && LOOPBACK_NAMES.includes(name);
}

/**
 * Returns who may show the viewer in a frame: pages of `--allow-origin`; and where nobody needs a token, pages of this
 * computer, which may use the server anyway, and notebooks of VS Code, which have no web address. Elsewhere the viewer may
 * have a token or a login that such a page lacks. Content Security Policy has no form for `[::1]`.
 */
export function frameAncestors(options: FramingOptions): string {
  const { allowOrigins, host, token, sessionStore } = options;
  const isOpen = isLoopbackHost(host) && token === '' && sessionStore === undefined && !hasUsers(options);
  const pages = isOpen ? ['http://127.0.0.1:*', 'http://localhost:*', 'vscode-webview:', 'vscode-file:'] : [];
  return ["'self'", ...pages, ...allowOrigins.filter((origin) => !origin.includes('['))].join(' ');
}

type FramingOptions = Pick<
  ServerOptions,
  'allowOrigins' | 'host' | 'token' | 'sessionStore' | 'tokensFile' | 'oidcIssuer'
>;

export function bracketed(host: string): string {
  // Names and IPv4 have no colon, and the pattern of IPv6 takes 10 ms to compile at the start.
  return host.includes(':') && isIPv6(host) ? `[${host}]` : host;
}

/** Quotes a header value for a message: shortened, and with printable characters only. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return '(missing)';
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return `"${printable.length > 100 ? `${printable.slice(0, 100)}…` : printable}"`;
}

/** Returns the parts of a `Host` header, the name in lower case; `undefined` for a malformed one. */
function parseHost(host: string | undefined): { name: string; port: number } | undefined {
  const [, name, digits = '80'] = HOST.exec(host ?? '') ?? [];
  const port = Number(digits);
  return name === undefined || port > MAX_PORT ? undefined : { name: name.toLowerCase(), port };
}

/** True for an address in the form that browsers send: `10.0.0.7` or `[fd00::7]`. */
function isAddress(name: string): boolean {
  return name.startsWith('[') ? isIPv6(name.slice(1, -1)) : isIPv4(name);
}

function notAllowed(host: string | undefined, advice: string): AcqError {
  return new AcqError(
    'host_not_allowed',
    `The Host header ${quoted(host)} is not an address of this server. ${advice}`,
  );
}
