/** The tree of groups and datasets. Opens only this one file. */
import { toLatin1 } from '../base/bytes.js';
import { unsupported } from '../base/errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { Container } from './container.js';
import { decodeName } from './cursor.js';
import { Dataset } from './dataset.js';
import { MESSAGE, type Message, readMessages } from './header.js';
import { type Links, readLinks } from './links.js';
import { type Hdf5Value, readAttributes } from './values.js';

/** Soft links in one path. */
const MAX_LINKS = 32;
/** Objects whose metadata are kept. */
const MAX_OBJECTS = 20_000;

export class Hdf5File {
  readonly name: string;
  readonly root: Hdf5Object;
  private readonly container: Container;
  private readonly objects = new Map<number, Hdf5Object>();

  /** @throws AcqError 'decode_failed', `unsupported_format` */
  constructor(source: ByteSource) {
    this.name = source.name;
    this.container = new Container(source);
    this.root = this.object(this.container.root, '');
  }

  /**
   * Returns the object at an absolute path; `undefined` when a part of the path is missing.
   * @throws AcqError `unsupported_format` when the path leads into another file
   */
  find(path: string): Hdf5Object | undefined {
    return this.walk(this.root, path.split('/'), { left: MAX_LINKS });
  }

  /** Returns the object at the address of a reference. */
  at(address: number, path: string): Hdf5Object {
    return this.object(address, path);
  }

  /** @internal Follows one step of a path, soft links included. */
  step(from: Hdf5Object, name: string, budget: { left: number }): Hdf5Object | undefined {
    const link = from.links.get(name);
    if (!link) return undefined;
    const path = `${from.path}/${name}`;
    if (link.kind === 'hard') return this.object(link.address, path);
    if (link.kind === 'external') {
      throw unsupported(
        `${path} is in another file, ${link.file.slice(0, 200)}. Links to other files are not followed; open that file.`,
      );
    }
    if (link.kind === 'unknown') throw unsupported(`${path} is a link of an unsupported kind`);
    if (budget.left-- <= 0) throw unsupported(`${path} is a soft link that contains a loop`);
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
    if (this.objects.size >= MAX_OBJECTS) this.objects.delete(this.objects.keys().next().value!);
    this.objects.set(address, object);
    return object;
  }
}

/** A group or a dataset. Its header is read when it is first used. */
export class Hdf5Object {
  /** Path by which it was first reached. */
  readonly path: string;
  readonly file: Hdf5File;
  private readonly container: Container;
  private readonly address: number;
  private read: Message[] | undefined;
  private ownLinks: Links | undefined;
  private ownAttributes: Map<string, () => Hdf5Value> | undefined;
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

  /** Members of a group, in the order of the file. */
  get links(): Links {
    this.ownLinks ??= readLinks(this.container, this.messages);
    return this.ownLinks;
  }

  /** @throws AcqError `unsupported_format` when the member is in another file */
  child(name: string): Hdf5Object | undefined {
    return this.file.step(this, name, { left: MAX_LINKS });
  }

  get dataset(): Dataset {
    this.ownDataset ??= new Dataset(this.container, this.messages, this.path);
    return this.ownDataset;
  }

  get attributeNames(): string[] {
    return [...this.attributes.keys()];
  }

  attribute(name: string): Hdf5Value | undefined {
    return this.attributes.get(name)?.();
  }

  /** Returns the text of an attribute: one string, or an array of characters (Imaris). */
  text(name: string): string | undefined {
    const value = this.attribute(name);
    if (!value?.texts) return undefined;
    const { texts } = value;
    if (texts.length < 2 || texts.some((text) => text.length > 1)) return texts[0];
    return decodeName(toLatin1(texts.join('')));
  }

  /** Returns the first number of an attribute, stored as a number or as text. */
  number(name: string): number | undefined {
    const value = this.attribute(name);
    if (value?.numbers) return value.numbers[0];
    const text = this.text(name)?.trim();
    if (text === undefined || text === '') return undefined;
    const number = Number(text.replace(',', '.'));
    return Number.isNaN(number) ? undefined : number;
  }

  private get attributes(): Map<string, () => Hdf5Value> {
    this.ownAttributes ??= readAttributes(this.container, this.messages);
    return this.ownAttributes;
  }

  private get messages(): Message[] {
    this.read ??= readMessages(this.container, this.address);
    return this.read;
  }
}
