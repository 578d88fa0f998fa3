/** Keeps where planes are stored, and says when a file stores two at one address: none overwrites another in silence. */

import type { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { PlaneAddress } from '../acquisition.js';

/** Which of several planes at one address is shown. */
export type KeptPlane = 'first' | 'last';

/** Planes at the address of another one. */
export interface Duplicates {
  count: number;
  /** Address of the first of them. */
  first: PlaneAddress;
}

/** Places of planes by their address. Entries that repeat a place contradict nothing. */
export class PlaneMap<Place> {
  private readonly sizes: { channels: number; Z: number };
  private readonly keep: KeptPlane;
  private readonly isSame: (a: Place, b: Place) => boolean;
  /** By scene and channel, then by T and Z: both numbers are exact for any sizes within the limits. */
  private readonly places = new Map<number, Map<number, Place>>();
  private found: Duplicates | undefined;
  private count = 0;

  /** @param sizes every address that is added or looked up is below them */
  constructor(
    sizes: { channels: number; Z: number },
    keep: KeptPlane,
    isSame: (a: Place, b: Place) => boolean = Object.is,
  ) {
    this.sizes = sizes;
    this.keep = keep;
    this.isSame = isSame;
  }

  /** The number of addresses that have a plane. */
  get size(): number {
    return this.count;
  }

  get duplicates(): Duplicates | undefined {
    return this.found;
  }

  add(address: PlaneAddress, place: Place): void {
    const stack = address.scene * this.sizes.channels + address.channel;
    const planes = this.places.get(stack) ?? new Map<number, Place>();
    this.places.set(stack, planes);
    const at = address.t * this.sizes.Z + address.z;
    const known = planes.get(at);
    if (known === undefined) this.count++;
    else if (!this.isSame(known, place)) this.found = { first: address, ...this.found, count: this.countOf() + 1 };
    if (known === undefined || this.keep === 'last') planes.set(at, place);
  }

  /** Returns the place of a plane, or `undefined` if none was added. */
  at({ scene, channel, t, z }: PlaneAddress): Place | undefined {
    return this.places.get(scene * this.sizes.channels + channel)?.get(t * this.sizes.Z + z);
  }

  /** Adds a warning if any plane was added to the address of another one. */
  noteDuplicates(notes: Notes): void {
    if (this.found) notes.add(describeDuplicates(this.found, this.keep));
  }

  private countOf(): number {
    return this.found?.count ?? 0;
  }
}

/** Returns the warning about planes that a file stores at the address of another one. */
export function describeDuplicates({ count, first }: Duplicates, shown: KeptPlane): string {
  const { scene, channel, t, z } = first;
  const at = [...(scene > 0 ? [`S = ${scene}`] : []), `T = ${grouped(t)}`, `Z = ${grouped(z)}`, `C = ${channel}`];
  return asInconsistent(
    `${count === 1 ? 'A plane has' : `${grouped(count)} planes have`} the time point, section and channel of another ` +
      `one (${count === 1 ? '' : 'the first: '}${at.join(', ')}). Showing the ${shown}${count === 1 ? '' : ' of each'}.`,
  );
}
