import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { toJsonBody, writeList } from '../../packages/server/src/json-text.js';
import {
  asJsonList,
  asWritten,
  CHECKED_ENTRIES,
  hasLongList,
  withFirstEntries,
} from '../../packages/server/src/long-lists.js';
import { SchemaChecks } from '../../packages/server/src/server/validation.js';

const numbers = (length: number) => Array.from({ length }, (_, i) => i / 3);

describe('JSON with long lists', () => {
  it.each([
    ['a list', numbers(CHECKED_ENTRIES + 1)],
    ['lists inside objects', { a: 1, 'b"': { long: numbers(100_000), none: undefined, last: [null, 'x'] } }],
    ['objects in a list', { entries: Array.from({ length: 30_000 }, (_, i) => ({ name: `é ${i}`, size: null, i })) }],
    ['lists in a short list', [numbers(3), { more: numbers(40_000) }, 'end']],
  ])('is what JSON is otherwise: %s', async (_name, value) => {
    expect(hasLongList(value)).toBe(true);
    const body = toJsonBody(value);
    expect(typeof body === 'string' ? body : await text(body)).toBe(JSON.stringify(value));
  });

  it('has null for numbers that JSON does not have', async () => {
    const value = {
      values: asJsonList(Float64Array.of(1.5, Number.NaN, -Infinity, -0)),
      none: asJsonList(new Float64Array(0)),
    };
    expect(toJsonBody(value)).toBe('{"values":[1.5,null,null,0],"none":[]}');
    expect(withFirstEntries(value)).toEqual({ values: [1.5, null, null, -0], none: [] });
  });

  it('has a list that a thread has written as it would be written here', async () => {
    const entries = Array.from({ length: 30_000 }, (_, i) => ({ name: `𝄞 "${i}`, size: null }));
    const { first, pieces } = structuredClone(writeList(entries));
    const value = { ok: true, entries: asWritten({ first, pieces }), truncated: false };
    expect(await text(toJsonBody(value) as Readable)).toBe(JSON.stringify({ ok: true, entries, truncated: false }));
    expect(withFirstEntries(value)).toEqual({ ok: true, entries: entries.slice(0, CHECKED_ENTRIES), truncated: false });
    expect(pieces.length).toBeGreaterThan(10);
    expect(pieces.join('')).toBe(JSON.stringify(entries));
  });

  it('is checked by the first entries of each list', () => {
    const value = { ok: true, list: numbers(5_000), inside: [{ list: asJsonList(new Float64Array(3_000)) }] };
    expect(withFirstEntries(value)).toEqual({
      ok: true,
      list: numbers(CHECKED_ENTRIES),
      inside: [{ list: new Array(CHECKED_ENTRIES).fill(0) }],
    });
    const short = { list: numbers(CHECKED_ENTRIES) };
    expect(withFirstEntries(short)).toBe(short);
  });

  it('of a response is compared with its schema by its first entries', () => {
    const list = (wrongAt: number) => ({
      list: Array.from({ length: 5_000 }, (_, i) => (i === wrongAt ? 'wrong' : i)),
    });
    const schema = Type.Object({ list: Type.Array(Type.Number()) });
    const place = { schema, method: 'GET', url: '/', httpStatus: '200' };
    const serialize = new SchemaChecks().response(place);
    expect(() => serialize(list(CHECKED_ENTRIES - 1))).toThrow('/list/1023');
    expect(serialize(list(CHECKED_ENTRIES))).toContain('"wrong"');
    expect(() => serialize({ list: list(-1).list.slice(0, 10).concat('wrong') })).toThrow('/list/10');
  });

  it('is written a piece in each turn of the event loop, and only as fast as it is read', async () => {
    const body = toJsonBody({ values: asJsonList(Float64Array.from(numbers(200_000))) }) as Readable;
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const lengths: number[] = [];
    for await (const chunk of body) lengths.push((chunk as Buffer).length);
    isDone = true;
    expect(Math.max(...lengths)).toBeLessThan(100_000);
    expect(turns).toBeGreaterThanOrEqual(lengths.length - 2);
    expect(lengths.length).toBeGreaterThan(30);
  });
});
