/** Finds out why a request got no response. Browsers only report "Failed to fetch", so the cause must be inferred. */
import { isLoopback, type Surroundings } from './surroundings.js';

export type ConnectionCause =
  | 'connected'
  /** No program listens at the address. */
  | 'not_running'
  /** The host name is unknown. */
  | 'unknown_host'
  /** No program listens, or the server does not allow this origin. Browsers hide which of the two. */
  | 'not_running_or_not_allowed'
  /** The server does not allow this origin. */
  | 'origin_not_allowed'
  /** A local HTML file or a sandboxed frame, which may only use the file dialog. */
  | 'file_page'
  /** An https page may not use an http server on another computer. */
  | 'mixed_content'
  /** The user denied Local Network Access. */
  | 'local_network_access'
  | 'token_missing'
  | 'token_wrong'
  /** The server does not accept this host name. */
  | 'host_not_allowed'
  | 'not_this_server'
  /** A program listens but does not respond. */
  | 'timeout'
  /** The server responds, but the response was interrupted or is an error. */
  | 'interrupted';

export interface ConnectionReport {
  connected: boolean;
  cause: ConnectionCause;
  /** Describes the problem, or says that the client is connected. */
  message: string;
  /** What the user can do; empty when connected. */
  hint: string;
}

export function report(cause: ConnectionCause, message: string, hint = ''): ConnectionReport {
  return { connected: cause === 'connected', cause, message, hint };
}

export interface Silence {
  /** Address of the server. */
  base: string;
  surroundings: Surroundings;
  /** What `fetch` threw. */
  error: unknown;
  /** True when the page can read `/health`, so that only the failed request was blocked. */
  healthy: boolean;
  /** True when a `no-cors` request succeeded. */
  answersBlindly: boolean;
}

/** Returns the most precise cause that the evidence allows. */
export function explainSilence({ base, surroundings, error, healthy, answersBlindly }: Silence): ConnectionReport {
  const { origin, deniedByUser } = surroundings;
  if (origin === undefined) return healthy ? interrupted(base) : explainSystemError(base, error);
  if (healthy) return origin === 'null' ? filePage() : interrupted(base);
  const server = new URL(base);
  if (origin === server.origin) return notRunning(base);
  const local = isLoopback(server.hostname);
  if (origin.startsWith('https:') && server.protocol === 'http:' && !local) {
    return report(
      'mixed_content',
      `This page was loaded over https, so the browser does not let it use ${base}, which is http.`,
      `Open ${base}/ directly, or put the server behind https.`,
    );
  }
  if (deniedByUser && local) {
    return report(
      'local_network_access',
      'The browser blocks access to this computer, because the permission for the local network was denied.',
      `Allow it in the site settings (to the left of the address) and reload the page, or open ${base}/ directly.`,
    );
  }
  if (answersBlindly) {
    return report(
      'origin_not_allowed',
      `The server at ${base} does not allow pages from ${describeOrigin(origin)}.`,
      allowHint(origin),
    );
  }
  return isAllowedByDefault(origin) ? notRunning(base) : notRunningOrNotAllowed(base, origin);
}

function notRunning(base: string): ConnectionReport {
  return report(
    'not_running',
    `No server is running at ${base}.`,
    'Start Acquisition Store Server and check that it prints this address.',
  );
}

function notRunningOrNotAllowed(base: string, origin: string): ConnectionReport {
  const https = origin.startsWith('https:')
    ? ' Safari does not let https pages use an http server; other browsers ask for your permission first.'
    : ' Chrome lets pages from other computers use programs on this one only over https.';
  return report(
    'not_running_or_not_allowed',
    `Either no server is running at ${base}, or it does not allow pages from ${origin}. The browser does not reveal which.`,
    `Open ${base}/ in a new tab. If nothing appears, start the server. If its page appears, ${lowerFirst(allowHint(origin))}${https}`,
  );
}

function filePage(): ConnectionReport {
  return report(
    'file_page',
    'Local HTML files and sandboxed frames may only open files through the file dialog.',
    'Pick the file in the file dialog, start the server with --allow-file-pages, or use its token.',
  );
}

function interrupted(base: string): ConnectionReport {
  return report('interrupted', `The connection to ${base} was interrupted, and works again now.`, 'Try again.');
}

/** Explains an error of `fetch` in Node, which hides the system error in its cause. */
function explainSystemError(base: string, error: unknown): ConnectionReport {
  const code = systemCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return report('unknown_host', `The host ${new URL(base).hostname} was not found.`, 'Check the address.');
  }
  return notRunning(base);
}

function systemCode(error: unknown): unknown {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code;
}

/** True for an origin that a server with default settings allows. Pages without an origin may request `/health`. */
function isAllowedByDefault(origin: string): boolean {
  if (origin === 'null') return true;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]');
}

function allowHint(origin: string): string {
  return `Start the server with --allow-origin ${origin}, or use its token.`;
}

function describeOrigin(origin: string): string {
  return origin === 'null' ? 'no origin (a local file or a sandboxed frame)' : origin;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
