/** Choice of the color table of a channel. */

import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { readLutFile } from '../luts/lut-file.ts';
import { LUTS, lutTable, tableLut } from '../luts/luts.ts';
import { addUserLut, type UserLut } from '../luts/user-luts.ts';
import type { ChannelView } from '../model/document.ts';
import { messageOf } from '../model/message-of.ts';
import { change } from './adjust.ts';
import { LutStrip } from './lut-strip.tsx';

/** The tables that the user has added. */
export type AddedLuts = Signal<readonly UserLut[]>;

interface LutProps {
  readonly channel: ChannelView;
  readonly luts: AddedLuts;
}

/** The color of a channel; where `choice` is true, pressing it opens the list of tables. */
export function LutDot({ channel, luts, choice }: LutProps & { readonly choice: boolean }) {
  const { lut, invert } = channel.display.value;
  return (
    <span class="contrast-dot">
      <span aria-hidden="true" style={{ backgroundImage: dotColors(lut, invert) }} />
      {choice && <LutSelect channel={channel} luts={luts} title="Color table" />}
    </span>
  );
}

/** Returns the colors of a table from low at the left to high; a ramp to one color is mostly that color. */
function dotColors(lut: string, invert: boolean): string {
  const table = lutTable(lut, invert);
  const stops = [96, 160, 224, 255].map((index) => `rgb(${table.subarray(3 * index, 3 * index + 3).join(' ')})`);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

function LutSelect({ channel, luts, title }: LutProps & { readonly title?: string }) {
  const { firstLut, display } = channel;
  const { lut } = display.value;
  const added = luts.value;
  const listed = lut === firstLut || [...LUTS, ...added].some(({ id }) => id === lut);
  return (
    <select
      aria-label={`Colors of ${channel.name}`}
      title={title}
      value={lut}
      onChange={(event) => change(channel, { lut: event.currentTarget.value })}
    >
      {firstLut.startsWith('#') && <option value={firstLut}>Color of the file</option>}
      {!listed && <option value={lut}>{lut.startsWith('#') ? lut : 'Table of the link'}</option>}
      {LUTS.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
      {added.length > 0 && (
        <optgroup label="Added">
          {added.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

export function Table({ channel, luts }: LutProps) {
  const { lut, invert } = channel.display.value;
  return (
    <>
      <div class="contrast-row">
        <LutSelect channel={channel} luts={luts} />
        <LutStrip lut={lut} invert={invert} />
        <label class="contrast-check">
          <input
            type="checkbox"
            checked={invert}
            aria-label={`Invert ${channel.name}`}
            onChange={(event) => change(channel, { invert: event.currentTarget.checked })}
          />
          Invert
        </label>
      </div>
      <AddedTables channel={channel} luts={luts} />
    </>
  );
}

/** Adds the table of a file, and removes the chosen one from the list. */
function AddedTables({ channel, luts }: LutProps) {
  const input = useRef<HTMLInputElement>(null);
  const problem = useSignal('');
  const { lut } = channel.display.value;
  const add = async (file: File) => {
    try {
      const id = tableLut(await readLutFile(file));
      problem.value = '';
      luts.value = addUserLut(luts.value, { id, name: file.name.replace(/\.[^.]*$/, '') || file.name });
      change(channel, { lut: id });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const remove = () => {
    luts.value = luts.value.filter(({ id }) => id !== lut);
    change(channel, { lut: channel.firstLut });
  };
  return (
    <>
      <div class="contrast-row">
        <button
          type="button"
          class="contrast-small"
          title="A .lut file of ImageJ or NIH Image, or text with red, green and blue"
          aria-label={`Add table…: ${channel.name}`}
          onClick={() => input.current?.click()}
        >
          Add table…
        </button>
        {luts.value.some(({ id }) => id === lut) && (
          <button
            type="button"
            class="contrast-small"
            title="Remove the chosen table from the list of this browser"
            aria-label={`Remove table: ${channel.name}`}
            onClick={remove}
          >
            Remove table
          </button>
        )}
        <input
          ref={input}
          type="file"
          hidden={true}
          accept=".lut,.txt,.csv,.tsv,.map"
          aria-label={`Color table file for ${channel.name}`}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = '';
            if (file) void add(file);
          }}
        />
      </div>
      {problem.value !== '' && (
        <p class="contrast-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
