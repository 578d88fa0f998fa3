import { connect, type Socket } from 'node:net';
import { sessionBusSockets } from './address.js';
import { decodeMessage, encodeCall, type Message, type MethodCall, messageLength } from './message.js';

/** A connection to the session bus. */
export interface Bus {
  /** Unique name of this connection, e.g. `:1.42`. */
  name: string;
  /** Resolves with the reply. Rejects with a `BusError` for an error reply, and when the connection ends. */
  call(call: MethodCall, timeoutMs?: number): Promise<Message>;
  /** Adds a listener for all signals. */
  onSignal(listener: (signal: Message) => void): void;
  /** Resolves when either side has closed the connection. */
  closed: Promise<undefined>;
  close(): void;
}

/** An error reply. `errorName` is like `org.freedesktop.DBus.Error.ServiceUnknown`. */
export class BusError extends Error {
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message ? `${errorName}: ${message}` : errorName);
    this.name = 'BusError';
    this.errorName = errorName;
  }
}

const CONNECT_MS = 5_000;
/** Starting a service may take seconds; the bus itself gives up after 25 s. */
const CALL_MS = 15_000;
const MAX_AUTH_LINE = 4_096;

/** Connects to the session bus. @throws Error when there is no bus or it refuses the connection */
export async function connectSessionBus(env: NodeJS.ProcessEnv): Promise<Bus> {
  const uid = process.getuid?.() ?? 0;
  const sockets = sessionBusSockets(env, uid);
  let failure: unknown = new Error('no usable session bus address');
  for (const path of sockets) {
    try {
      const socket = await connectSocket(path);
      return await greet(socket, uid);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connectSocket(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('the session bus does not answer')));
    socket.once('error', (error) => reject(new Error(`no session bus (${error.message})`)));
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

async function greet(socket: Socket, uid: number): Promise<Bus> {
  try {
    await authenticate(socket, uid);
    const bus = createBus(socket);
    const hello = await bus.call({
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'Hello',
    });
    if (typeof hello.body[0] !== 'string') throw new Error('the session bus did not assign a name');
    bus.name = hello.body[0];
    return bus;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Authenticates with SASL EXTERNAL: the bus knows the user id from the socket. */
function authenticate(socket: Socket, uid: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let line = '';
    const fail = (reason: string) => settle(() => reject(new Error(reason)));
    const onData = (bytes: Buffer) => {
      line += bytes.toString('latin1');
      if (line.length > MAX_AUTH_LINE) return fail('the session bus did not answer the authentication');
      if (!line.endsWith('\r\n')) return;
      if (!line.startsWith('OK ')) return fail(`the session bus refused the connection: ${line.trim()}`);
      settle(resolve);
    };
    const onEnd = () => fail('the session bus closed the connection');
    const onError = (error: Error) => fail(error.message);
    const settle = (then: () => void) => {
      socket.off('data', onData).off('close', onEnd).off('error', onError);
      socket.setTimeout(0);
      then();
    };
    socket.on('data', onData).on('close', onEnd).on('error', onError);
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`);
  }).then(() => void socket.write('BEGIN\r\n'));
}

interface WaitingCall {
  resolve(message: Message): void;
  reject(error: Error): void;
}

function createBus(socket: Socket): Bus {
  const waiting = new Map<number, WaitingCall>();
  const listeners: ((signal: Message) => void)[] = [];
  let serial = 0;
  let reason = 'the session bus closed the connection';
  const closed = new Promise<undefined>((resolve) => {
    socket.once('close', () => {
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
      resolve(undefined);
    });
  });
  const dispatch = (message: Message) => {
    if (message.kind === 'signal') for (const listener of listeners) listener(message);
    const call = waiting.get(message.replyTo);
    if (message.kind === 'return') call?.resolve(message);
    else if (message.kind === 'error') call?.reject(new BusError(message.errorName, String(message.body[0] ?? '')));
  };
  socket.on('error', (error) => {
    reason = error.message;
  });
  socket.on(
    'data',
    splitMessages(dispatch, (error) => socket.destroy(error)),
  );
  return {
    name: '',
    closed,
    close: () => void socket.destroy(),
    onSignal: (listener) => void listeners.push(listener),
    async call(call, timeoutMs = CALL_MS) {
      if (socket.destroyed) throw new Error(reason);
      serial += 1;
      const id = serial;
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<Message>((resolve, reject) => {
          const timeout = new Error(`${call.destination} did not answer within ${timeoutMs / 1000} s`);
          timer = setTimeout(reject, timeoutMs, timeout);
          waiting.set(id, { resolve, reject });
          socket.write(encodeCall(call, id));
        });
      } finally {
        clearTimeout(timer);
        waiting.delete(id);
      }
    },
  };
}

/** Splits the stream of the socket into messages. Invalid bytes end the connection. */
function splitMessages(deliver: (message: Message) => void, fail: (error: Error) => void): (bytes: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    try {
      for (;;) {
        const length = messageLength(pending);
        if (length === undefined || pending.length < length) break;
        const message = decodeMessage(pending.subarray(0, length));
        pending = pending.subarray(length);
        deliver(message);
      }
    } catch (error) {
      pending = Buffer.alloc(0);
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
