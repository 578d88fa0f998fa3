/** What the strip says about the velocity: the median and its channel, or why there is none. */
import { planeAxes, rowsOf } from '../image/plane-axes.ts';
import type { Pane } from '../model/document.ts';
import { formatFixed, formatNumber, formatQuantity } from '../model/number-text.ts';
import type { ChannelQuality, VelocityResult } from './follow-velocity.ts';
import { velocityUnit } from './mark-records.ts';
import { markName } from './marks.ts';
import { goodVelocities, METHOD, medianVelocity } from './velocity-values.ts';

const qualityText = (quality: number) => formatFixed(quality, 2);

function shown({ compared, channel }: VelocityResult): ChannelQuality {
  return compared.find((one) => one.channel === channel)!;
}

/** True when the channel has too few bands for a velocity: no number without ground. */
export function isRefused(result: VelocityResult, minQuality: number): boolean {
  return !(shown(result).quality >= minQuality);
}

/** Returns the median, its channel and why that one, and how many windows it is from. */
export function summary(result: VelocityResult | null, pane: Pane, minQuality: number): string {
  if (result === null) return '';
  const rows = rowsOf(pane);
  const hasPauses = rows !== null && rows.gaps.length > 0;
  if (result.starts.length === 0) {
    if (!hasPauses) return 'The region has fewer than two lines.';
    return `No stretch between two pauses has ${formatNumber(result.lines)} lines. Choose a shorter window.`;
  }
  const where = result.mark === null ? '' : ` in ${markName(result.mark)}`;
  if (isRefused(result, minQuality)) return `No velocity${where}`;
  const good = goodVelocities(result, pane, minQuality);
  const count = good.filter(Number.isFinite).length;
  const median = `median ${formatNumber(medianVelocity(good))} ${velocityUnit(pane)}${where}${channelWords(result)}`;
  const across = hasPauses ? ', none across a pause' : '';
  return `${median} · ${formatNumber(count)} of ${formatNumber(result.starts.length)} windows${across}`;
}

/** Returns the method, and the size of its windows. */
export function methodWords(lines: number, pane: Pane): string {
  const { row } = planeAxes(pane);
  const duration = row.calibrated
    ? ` (${formatQuantity(lines * (rowsOf(pane)?.axis.typical ?? row.step), row.unit, 3)})`
    : '';
  return `${METHOD} in windows of ${formatNumber(lines)} lines${duration}, every ${Math.floor(lines / 2)} lines`;
}

function channelWords(result: VelocityResult): string {
  const { channel, quality } = shown(result);
  const others = result.compared.filter((one) => one.channel !== channel);
  if (others.length === 0) return '';
  const rest = others.map((one) => `${one.channel.name} ${qualityText(one.quality)}`).join(', ');
  const why = result.automatic ? ', which has the clearest bands' : '';
  return ` in ${channel.name}${why} (quality ${qualityText(quality)}; ${rest})`;
}

/** Returns why there is no velocity, and the channel that has one. */
export function refusal(result: VelocityResult, minQuality: number): { text: string; better: ChannelQuality | null } {
  const { channel, quality } = shown(result);
  const others = result.compared.filter((one) => one.channel !== channel);
  const rest = others.map((one) => ` ${one.channel.name}: ${qualityText(one.quality)}.`).join('');
  const better = others.find((one) => one.quality >= minQuality) ?? null;
  const advice = better === null ? ' Select a region in which cells pass, or change the window.' : '';
  return {
    text: `${channel.name} has no moving bands: median quality ${qualityText(quality)}, required ${minQuality}.${rest}${advice}`,
    better,
  };
}
