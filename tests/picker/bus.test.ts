import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bus, connectSessionBus } from '../../packages/server/src/picker/dbus/bus.js';
import { createInbox } from '../../packages/server/src/picker/dbus/inbox.js';
import { createWriter, marshal, pad, putUint32 } from '../../packages/server/src/picker/dbus/marshal.js';
import { decodeMessage, type Message, messageLength } from '../../packages/server/src/picker/dbus/message.js';
import { type DBusValue, parseSingle, variant } from '../../packages/server/src/picker/dbus/signature.js';
import { portal } from '../../packages/server/src/picker/portal.js';

const RETURN = 2;
const ERROR = 3;
const SIGNAL = 4;

/** A message with one value in its body, a string unless it is said, as a bus sends it. */
function message(type: number, fields: [number, string, DBusValue][], value: DBusValue, signature = 's'): Buffer {
  const body = createWriter();
  marshal(body, parseSingle(signature), value);
  const header = createWriter();
  header.bytes.push(0x6c, type, 0, 1);
  putUint32(header, body.bytes.length);
  putUint32(header, 1);
  const all = [...fields, [8, 'g', signature] as [number, string, DBusValue]];
  marshal(
    header,
    parseSingle('a(yv)'),
    all.map(([code, signature, value]) => [code, variant(signature, value)]),
  );
  pad(header, 8);
  return Buffer.from([...header.bytes, ...body.bytes]);
}

const answer = (call: Message, value: DBusValue, signature = 's') =>
  message(RETURN, [[5, 'u', call.serial]], value, signature);
const refusal = (call: Message, name: string) =>
  message(
    ERROR,
    [
      [5, 'u', call.serial],
      [4, 's', name],
    ],
    'because',
  );
const signal = (member: string) =>
  message(
    SIGNAL,
    [
      [1, 'o', '/p'],
      [3, 's', member],
    ],
    'signalled',
  );

describe('the session bus', () => {
  let folder: string;
  let server: Server;
  let bus: Bus | undefined;
  const sockets = new Set<Socket>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'acqstore-bus-'));
  });
  afterEach(() => {
    bus?.close();
    bus = undefined;
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A bus that lets everybody in (or says `greeting` instead) and leaves the calls to the test. */
  const serve = async (onCall: (call: Message, socket: Socket) => void, greeting = 'OK 0123\r\n') => {
    server = createServer((socket) => {
      sockets.add(socket);
      let pending = Buffer.alloc(0);
      let begun = false;
      socket.on('error', () => {});
      socket.on('data', (bytes: Buffer) => {
        pending = Buffer.concat([pending, bytes]);
        if (!begun) {
          const text = pending.toString('latin1');
          if (/^\0AUTH EXTERNAL [0-9a-f]+\r\n$/.test(text)) socket.write(greeting);
          if (!text.includes('BEGIN\r\n')) return;
          begun = true;
          pending = pending.subarray(text.indexOf('BEGIN\r\n') + 7);
        }
        for (let length = messageLength(pending); length !== undefined && pending.length >= length; ) {
          const call = decodeMessage(pending.subarray(0, length));
          pending = pending.subarray(length);
          onCall(call, socket);
          length = messageLength(pending);
        }
      });
    }).listen(join(folder, 'bus'));
    await new Promise((resolve) => server.once('listening', resolve));
  };
  const connect = async () => {
    bus = await connectSessionBus({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}` });
    return bus;
  };
  const greeted = (then: (call: Message, socket: Socket) => void) => (call: Message, socket: Socket) => {
    if (call.member === 'Hello') socket.write(answer(call, ':1.9'));
    else then(call, socket);
  };
  const ping = { destination: 'a.b', path: '/a', interface: 'a.b', member: 'Ping' };

  it('matches replies to calls for any order and packets', async () => {
    const calls: Message[] = [];
    await serve(
      greeted((call, socket) => {
        calls.push(call);
        if (calls.length < 2) return;
        const bytes = Buffer.concat(calls.reverse().map((one) => answer(one, `to ${one.serial}`)));
        for (const byte of bytes) socket.write(Buffer.of(byte));
      }),
    );
    const connected = await connect();
    expect(connected.name).toBe(':1.9');
    const replies = await Promise.all([connected.call(ping), connected.call(ping)]);
    expect(replies.map(({ body }) => body)).toEqual([['to 2'], ['to 3']]);
  });

  it('keeps signals that arrive before they are awaited', async () => {
    await serve(greeted((call, socket) => socket.write(Buffer.concat([signal('Early'), answer(call, 'x')]))));
    const connected = await connect();
    const inbox = createInbox(connected);
    await connected.call(ping);
    expect((await inbox.first(({ member }) => member === 'Early')).body).toEqual(['signalled']);
  });

  it('rejects a call with the name of the error', async () => {
    await serve(greeted((call, socket) => socket.write(refusal(call, 'a.b.Error.No'))));
    const connected = await connect();
    await expect(connected.call(ping)).rejects.toMatchObject({
      errorName: 'a.b.Error.No',
      message: 'a.b.Error.No: because',
    });
  });

  it.each([
    [2, 'unavailable', 'cannot select folders (version 2; version 3 is required)'],
    [3, 'unavailable', 'org.example.Asked: because'],
  ])('a portal of version %i is asked for a folder: %s', async (version, status, why) => {
    const asked: string[] = [];
    await serve(
      greeted((call, socket) => {
        asked.push(call.member ?? '');
        if (call.member === 'Get') socket.write(answer(call, variant('u', version), 'v'));
        else if (call.member === 'OpenFile') socket.write(refusal(call, 'org.example.Asked'));
        else socket.write(answer(call, ''));
      }),
    );
    const dialog = portal({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}` });
    const request = { title: 'x', kind: 'folder' as const, extensions: [], folder: '/' };
    expect(await dialog.show(request, new AbortController().signal)).toEqual({ status, why });
    expect(asked).toEqual(['AddMatch', 'Get', ...(version < 3 ? [] : ['OpenFile'])]);
  });

  it('rejects a call without a reply after a timeout', async () => {
    await serve(greeted(() => {}));
    const connected = await connect();
    await expect(connected.call(ping, 50)).rejects.toThrow('a.b did not answer within 0.05 s');
  });

  it.each([
    ['that closes', (socket: Socket) => socket.destroy(), 'the session bus closed the connection'],
    ['that sends no message', (socket: Socket) => socket.write('HTTP/1.1 400 Bad'), 'not a D-Bus message'],
    [
      'that announces 2 GiB',
      (socket: Socket) => socket.write(Buffer.from(`l\u0002\u0000\u0001\u0000\u0000\u0000\u007f${'\0'.repeat(8)}`)),
      'D-Bus message of',
    ],
  ])('rejects calls on a bus %s', async (_name, act, message) => {
    await serve(greeted((_call, socket) => void act(socket)));
    const connected = await connect();
    await expect(connected.call(ping)).rejects.toThrow(message);
    await connected.closed;
    await expect(connected.call(ping)).rejects.toThrow();
  });

  it.each([
    ['refuses', 'REJECTED EXTERNAL\r\n', 'the session bus refused the connection: REJECTED EXTERNAL'],
    ['talks without end', 'x'.repeat(5000), 'did not answer the authentication'],
  ])('reports that the bus %s', async (_name, greeting, message) => {
    await serve(() => {}, greeting);
    await expect(connect()).rejects.toThrow(message);
  });
});
