import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { AcqError } from '../../errors.js';
import { type Bus, BusError, connectSessionBus } from './dbus/bus.js';
import type { Message } from './dbus/message.js';
import { type DBusValue, isVariant, variant } from './dbus/signature.js';
import {
  ALL_FILES,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  globs,
  unavailable,
} from './dialog.js';
import { isForwarded } from './display.js';
import { notUtf8 } from './output.js';

const DESKTOP = 'org.freedesktop.portal.Desktop';
const DESKTOP_PATH = '/org/freedesktop/portal/desktop';
const FILE_CHOOSER = 'org.freedesktop.portal.FileChooser';
const REQUEST = 'org.freedesktop.portal.Request';
const BACKENDS = 'org.freedesktop.impl.portal.';
const CLOSE_MS = 2_000;

/** The desktop's own dialog, through xdg-desktop-portal (interface FileChooser, any version). */
export function portal(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'desktop portal',
    async show(request, signal) {
      if (isForwarded(env)) return unavailable(`not used, because the display ${env['DISPLAY']} is forwarded`);
      let bus: Bus | undefined;
      try {
        bus = await connectSessionBus(env);
        return await showOn(bus, request, signal);
      } catch (error) {
        if (error instanceof AcqError) throw error;
        if (signal.aborted) return { status: 'cancelled' };
        return unavailable(reasonOf(error));
      } finally {
        // The portal closes the requests of a caller that left.
        bus?.close();
      }
    },
  };
}

function reasonOf(error: unknown): string {
  const name = error instanceof BusError ? error.errorName : '';
  if (/\.(ServiceUnknown|NameHasNoOwner)$/.test(name)) return 'is not installed';
  if (/\.(UnknownMethod|UnknownInterface)$/.test(name)) return 'offers no file dialog in this session';
  return error instanceof Error ? error.message : String(error);
}

async function showOn(bus: Bus, request: DialogRequest, signal: AbortSignal): Promise<DialogOutcome> {
  const responses: Message[] = [];
  let arrived = () => {};
  bus.onSignal((message) => {
    if (message.interface === REQUEST && message.member === 'Response') responses.push(message);
    arrived();
  });
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  if (signal.aborted) return { status: 'cancelled' };
  const opened = await Promise.race([openFile(bus, request), aborted]);
  if (opened === 'aborted') return { status: 'cancelled' };
  const handle = String(opened.body[0]);
  // The answer goes to this connection alone, and may overtake the reply that carries the handle.
  const answered = new Promise<Message>((resolve) => {
    arrived = () => {
      const response = responses.find(({ path, sender }) => path === handle && sender === opened.sender);
      if (response) resolve(response);
    };
    arrived();
  });
  const end = await Promise.race([answered, aborted, bus.closed]);
  if (end === 'aborted') return closeRequest(bus, handle);
  if (end === undefined) throw new Error('the session bus went away');
  return portalOutcome(end.body, await hasBackend(bus));
}

function openFile(bus: Bus, request: DialogRequest): Promise<Message> {
  return bus.call({
    destination: DESKTOP,
    path: DESKTOP_PATH,
    interface: FILE_CHOOSER,
    member: 'OpenFile',
    signature: 'ssa{sv}',
    body: ['', request.title, openFileOptions(request, `acqstore_${randomBytes(8).toString('hex')}`)],
  });
}

/** The options of `OpenFile`. `current_folder` is known from version 4 of the interface, and ignored before. */
export function openFileOptions({ extensions, folder }: DialogRequest, token: string): DBusValue {
  const glob = (pattern: string): DBusValue => [0, pattern];
  const all: DBusValue = [ALL_FILES, [glob('*')]];
  const own: DBusValue = [FILTER_NAME, globs(extensions).map(glob)];
  const filters = extensions.length > 0 ? [own, all] : [all];
  return [
    ['handle_token', variant('s', token)],
    ['modal', variant('b', false)],
    ['filters', variant('a(sa(us))', filters)],
    ['current_filter', variant('(sa(us))', filters[0] as DBusValue)],
    ['current_folder', variant('ay', [...Buffer.from(`${folder}\0`, 'utf8')])],
  ];
}

/**
 * What `Response(response, results)` means: 0 a choice, 1 the Cancel button, 2 the window was closed. Code 2 also
 * says that the program that draws the dialog could not be started; then none of those programs is there.
 * @throws AcqError `path_not_found` when the choice is no local file
 */
export function portalOutcome(body: readonly DBusValue[], backendRunning: boolean): DialogOutcome {
  const [code, results] = body;
  if (code === 0) return { status: 'chosen', path: chosenPath(results) };
  if (code === 2 && !backendRunning) return unavailable('the portal has no program that draws its dialogs');
  return { status: 'cancelled' };
}

function chosenPath(results: DBusValue | undefined): string {
  const entries = Array.isArray(results) ? results : [];
  const uris = entries.find((entry) => Array.isArray(entry) && entry[0] === 'uris');
  const list = Array.isArray(uris) && isVariant(uris[1]) ? uris[1].value : [];
  const uri = Array.isArray(list) ? list[0] : undefined;
  if (typeof uri !== 'string') throw new Error('the portal answered without a file');
  return localPath(uri);
}

/** @throws AcqError `path_not_found` */
export function localPath(uri: string): string {
  if (!uri.startsWith('file:///')) {
    throw new AcqError('path_not_found', `${uri}: is not a file of this machine; copy it, or mount its folder, first`);
  }
  try {
    return fileURLToPath(uri);
  } catch {
    throw notUtf8(uri);
  }
}

async function hasBackend(bus: Bus): Promise<boolean> {
  const reply = await bus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'ListNames',
  });
  const names = reply.body[0];
  return Array.isArray(names) && names.some((name) => typeof name === 'string' && name.startsWith(BACKENDS));
}

/** Closes the window and waits until the portal has done so. */
async function closeRequest(bus: Bus, handle: string): Promise<DialogOutcome> {
  await bus.call({ destination: DESKTOP, path: handle, interface: REQUEST, member: 'Close' }, CLOSE_MS).catch(() => {
    // The user was faster, or the portal is gone: no window is left either way.
  });
  return { status: 'cancelled' };
}
