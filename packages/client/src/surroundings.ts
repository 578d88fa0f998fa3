/** Properties of the page that decide whether a browser allows a request. */
export interface Surroundings {
  /** Origin of the page or worker: `'null'` for local files and sandboxed frames, undefined outside of browsers. */
  origin: string | undefined;
  /** True when the user denied this page access to this computer. */
  deniedByUser: boolean;
}

interface PageGlobals {
  origin?: string;
  location?: { protocol: string };
  isSecureContext?: boolean;
  navigator?: { permissions?: { query(descriptor: { name: string }): Promise<{ state: string }> } };
}

/** Names of the Local Network Access permission: the newer one, for this computer only, and the older one. */
const PERMISSIONS = ['loopback-network', 'local-network-access'];

export async function readSurroundings(scope = globalThis as PageGlobals): Promise<Surroundings> {
  if (scope.location === undefined) return { origin: undefined, deniedByUser: false };
  return { origin: scope.origin, deniedByUser: await isDenied(scope) };
}

async function isDenied({ isSecureContext, navigator }: PageGlobals): Promise<boolean> {
  // Browsers always report "denied" to pages that are not secure.
  if (!isSecureContext || !navigator?.permissions) return false;
  for (const name of PERMISSIONS) {
    try {
      return (await navigator.permissions.query({ name })).state === 'denied';
    } catch {
      // This browser does not know the name.
    }
  }
  return false;
}

/** True when the `hostname` of a URL is a loopback name or address. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
