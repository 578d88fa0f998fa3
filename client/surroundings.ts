/** What of the page decides whether a browser lets a request through. */
export interface Surroundings {
  /** Of the page or worker: `'null'` for local files and sandboxed frames, undefined outside browsers. */
  origin: string | undefined;
  /** The user said no to connections from this page to this computer. */
  refusedByUser: boolean;
}

interface PageGlobals {
  origin?: string;
  location?: { protocol: string };
  isSecureContext?: boolean;
  navigator?: { permissions?: { query(descriptor: { name: string }): Promise<{ state: string }> } };
}

/** The permission of Local Network Access: one name at first, later one for this computer. */
const PERMISSIONS = ['loopback-network', 'local-network-access'];

export async function readSurroundings(scope = globalThis as PageGlobals): Promise<Surroundings> {
  if (scope.location === undefined) return { origin: undefined, refusedByUser: false };
  return { origin: scope.origin, refusedByUser: await refused(scope) };
}

async function refused({ isSecureContext, navigator }: PageGlobals): Promise<boolean> {
  // Pages that are not secure are told "denied" whatever the user said.
  if (!isSecureContext || !navigator?.permissions) return false;
  for (const name of PERMISSIONS) {
    try {
      return (await navigator.permissions.query({ name })).state === 'denied';
    } catch {
      // A browser that does not know the name.
    }
  }
  return false;
}

/** Loopback by its name; `hostname` of a URL. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
