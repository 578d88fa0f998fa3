/** The tree of groups and datasets. Nothing but this one file is ever opened. */
import { unsupported } from '../errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { Container } from './container.js';
import { textOf } from './cursor.js';
import { Dataset } from './dataset.js';
import { MESSAGE, type Message, readMessages } from './header.js';
import { type Links, readLinks } from './links.js';
import { readAttributes, type Value } from './values.js';

/** Soft links that one path may go through. */
const MOST_LINKS = 32;
/** Objects whose description is kept. */
const OBJECTS_KEPT = 20_000;

export class Hdf5File {
  readonly name: string;
  readonly root: Hdf5Object;
  private readonly container: Container;
  private readonly objects = new Map<number, Hdf5Object>();

  /** @throws AcqError `decode_failed`, `unsupported_format` */
  constructor(source: ByteSource, name = source.name) {
    this.name = name;
    this.container = new Container(source, name);
    this.root = this.object(this.container.root, '');
  }

  /**
   * The object at an absolute path; `undefined` when a part of the path is not there.
   * @throws AcqError `unsupported_format` when the path leads into another file
   */
  find(path: string): Hdf5Object | undefined {
    return this.walk(this.root, path.split('/'), { left: MOST_LINKS });
  }

  /** The object that a reference leads to. */
  at(address: number, path: string): Hdf5Object {
    return this.object(address, path);
  }

  /** @internal one step of a path, soft links included */
  step(from: Hdf5Object, name: string, budget: { left: number }): Hdf5Object | undefined {
    const link = from.links.get(name);
    if (!link) return undefined;
    const path = `${from.path}/${name}`;
    if (link.kind === 'hard') return this.object(link.address, path);
    if (link.kind === 'external') {
      throw unsupported(
        `${this.name}: ${path} is in another file, ${link.file.slice(0, 200)}; only the opened file is read. Open that file.`,
      );
    }
    if (link.kind === 'unknown') throw unsupported(`${this.name}: ${path} is a link of an unknown kind`);
    if (budget.left-- <= 0) throw unsupported(`${this.name}: ${path} is a link that leads to itself`);
    return this.walk(link.path.startsWith('/') ? this.root : from, link.path.split('/'), budget);
  }

  private walk(from: Hdf5Object, parts: readonly string[], budget: { left: number }): Hdf5Object | undefined {
    let object: Hdf5Object | undefined = from;
    for (const part of parts) {
      if (part === '' || part === '.') continue;
      object = this.step(object, part, budget);
      if (!object) return undefined;
    }
    return object;
  }

  private object(address: number, path: string): Hdf5Object {
    const known = this.objects.get(address);
    if (known) return known;
    const object = new Hdf5Object(this, this.container, address, path);
    if (this.objects.size >= OBJECTS_KEPT) this.objects.delete(this.objects.keys().next().value as number);
    this.objects.set(address, object);
    return object;
  }
}

/** A group or a dataset; its header is read when it is needed. */
export class Hdf5Object {
  /** Where it was first found. */
  readonly path: string;
  readonly file: Hdf5File;
  private readonly container: Container;
  private readonly address: number;
  private read: Message[] | undefined;
  private ownLinks: Links | undefined;
  private ownAttributes: Map<string, () => Value> | undefined;
  private ownDataset: Dataset | undefined;

  constructor(file: Hdf5File, container: Container, address: number, path: string) {
    this.file = file;
    this.container = container;
    this.address = address;
    this.path = path;
  }

  get isDataset(): boolean {
    return this.messages.some(({ type }) => type === MESSAGE.layout);
  }

  /** Members of a group, in the order of the file (by name). */
  get links(): Links {
    this.ownLinks ??= readLinks(this.container, this.messages);
    return this.ownLinks;
  }

  /** @throws AcqError `unsupported_format` when the member is in another file */
  child(name: string): Hdf5Object | undefined {
    return this.file.step(this, name, { left: MOST_LINKS });
  }

  get dataset(): Dataset {
    this.ownDataset ??= new Dataset(this.container, this.messages, `${this.file.name}: ${this.path}`);
    return this.ownDataset;
  }

  get attributeNames(): string[] {
    return [...this.attributes.keys()];
  }

  attribute(name: string): Value | undefined {
    return this.attributes.get(name)?.();
  }

  /** The text of an attribute: one string, or the characters of an array of them (Imaris). */
  text(name: string): string | undefined {
    const value = this.attribute(name);
    if (!value?.texts) return undefined;
    const { texts } = value;
    if (texts.length < 2 || texts.some((one) => one.length > 1)) return texts[0];
    return textOf(Buffer.from(texts.join(''), 'latin1'));
  }

  /** The first number of an attribute, whether it is stored as one or as text. */
  number(name: string): number | undefined {
    const value = this.attribute(name);
    if (value?.numbers) return value.numbers[0];
    const text = this.text(name)?.trim();
    if (text === undefined || text === '') return undefined;
    const number = Number(text.replace(',', '.'));
    return Number.isNaN(number) ? undefined : number;
  }

  private get attributes(): Map<string, () => Value> {
    this.ownAttributes ??= readAttributes(this.container, this.messages);
    return this.ownAttributes;
  }

  private get messages(): Message[] {
    this.read ??= readMessages(this.container, this.address);
    return this.read;
  }
}
