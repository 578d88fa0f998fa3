/**
 * Lets the program that started the server list and end sessions. The list names files and has the ids of sessions, which
 * no page may see: it goes over the pipes that only the two programs have, and no HTTP operation returns it.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import type { RunningServer } from '../server/listen.js';

const id = Type.Integer();
const Request = Type.Union([
  Type.Object({ id, method: Type.Literal('sessions') }),
  Type.Object({ id, method: Type.Literal('end-session'), sessionId: Type.String() }),
]);

/** Answers each line of the input, which is a JSON object, with one of the output. */
export function answerStarter(
  { openSessions }: Pick<RunningServer, 'openSessions'>,
  logger: Pick<Logger, 'info'>,
  { input, output }: { input: Readable; output: Writable } = { input: process.stdin, output: process.stdout },
): void {
  const answer = async (request: Static<typeof Request>): Promise<object> => {
    if (request.method === 'sessions') return openSessions.list();
    const { sessionId } = request;
    const ended = await openSessions.end(sessionId);
    if (ended) logger.info({ sessionId }, 'ended by the program that started the server');
    return { ended };
  };
  createInterface({ input }).on('line', async (line) => {
    const request = readRequest(line);
    const reply = request
      ? { id: request.id, ok: true, ...(await answer(request)) }
      : { id: null, ok: false, message: 'The line is not a request. Send {"id": 1, "method": "sessions"}.' };
    output.write(`${JSON.stringify(reply)}\n`);
  });
}

function readRequest(line: string): Static<typeof Request> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return Value.Check(Request, parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
