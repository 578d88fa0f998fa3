/** Planes that are not shown, for pictures of them in the display of the view. Nothing is kept. */
import { signal } from '@preact/signals';
import { fetchPlane } from '../app/fetch-plane.ts';
import type { ChannelView } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { type Place, planePlace } from '../stack/place.ts';
import type { CardChoice, PictureSource } from './card-picture.ts';

export type ReadPlane = (channel: ChannelView, place: Place, stopped: AbortSignal) => Promise<Samples>;

/** Reads planes of what is open now. */
export function planeReader({ document }: Pick<PictureSource, 'document'>): ReadPlane {
  const [opened, info] = [document.opened.peek(), document.info.peek()];
  return (channel, place, stopped) =>
    fetchPlane(opened, { kind: 'source', channel: channel.index, ...planePlace(info, place) }, { signal: stopped });
}

/** Reads the planes of channels at a place, each once, by channel. */
export async function readPlanes(
  channels: readonly ChannelView[],
  place: Place,
  read: ReadPlane,
  stopped: AbortSignal,
): Promise<ReadonlyMap<number, Samples>> {
  const once = new Map(channels.map((channel) => [channel.index, channel] as const));
  const planes = [...once].map(async ([index, channel]) => [index, await read(channel, place, stopped)] as const);
  return new Map(await Promise.all(planes));
}

/** Returns the card and its pane with other samples, in the display of the view. */
export function withPlanes(source: PictureSource, card: CardChoice, planes: ReadonlyMap<number, Samples>) {
  const replaced = new Map(
    card.channels.map((channel) => {
      const data = signal(planes.get(channel.index) ?? null);
      const ready = signal({ state: 'ready' } as const);
      return [channel.index, { ...channel, data, slab: signal(null), coming: signal(null), load: ready }];
    }),
  );
  const use = (channel: ChannelView) => replaced.get(channel.index) ?? channel;
  const pane = { ...source.pane, channels: source.pane.channels.map(use) };
  return { source: { ...source, pane }, card: { ...card, channels: card.channels.map(use) } };
}

/** True when the page has only parts of the planes of a card. */
export const isFarCard = ({ channels }: CardChoice) => channels.some(({ far }) => far.value !== null);
