/** Traces less that of the background region, at each time point, section or line. */
import type { Trace, Traces } from './traces.ts';

/** Returns traces less the one of the background in the same channel, which stays as it is. */
export function subtractBackground({ along, traces }: Traces, background: string | null): Traces {
  const subtract = (trace: Trace): Trace => {
    const { mark, channel, values } = trace;
    const other = traces.find((one) => one.mark.id === background && one.channel === channel);
    if (other === undefined || mark.id === background) return trace;
    // Differences of float32, which a float64 holds.
    return { ...trace, values: Float64Array.from(values, (value, i) => value - other.values[i]!) };
  };
  return { along, traces: traces.map(subtract) };
}
