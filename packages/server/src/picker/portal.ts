import { randomBytes } from 'node:crypto';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { exhaustionError } from '../platform-node/exhaustion.js';
import { type Bus, BusError, connectSessionBus } from './dbus/bus.js';
import { createInbox } from './dbus/inbox.js';
import type { Message } from './dbus/message.js';
import { isVariant } from './dbus/signature.js';
import { type Dialog, type DialogOutcome, type DialogRequest, failed, unavailable } from './dialog.js';
import { isForwarded } from './display.js';
import { FOLDER_VERSION, openFileOptions, portalOutcome } from './portal-values.js';

const BUS = 'org.freedesktop.DBus';
const BUS_PATH = '/org/freedesktop/DBus';
const DESKTOP = 'org.freedesktop.portal.Desktop';
const DESKTOP_PATH = '/org/freedesktop/portal/desktop';
const FILE_CHOOSER = 'org.freedesktop.portal.FileChooser';
const REQUEST = 'org.freedesktop.portal.Request';
const BACKENDS = 'org.freedesktop.impl.portal.';
const CLOSE_MS = 2_000;

/** The dialog of the desktop, through xdg-desktop-portal (interface FileChooser, any version). */
export function portal(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'desktop portal',
    async show(request, signal) {
      if (isForwarded(env)) return unavailable(`is not used, because the display ${env['DISPLAY']} is forwarded`);
      let bus: Bus | undefined;
      try {
        bus = await connectSessionBus(env);
        return await showOn(bus, request, signal);
      } catch (error) {
        if (error instanceof AcqError) throw error;
        if (signal.aborted) return { status: 'cancelled' };
        const exhausted = exhaustionError('The file dialog cannot be opened', error);
        if (exhausted) throw exhausted;
        return unavailable(describeError(error));
      } finally {
        // The portal closes the requests of a client that disconnects.
        bus?.close();
      }
    },
  };
}

function describeError(error: unknown): string {
  const name = error instanceof BusError ? error.errorName : '';
  if (/\.(ServiceUnknown|NameHasNoOwner)$/.test(name)) return 'is not installed';
  if (/\.(UnknownMethod|UnknownInterface)$/.test(name)) return 'has no file dialog in this session';
  return error instanceof Error ? error.message : String(error);
}

async function showOn(bus: Bus, request: DialogRequest, signal: AbortSignal): Promise<DialogOutcome> {
  const inbox = createInbox(bus);
  await callBus(bus, 'AddMatch', [`type='signal',sender='${BUS}',member='NameOwnerChanged',arg0='${DESKTOP}'`]);
  if (signal.aborted) return { status: 'cancelled' };
  if (request.kind === 'folder') {
    const version = await chooserVersion(bus);
    if (version < FOLDER_VERSION)
      return unavailable(`cannot select folders (version ${version}; version ${FOLDER_VERSION} is required)`);
  }
  const opened = await openFile(bus, request);
  const handle = String(opened.body[0]);
  // The answer is sent to this connection only and needs no match rule.
  const response = inbox.first(
    ({ member, path, sender }) => member === 'Response' && path === handle && sender === opened.sender,
  );
  const lost = inbox.first(
    ({ member, sender, body }) => member === 'NameOwnerChanged' && sender === BUS && body[2] !== opened.sender,
  );
  const closed = bus.closed.catch(() => undefined);
  const end = await Promise.race([response, lost.then(() => undefined), closed, untilAborted(signal)]);
  if (signal.aborted) return closeRequest(bus, handle);
  if (end === undefined) return failed('stopped while its dialog was open');
  return portalOutcome(end.body, await hasBackend(bus));
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

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

async function chooserVersion(bus: Bus): Promise<number> {
  const { body } = await bus.call({
    destination: DESKTOP,
    path: DESKTOP_PATH,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: [FILE_CHOOSER, 'version'],
  });
  const [version] = body;
  return isVariant(version) && typeof version.value === 'number' ? version.value : 0;
}

async function hasBackend(bus: Bus): Promise<boolean> {
  const [names] = (await callBus(bus, 'ListNames')).body;
  return Array.isArray(names) && names.some((name) => typeof name === 'string' && name.startsWith(BACKENDS));
}

function callBus(bus: Bus, member: string, strings: string[] = []): Promise<Message> {
  const signature = 's'.repeat(strings.length);
  return bus.call({ destination: BUS, path: BUS_PATH, interface: BUS, member, signature, body: strings });
}

/** Closes the window and waits for the portal to confirm it. */
async function closeRequest(bus: Bus, handle: string): Promise<DialogOutcome> {
  await bus.call({ destination: DESKTOP, path: handle, interface: REQUEST, member: 'Close' }, CLOSE_MS).catch(() => {
    // The user was faster, or the portal has stopped: no window is left.
  });
  return { status: 'cancelled' };
}
