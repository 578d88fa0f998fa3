/** Why a request got no answer. A browser says "Failed to fetch" to all of it; the cause has to be inferred. */
import { isLoopback, type Surroundings } from './surroundings.js';

export type ConnectionCause =
  | 'connected'
  /** Nothing listens there. */
  | 'not_running'
  /** The name of the host is not known. */
  | 'unknown_host'
  /** Nothing listens there, or the server does not let in pages of this origin: browsers hide which. */
  | 'not_running_or_not_allowed'
  /** Something listens there and does not let in pages of this origin. */
  | 'origin_not_allowed'
  /** A local HTML file or sandboxed frame: the file dialog only. */
  | 'file_page'
  /** An https page may not use an http server elsewhere. */
  | 'mixed_content'
  /** The user said no to Local Network Access. */
  | 'local_network_access'
  | 'token_missing'
  | 'token_wrong'
  /** The server does not go by this name. */
  | 'host_not_allowed'
  | 'not_this_server'
  /** Something listens there and says nothing. */
  | 'timeout'
  /** It answers, and the answer broke off or is an error. */
  | 'interrupted';

export interface ConnectionReport {
  connected: boolean;
  cause: ConnectionCause;
  /** What is wrong, for people; when connected, that it is. */
  message: string;
  /** What to do; empty when connected. */
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
  /** `/health` answers this page: only the request that failed is refused to it. */
  healthy: boolean;
  /** A request that asks to read nothing was answered. */
  answersBlindly: boolean;
}

/** The most precise cause that the evidence allows. */
export function explainSilence({ base, surroundings, error, healthy, answersBlindly }: Silence): ConnectionReport {
  const { origin, refusedByUser } = surroundings;
  if (origin === undefined) return healthy ? brokeOff(base) : explainSystemError(base, error);
  if (healthy) return origin === 'null' ? filePage() : brokeOff(base);
  const server = new URL(base);
  if (origin === server.origin) return notRunning(base);
  const local = isLoopback(server.hostname);
  if (origin.startsWith('https:') && server.protocol === 'http:' && !local) {
    return report(
      'mixed_content',
      `This page came over https; browsers keep it from using ${base}, which is http.`,
      `Open ${base}/ itself, or put the server behind https.`,
    );
  }
  if (refusedByUser && local) {
    return report(
      'local_network_access',
      'The browser keeps this page from programs on this computer: its permission for the local network was refused.',
      `Allow it in the site settings (to the left of the address) and load the page again, or open ${base}/ itself.`,
    );
  }
  if (answersBlindly) {
    return report(
      'origin_not_allowed',
      `A server runs at ${base}, but does not let in pages of ${named(origin)}.`,
      letIn(origin),
    );
  }
  return isTrusted(origin) ? notRunning(base) : notRunningOrNotAllowed(base, origin);
}

function notRunning(base: string): ConnectionReport {
  return report(
    'not_running',
    `No server answers at ${base}.`,
    'Start Acquisition Store Server, and compare this address with the one that it prints.',
  );
}

function notRunningOrNotAllowed(base: string, origin: string): ConnectionReport {
  const https = origin.startsWith('https:')
    ? ' Safari lets no https page use an http server; other browsers ask for your permission first.'
    : ' Chrome lets only https pages of other computers use programs on this one.';
  return report(
    'not_running_or_not_allowed',
    `Either no server runs at ${base}, or it does not let in pages of ${origin}; the browser does not tell which.`,
    `Open ${base}/ in a new tab: if nothing comes, start the server; if its page comes, ${lowerFirst(letIn(origin))}${https}`,
  );
}

function filePage(): ConnectionReport {
  return report(
    'file_page',
    'The server lets a local HTML file, or a frame without an origin, open files through the file dialog only.',
    'Pick the file in the dialog, start the server with --allow-file-pages, or give its token.',
  );
}

function brokeOff(base: string): ConnectionReport {
  return report('interrupted', `The connection to ${base} broke off, and works again now.`, 'Try again.');
}

/** `fetch` of Node hides the error of the system behind its own. */
function explainSystemError(base: string, error: unknown): ConnectionReport {
  const code = systemCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return report('unknown_host', `There is no computer called ${new URL(base).hostname}.`, 'Check the address.');
  }
  return notRunning(base);
}

function systemCode(error: unknown): unknown {
  const { cause } = error as { cause?: { code?: unknown } };
  return cause?.code;
}

/** Let in by a server that was told nothing. Any page may ask for `/health` that has no origin. */
function isTrusted(origin: string): boolean {
  if (origin === 'null') return true;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]');
}

function letIn(origin: string): string {
  return `Start the server with --allow-origin ${origin}, or give its token.`;
}

function named(origin: string): string {
  return origin === 'null' ? 'no origin (a local file or a sandboxed frame)' : origin;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
