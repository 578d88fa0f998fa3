/** Opening acquisitions in the running image server, for the viewer. */
import { type Call, callServer } from './image-server.js';

export interface OpenedFile {
  path: string;
  name: string;
  sessionId: string;
  /** Address of the viewer with the session: the viewer opens it without asking, because only its owner knows the id. */
  viewer: string;
}

/**
 * Opens an acquisition by its path.
 * @throws ServerError
 */
export async function openByPath(url: string, path: string, signal?: AbortSignal): Promise<OpenedFile> {
  return readOpened(url, await callServer(url, open('/api/v2/open', { path }, signal)))!;
}

/**
 * Opens what the user picks in the file dialog. Returns null when nothing was chosen.
 * @throws ServerError
 */
export async function openPicked(
  url: string,
  kind: 'file' | 'folder',
  signal: AbortSignal,
): Promise<OpenedFile | null> {
  return readOpened(url, await callServer(url, open('/api/v2/pick-and-open', { kind }, signal)));
}

function open(path: string, body: object, signal: AbortSignal | undefined): Call {
  return { method: 'POST', path, body, signal };
}

function readOpened(url: string, answer: unknown): OpenedFile | null {
  const { ok, sessionId, source } = answer as {
    ok: boolean;
    sessionId: string;
    source: { path: string; name: string };
  };
  if (!ok) return null;
  return { path: source.path, name: source.name, sessionId, viewer: toViewer(url, sessionId) };
}

/** Says that an acquisition is shown. */
export function viewerText(name: string): string {
  return `${name} is open in the viewer.`;
}

/** Returns the address of the viewer that opens the acquisition of a session. */
export function toViewer(url: string, sessionId: string): string {
  return `${url}/demo/v2/?session=${sessionId}`;
}
