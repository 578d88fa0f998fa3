import type { Format, Probe, Sniff } from '../../acquisition.js';

/** Metadata documents of Zarr 2 and 3. */
const DOCUMENT = /^(zarr\.json|\.z(array|attrs|group|metadata))$/;
/** A chunk: `0`, `0.1.2`, or the first folder of Zarr 3. */
const CHUNK = /^(c[./])?\d+(\.\d+)*$/;

const EXTENSIONS = ['.ome.zarr', '.zarr', '.ome.zarr.zip', '.zarr.zip', '.ozx', '.cs.ome.zarr', '.cs.ome.zarr.zip'];

const ZIP_ENTRY = [0x50, 0x4b, 3, 4];

/** Whether a name in a store is that of a metadata document. */
export function isDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

/** The extension that a store's format is called by, without the dot. */
export function formatLabel({ name, kind }: Probe): string {
  const own = EXTENSIONS.filter((extension) => name.toLowerCase().endsWith(extension));
  const longest = own.sort((a, b) => b.length - a.length)[0];
  return longest?.slice(1) ?? (kind === 'directory' ? 'ome.zarr' : 'ome.zarr.zip');
}

function sniff(probe: Probe): Sniff {
  if (probe.kind === 'directory')
    return probe.entries.some(isDocument) ? 'sure' : isCollection(probe) ? 'maybe' : false;
  if (!ZIP_ENTRY.every((value, i) => probe.head[i] === value)) return false;
  if (entryNames(probe.head).some((name) => isDocument(name.slice(name.lastIndexOf('/') + 1)))) return 'sure';
  return /\.(zarr\.zip|ozx)$/i.test(probe.name) ? 'maybe' : false;
}

/** A collection has its list in a folder of its own, and no document at the top. */
function isCollection(probe: Probe): boolean {
  return probe.entries.includes('acqstore') || /\.zarr$/i.test(probe.name);
}

/** Names of the entries whose headers lie in the head of a zip archive. */
function entryNames(head: Uint8Array): string[] {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  const names: string[] = [];
  for (let at = 0; at >= 0 && at + 30 <= bytes.length; at = bytes.indexOf(Buffer.from(ZIP_ENTRY), at + 4)) {
    names.push(bytes.toString('latin1', at + 30, at + 30 + bytes.readUInt16LE(at + 26)));
  }
  return names;
}

/**
 * A document or a chunk inside a folder called `.zarr` stands for that folder; elsewhere, a document of a group stands
 * for the group, that of an array for the group that holds it.
 */
function home(path: string): string | undefined {
  const [, inside, name] = /^(.*)[\\/]([^\\/]+)$/.exec(path) ?? [];
  if (inside === undefined || name === undefined) return undefined;
  const store = /^.*\.zarr(?=[\\/]|$)/i.exec(inside)?.[0];
  if (store !== undefined) return isDocument(name) || CHUNK.test(name) ? store : undefined;
  if (name === '.zarray') return /^(.+)[\\/][^\\/]+$/.exec(inside)?.[1];
  return isDocument(name) ? inside : undefined;
}

export const omeZarrFormat: Format = {
  id: 'ome-zarr',
  label: 'OME-Zarr',
  extensions: EXTENSIONS,
  opensFolders: true,
  sniff,
  home,
  load: async () => (await import('./index.js')).omeZarrReader,
};
