/** Object headers: the messages that make a group or a dataset (specification IV.A). */
import { decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { type Container, checkSum } from './container.js';
import { Cursor } from './cursor.js';

export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFill: 0x04,
  fill: 0x05,
  link: 0x06,
  externalStorage: 0x07,
  layout: 0x08,
  filters: 0x0b,
  attribute: 0x0c,
  continuation: 0x10,
  symbolTable: 0x11,
  attributeInfo: 0x15,
} as const;

export interface Message {
  type: number;
  /** True when the body refers to a message elsewhere. */
  shared: boolean;
  body: Uint8Array;
}

interface HeaderBlock {
  address: number;
  length: number;
}

/** Reads all messages of an object, including its continuation blocks. @throws AcqError `decode_failed` */
export function readMessages(file: Container, address: number): Message[] {
  const [version] = file.read(address, 4);
  const first = version === 1 ? firstBlock1(file, address) : firstBlock2(file, address);
  const blocks = [first.block];
  const messages: Message[] = [];
  const seen = new Set([first.block.address]);
  for (const block of blocks) {
    const cursor = file.cursor(block.address, block.length);
    if (version !== 1 && block !== first.block) {
      cursor.expect('OCHK');
      checkSum(cursor.bytes, file.where(block.address));
    }
    const end = version === 1 || block === first.block ? block.length : block.length - 4;
    while (end - cursor.at >= first.headerBytes) {
      const message = version === 1 ? message1(cursor) : message2(cursor, first.ordered);
      if (message.type === MESSAGE.continuation) {
        const next = parseContinuation(file, message.body, address);
        if (seen.has(next.address))
          throw decodeFailed(`${file.where(address)} contains a loop of continuation blocks; the file is corrupted`);
        seen.add(next.address);
        blocks.push(next);
      } else if (message.type !== 0) messages.push(message);
      if (messages.length > LIMITS.hdf5Messages || blocks.length > LIMITS.hdf5Messages) {
        throw decodeFailed(
          `${file.where(address)} lists more than ${grouped(LIMITS.hdf5Messages)} messages; the file is corrupted`,
        );
      }
    }
  }
  return messages;
}

/** Returns the body of a message, following a reference to another object. */
export function bodyOf(file: Container, message: Message): Uint8Array {
  return message.shared ? sharedBody(file, message.type, message.body) : message.body;
}

/** Follows a reference to another object's message, such as a committed datatype (specification IV.A.2, "shared message"). */
export function sharedBody(file: Container, type: number, reference: Uint8Array): Uint8Array {
  const cursor = new Cursor(reference, file, 'a shared message');
  const version = cursor.u8();
  const kind = cursor.u8();
  if (version === 1) cursor.skip(6);
  if (version === 3 && kind === 1) throw unsupported('messages in a shared heap are not supported');
  const address = cursor.address();
  const message =
    address === undefined
      ? undefined
      : readMessages(file, address).find((entry) => entry.type === type && !entry.shared);
  if (!message) throw decodeFailed('a referenced datatype is missing; the file is corrupted');
  return message.body;
}

interface FirstBlock {
  block: HeaderBlock;
  headerBytes: number;
  ordered: boolean;
}

function firstBlock1(file: Container, address: number): FirstBlock {
  const length = file.cursor(address, 16).skip(8).u32();
  return { block: { address: address + 16, length }, headerBytes: 8, ordered: false };
}

function firstBlock2(file: Container, address: number): FirstBlock {
  const prefix = file.cursor(address, 6).expect('OHDR');
  const version = prefix.u8();
  if (version !== 2)
    throw decodeFailed(`${file.where(address)} has the invalid version ${version}; the file is corrupted`);
  const flags = prefix.u8();
  const before = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const width = 1 << (flags & 3);
  const length = file
    .cursor(address, before + width)
    .skip(before)
    .uint(width);
  checkSum(file.read(address, before + width + length + 4), file.where(address));
  const ordered = (flags & 4) !== 0;
  return { block: { address: address + before + width, length }, headerBytes: ordered ? 6 : 4, ordered };
}

function message1(cursor: Cursor): Message {
  const type = cursor.u16();
  const size = cursor.u16();
  const flags = cursor.u8();
  return { type, shared: (flags & 2) !== 0, body: cursor.skip(3).take(size) };
}

function message2(cursor: Cursor, ordered: boolean): Message {
  const type = cursor.u8();
  const size = cursor.u16();
  const flags = cursor.u8();
  if (ordered) cursor.skip(2);
  return { type, shared: (flags & 2) !== 0, body: cursor.take(size) };
}

function parseContinuation(file: Container, body: Uint8Array, address: number): HeaderBlock {
  const cursor = new Cursor(body, file, file.where(address));
  const to = cursor.address();
  if (to === undefined)
    throw decodeFailed(`${file.where(address)} points to a continuation block outside the file; the file is corrupted`);
  return { address: to, length: cursor.length() };
}
