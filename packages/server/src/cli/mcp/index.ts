/** `acqstore mcp`: tools for assistants over standard input and output (Model Context Protocol). */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { packageVersion } from '../../package-files.js';
import { SchemaChecks } from '../../server/validation.js';
import { EXIT } from '../exit-codes.js';
import type { McpFlags } from '../flags.js';
import { complain } from '../message.js';
import { visible } from '../visible.js';
import { connectServer } from './connect.js';
import { DATA_TOOLS } from './data-tools.js';
import { ExportFolder } from './export-folder.js';
import { EXPORT_TOOL } from './export-tool.js';
import { FILE_TOOLS } from './file-tools.js';
import { instructions } from './instructions.js';
import { ServerLink } from './link.js';
import { OpenedAcquisitions } from './opened.js';
import { DEFAULT_ENTRIES, type ToolResult, toErrorResult, toText } from './results.js';
import { loadSdk, type Sdk } from './sdk.js';
import type { Context, Tool, ToolAnswer } from './tool.js';
import { ToolError } from './tool-error.js';
import { Turns } from './turns.js';

/** Max bytes of a message of the client: more than any request of the API can have. */
const MAX_MESSAGE_BYTES = 2 ** 20;
const FIRST_PAGE = { from: 0, count: DEFAULT_ENTRIES };

/** Answers the client until it closes standard input or a signal ends the program. Returns the exit code. */
export async function mcp(flags: McpFlags): Promise<number> {
  // Standard output is for the protocol alone.
  console.log = console.error;
  const sdk = await loadSdk();
  const exportFolder = flags.exportFolder === undefined ? undefined : new ExportFolder(flags.exportFolder);
  const stop = new AbortController();
  const link = new ServerLink(() => connectServer(flags));
  const acquisitions = new OpenedAcquisitions(link);
  const gone = clientGone();
  try {
    await link.ready();
    const context = { link, acquisitions, ...(exportFolder ? { exportFolder } : {}), signal: stop.signal };
    const { closed, close } = await answerClient(sdk, context);
    await Promise.race([gone, closed]);
    stop.abort(new Error('the client has ended'));
    await close();
  } finally {
    await acquisitions.closeAll();
    await link.close();
  }
  return EXIT.ok;
}

/** Answers the client from now on. `closed` resolves when that has ended, for example after a message that is too long. */
async function answerClient(
  { Server, StdioServerTransport, ListToolsRequestSchema, CallToolRequestSchema }: Sdk,
  context: Context,
): Promise<{ closed: Promise<void>; close: () => Promise<void> }> {
  const tools = [...FILE_TOOLS, ...DATA_TOOLS, ...(context.exportFolder ? [EXPORT_TOOL] : [])];
  const info = { name: 'acquisition-store', title: 'Acquisition Store', version: packageVersion() };
  const server = new Server(info, {
    capabilities: { tools: {} },
    instructions: instructions(context.exportFolder?.path),
  });
  server.onerror = (error) => complain(visible(error.message));
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describeTool) }));
  const call = toolCaller(tools, context);
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => call(params, signal));
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  await server.connect(transport);
  return { closed, close: () => server.close() };
}

/** Resolves when nobody reads the answers any more, or a signal ends the program. A second signal ends it at once. */
function clientGone(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve).once('error', resolve);
    // Several answers may be on their way when the client disappears.
    process.stdout.on('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function describeTool({ name, title, description, input, writes = false }: Tool) {
  const annotations = { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false };
  return { name, title, description, inputSchema: input as typeof input & { type: 'object' }, annotations };
}

type CallTool = (params: { name: string; arguments?: unknown }, signal: AbortSignal) => Promise<ToolResult>;

/** Returns what calls tools: checks their input, a few at a time, and turns errors into results. */
function toolCaller(tools: readonly Tool[], context: Context): CallTool {
  const checks = new SchemaChecks();
  const turns = new Turns();
  const checked = new Map(
    tools.map((tool) => {
      const { input: schema } = tool;
      return [tool.name, { tool, check: checks.request({ schema }) }];
    }),
  );
  return async ({ name, arguments: input = {} }, signal) => {
    try {
      const found = checked.get(name);
      if (!found) throw new AcqError('not_found', `Unknown tool. Tools: ${[...checked.keys()].join(', ')}.`);
      const result = found.check(input) as { value?: unknown; error?: Error };
      if (result.error) throw result.error;
      const either = AbortSignal.any([context.signal, signal]);
      return toResult(await turns.take(either, () => found.tool.run(result.value, { ...context, signal: either })));
    } catch (error) {
      return toErrorResult(afterEnd(error, input, context) ?? error, complain);
    }
  };
}

/** Forgets an acquisition whose session the server has ended, and returns what to tell the assistant. */
function afterEnd(error: unknown, input: unknown, { acquisitions }: Context): ToolError | undefined {
  if (!(error instanceof AcqError && /^session_(?:not_found|ended)$/.test(error.code))) return undefined;
  acquisitions.forget((input as { acquisition: string }).acquisition);
  return new ToolError('acquisition_not_open', 'The server has closed this acquisition. Open it again.', error);
}

function toResult({ data, picture, page = FIRST_PAGE }: ToolAnswer): ToolResult {
  const text = { type: 'text', text: toText(data, page) } as const;
  if (!picture) return { content: [text] };
  return { content: [text, { type: 'image', data: Buffer.from(picture).toString('base64'), mimeType: 'image/png' }] };
}
