import { describe, expect, it } from 'vitest';
import { sessionBusSockets } from '../../packages/server/src/picker/dbus/address.js';
import { createWriter, marshal } from '../../packages/server/src/picker/dbus/marshal.js';
import {
  decodeMessage,
  encodeCall,
  MAX_MESSAGE,
  messageLength,
} from '../../packages/server/src/picker/dbus/message.js';
import {
  type DBusValue,
  parseSignature,
  parseSingle,
  variant,
} from '../../packages/server/src/picker/dbus/signature.js';
import { createReader, unmarshal } from '../../packages/server/src/picker/dbus/unmarshal.js';
import fc from '../support/fast-check.js';

const bytesOf = (signature: string, value: DBusValue): Buffer => {
  const writer = createWriter();
  marshal(writer, parseSingle(signature), value);
  return Buffer.from(writer.bytes);
};
const readValue = (signature: string, bytes: Buffer, littleEndian = true): DBusValue =>
  unmarshal(createReader(bytes, littleEndian), parseSingle(signature));
const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** The Hello call, by hand from the D-Bus Specification: fields at 16, 48, 80 and 96, the array 0x6d bytes long. */
const HELLO = Buffer.concat([
  hex('6c 01 00 01 00000000 01000000 6d000000'),
  hex('01 01 6f 00 15000000'),
  Buffer.from('/org/freedesktop/DBus\0\0\0'),
  hex('02 01 73 00 14000000'),
  Buffer.from('org.freedesktop.DBus\0\0\0\0'),
  hex('03 01 73 00 05000000'),
  Buffer.from('Hello\0\0\0'),
  hex('06 01 73 00 14000000'),
  Buffer.from('org.freedesktop.DBus\0\0\0\0'),
]);

/** A big-endian `Response(2, {})`, signal 7 of ":1.4", by hand: fields at 16, 32, 56 and 72, up to 84. */
const RESPONSE = Buffer.concat([
  hex('42 04 01 01 00000008 00000007 00000044'),
  hex('01 01 6f 00 00000002'),
  Buffer.from('/r\0\0\0\0\0\0'),
  hex('03 01 73 00 00000008'),
  Buffer.from('Response\0\0\0\0\0\0\0\0'),
  hex('07 01 73 00 00000004'),
  Buffer.from(':1.4\0\0\0\0'),
  hex('08 01 67 00 06'),
  Buffer.from('ua{sv}\0\0\0\0\0'),
  hex('00000002 00000000'),
]);

describe('D-Bus data', () => {
  it('writes a method call byte for byte', () => {
    const call = {
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'Hello',
    };
    expect(encodeCall(call, 1).toString('hex')).toBe(HELLO.toString('hex'));
    expect(HELLO).toHaveLength(128);
    expect(messageLength(HELLO)).toBe(128);
    expect(messageLength(HELLO.subarray(0, 15))).toBeUndefined();
    expect(decodeMessage(HELLO)).toMatchObject({ kind: 'call', serial: 1, member: 'Hello', body: [] });
  });

  it.each<[string, DBusValue, string]>([
    ['u', 258, '02010000'],
    ['b', true, '01000000'],
    ['s', 'µ', '02000000 c2b5 00'],
    ['ay', [1, 2], '02000000 0102'],
    ['v', variant('b', false), '01 62 00 00 00000000'],
    // The array is 16 bytes long; the padding after the length, to the struct's 8, does not count.
    ['a(us)', [[0, '*.tif']], '0e000000 00000000 00000000 05000000 2a2e746966 00'],
    ['a{sv}', [['k', variant('u', 9)]], '10000000 00000000 01000000 6b00 017500 000000 09000000'],
  ])('writes and reads %s', (signature, value, bytes) => {
    expect(bytesOf(signature, value).toString('hex')).toBe(bytes.replace(/\s/g, ''));
    expect(readValue(signature, hex(bytes))).toEqual(value);
  });

  it.each<[string, string, DBusValue]>([
    ['y', 'ff', 255],
    ['n', 'fffe', -2],
    ['q', 'fffe', 65534],
    ['i', 'fffffffe', -2],
    ['u', 'fffffffe', 4294967294],
    ['x', 'fffffffffffffffe', -2n],
    ['t', 'fffffffffffffffe', 18446744073709551614n],
    ['d', '3ff8000000000000', 1.5],
    ['g', '02 7375 00', 'su'],
    ['as', '0000000e 00000001 61 00 0000 00000001 62 00', ['a', 'b']],
  ])('reads big-endian %s', (signature, bytes, value) => {
    expect(readValue(signature, hex(bytes), false)).toEqual(value);
  });

  it('reads a big-endian signal', () => {
    expect(messageLength(RESPONSE)).toBe(96);
    expect(decodeMessage(RESPONSE)).toEqual({
      kind: 'signal',
      serial: 7,
      path: '/r',
      interface: '',
      member: 'Response',
      sender: ':1.4',
      errorName: '',
      replyTo: 0,
      body: [2, []],
    });
  });

  it.each<[string, DBusValue]>([
    ['u', -1],
    ['u', 1.5],
    ['y', 256],
    ['b', 1],
    ['s', 'NUL \0'],
    ['s', 3],
    ['v', 'bare'],
    ['(us)', [1]],
    ['as', 'text'],
    ['x', 1n],
  ])('refuses to write %s %s', (signature, value) => expect(() => bytesOf(signature, value)).toThrow());

  it.each(['(', '()', 'a', 'a{s}', 'a{sss}', '{sv}', 'h', 'z', '(s', `${'a'.repeat(70)}s`, 's'.repeat(256)])(
    'refuses the signature %s',
    (signature) => expect(() => parseSignature(signature)).toThrow(/signature/),
  );
});

describe('malformed D-Bus data', () => {
  it.each([
    ['as', 'ffffff7f', 'ends'],
    ['s', '05000000 61', 'ends'],
    ['s', '01000000 61 62', 'has no terminator'],
    ['s', 'ffffffff 61', 'ends'],
    ['g', '05 61', 'ends'],
    ['v', '02 7373 00', 'signature'],
    ['v', '00 00', 'signature'],
    // An element that reaches behind the end of its array.
    ['as', '06000000 02000000 6162 00', 'longer'],
    ['a(ys)', '01000000 00000000 01', 'ends'],
  ])('is refused: %s %s', (signature, bytes, message) => {
    expect(() => readValue(signature, hex(bytes))).toThrow(message);
  });

  it('is refused when variants are nested too deep', () => {
    const bytes = Buffer.alloc(3_000, hex('01 76 00'));
    expect(() => readValue('v', bytes)).toThrow('nested too deep');
  });

  it('is refused for every truncation of a message', () => {
    for (let length = 16; length < RESPONSE.length; length++) {
      expect(() => decodeMessage(RESPONSE.subarray(0, length)), `${length} bytes`).toThrow();
    }
  });

  it('is refused for excessive sizes', () => {
    const long = Buffer.from(RESPONSE);
    long.writeUInt32BE(MAX_MESSAGE, 4);
    expect(() => messageLength(long)).toThrow('D-Bus message of 1048664 bytes');
    expect(() => messageLength(Buffer.alloc(16))).toThrow('not a D-Bus message');
  });

  it('gives a message or an error for random bytes, and never hangs', () => {
    const flipped = fc
      .array(fc.tuple(fc.nat(RESPONSE.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
      .map((flips) => {
        const bytes = Buffer.from(RESPONSE);
        for (const [at, value] of flips) bytes[at] = value;
        return bytes;
      });
    const noise = fc.uint8Array({ minLength: 16, maxLength: 300 }).map((bytes) => {
      bytes[0] = 0x6c;
      return Buffer.from(bytes);
    });
    fc.assert(
      fc.property(fc.oneof(flipped, noise), (bytes) => {
        try {
          expect(decodeMessage(bytes).body).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the session bus address', () => {
  it.each<[string, NodeJS.ProcessEnv, string[]]>([
    ['the usual one', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/7/bus,guid=ab12' }, ['/run/user/7/bus']],
    ['escapes', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/a%20b%2cc' }, ['/tmp/a b,c']],
    ['an abstract socket', { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/x' }, ['\0/tmp/x']],
    ['several', { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=h,port=1;unix:path=/a;unix:path=/b' }, ['/a', '/b']],
    ['the runtime folder', { DBUS_SESSION_BUS_ADDRESS: 'unix:runtime=yes', XDG_RUNTIME_DIR: '/r' }, ['/r/bus']],
    ['none', { XDG_RUNTIME_DIR: '/r' }, ['/r/bus']],
    ['neither', {}, ['/run/user/7/bus']],
    ['nonsense', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=%ff;;unix' }, []],
  ])('is found in %s', (_name, env, sockets) => expect(sessionBusSockets(env, 7)).toEqual(sockets));
});
