/** Counts what the main thread does between two turns of the event loop: characters of JSON and samples, not time. */
import { request } from 'node:http';

/** The most of one turn, and sums of the whole action. */
export interface Work {
  /** Characters that were written or read as JSON, or encoded, in one turn. */
  turnCharacters: number;
  /** Elements that were copied between typed arrays in one turn. */
  turnElements: number;
  /** Slices of computations. */
  slices: number;
}

interface Counts {
  characters: number;
  elements: number;
  slices: number;
}

/** What was counted since the last turn. `slices` is counted by whoever runs computations. */
export const counted: Counts = { characters: 0, elements: 0, slices: 0 };

/** Runs an action of the server in this process, and counts what it does. */
export async function measureWork<T>(action: () => Promise<T>): Promise<[work: Work, result: T]> {
  const restore = instrument();
  Object.assign(counted, { characters: 0, elements: 0, slices: 0 });
  const work: Work = { turnCharacters: 0, turnElements: 0, slices: 0 };
  let isRunning = true;
  const turn = () => {
    work.turnCharacters = Math.max(work.turnCharacters, counted.characters);
    work.turnElements = Math.max(work.turnElements, counted.elements);
    counted.characters = 0;
    counted.elements = 0;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await action();
    turn();
    return [{ ...work, slices: counted.slices }, result];
  } finally {
    isRunning = false;
    restore();
  }
}

function instrument(): () => void {
  const { stringify, parse } = JSON;
  const TypedArray = Object.getPrototypeOf(Float32Array.prototype) as Float32Array;
  const { set } = TypedArray;
  const { from } = Buffer;
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given) as string | undefined;
    counted.characters += text?.length ?? 0;
    return text;
  }) as typeof stringify;
  JSON.parse = (...given) => {
    counted.characters += String(given[0]).length;
    return parse(...given);
  };
  TypedArray.set = function (this: Float32Array, source, offset) {
    counted.elements += source.length;
    return set.call(this, source, offset);
  };
  Buffer.from = ((...given: [string]) => {
    if (typeof given[0] === 'string') counted.characters += given[0].length;
    return from(...given);
  }) as typeof from;
  return () => {
    Object.assign(JSON, { stringify, parse });
    TypedArray.set = set;
    Buffer.from = from;
  };
}

export interface Answer {
  status: number;
  bytes: number;
  /** The start of the body. */
  text: string;
}

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Of an answer that does not end: enough of it has come with this text. */
  until?: string;
}

/** Sends a request and counts the bytes of its answer, without looking at them. */
export function send(base: string, { method, path, headers = {}, body, until }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${base}${path}`, { method, headers, agent: false }, (response) => {
      let bytes = 0;
      let text = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < 2_000) text += chunk.toString('latin1', 0, 2_000);
        if (until === undefined || !text.includes(until)) return;
        finish();
        response.destroy();
      });
      const finish = () => resolve({ status: response.statusCode!, bytes, text });
      response.on('error', reject);
      response.on('end', finish);
    });
    sent.on('error', reject).end(body);
  });
}
