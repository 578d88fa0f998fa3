/** Events of a session while its files are written: server-sent events, read with `fetch`. */
import type { ChangedEvent, EndedEvent, StateEvent } from './contract/events.js';
import { AcqClientError } from './errors.js';
import type { Transport } from './transport.js';

/**
 * What a session tells. `state` comes first, with the revision of the files now: `info.source.revision` while they are as
 * they were opened, null while their storage does not answer. `ended` comes last.
 */
export type AcquisitionEvent =
  | { type: 'state'; revision: StateEvent['revision'] }
  | { type: 'changed'; revision: ChangedEvent['revision'] }
  | { type: 'ended'; reason: EndedEvent['reason'] };

/** Max characters of one event: a server that sends more is another program. */
const MAX_EVENT = 65_536;

/** Yields events until the session ends. @throws AcqClientError `interrupted` when the connection ends before that */
export async function* readEvents(
  transport: Transport,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<AcquisitionEvent, void, undefined> {
  const response = await transport.send(path, { signal });
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      if (rest.length > MAX_EVENT) throw new AcqClientError('not_this_server', 'The response is not a list of events.');
      for (const event of blocks.map(toEvent)) {
        if (event) yield event;
        if (event?.type === 'ended') return;
      }
    }
    throw new AcqClientError('interrupted', 'The connection ended before the session did.');
  } catch (error) {
    throw await transport.failure(error, { signal });
  } finally {
    // Whoever stops listening closes the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Returns nothing for a comment, and for an event of a later version. */
function toEvent(block: string): AcquisitionEvent | undefined {
  const [, type, text] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  if (text === undefined) return undefined;
  const data = JSON.parse(text) as StateEvent & EndedEvent;
  if (type === 'state') return { type, revision: data.revision };
  if (type === 'changed' && data.revision !== null) return { type, revision: data.revision };
  return type === 'ended' ? { type, reason: data.reason } : undefined;
}
