/**
 * Returns the sockets of the session bus in the order to try: those of `DBUS_SESSION_BUS_ADDRESS` (D-Bus Specification,
 * "Server Addresses"), or the default of systemd.
 * @returns paths for `net.connect`; a leading NUL marks an abstract socket
 */
export function sessionBusSockets(env: NodeJS.ProcessEnv, uid: number): string[] {
  const address = env['DBUS_SESSION_BUS_ADDRESS'];
  const runtimeDir = env['XDG_RUNTIME_DIR'] || `/run/user/${uid}`;
  if (!address) return [`${runtimeDir}/bus`];
  return address.split(';').flatMap((entry) => parseSocket(entry, runtimeDir));
}

function parseSocket(address: string, runtimeDir: string): string[] {
  const [transport, list = ''] = address.split(/:(.*)/s);
  if (transport !== 'unix') return [];
  const keys = new Map(list.split(',').map((pair) => pair.split(/=(.*)/s) as [string, string | undefined]));
  const path = unescapeValue(keys.get('path'));
  if (path) return [path];
  const abstract = unescapeValue(keys.get('abstract'));
  if (abstract) return [`\0${abstract}`];
  return keys.get('runtime') === 'yes' ? [`${runtimeDir}/bus`] : [];
}

function unescapeValue(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
