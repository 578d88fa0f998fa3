/** The real command `acqstore mcp`, used as an assistant uses it: by the client of the SDK. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { COLD, MAIN, PACKAGED } from './cli.js';

/** Executable and first arguments of the command. */
const COMMAND: readonly [string, ...string[]] = PACKAGED ? [PACKAGED, 'mcp'] : [process.execPath, MAIN, 'mcp'];

/** What a tool answered. */
export interface Called {
  isError: boolean;
  /** The JSON text as it came. */
  text: string;
  data: Record<string, unknown>;
  png?: Buffer;
}

export interface Assistant {
  client: Client;
  pid: number;
  /** Standard error so far. */
  log: () => string;
  /** Calls a tool; `isError` may be true. */
  call: (name: string, input?: object) => Promise<Called>;
  /** Calls a tool, and returns its data. @throws Error with its message */
  ask: (name: string, input?: object) => Promise<Record<string, unknown>>;
}

/** Returns the environment of the command: a state folder of its own, and no settings of the user. */
function mcpEnv(stateHome: string, further: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ACQSTORE_'));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...COLD, XDG_STATE_HOME: stateHome, ...further };
}

/** Starts the command. Closing `client` ends it. */
export async function startAssistant(
  stateHome: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Assistant> {
  const [command, ...first] = COMMAND;
  const transport = new StdioClientTransport({
    command,
    args: [...first, ...args],
    env: mcpEnv(stateHome, env),
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (part: Buffer) => {
    log += part.toString();
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const call = async (name: string, input: object = {}) =>
    toCalled(await client.callTool({ name, arguments: input as Record<string, unknown> }));
  const ask = async (name: string, input: object = {}) => {
    const { isError, text, data } = await call(name, input);
    if (isError) throw new Error(text);
    return data;
  };
  return { client, pid: transport.pid as number, log: () => log, call, ask };
}

function toCalled(result: Awaited<ReturnType<Client['callTool']>>): Called {
  const content = result.content as { type: string; text?: string; data?: string; mimeType?: string }[];
  const text = content[0]?.text ?? '';
  const image = content.find(({ type, mimeType }) => type === 'image' && mimeType === 'image/png');
  return {
    isError: result.isError === true,
    text,
    data: JSON.parse(text) as Record<string, unknown>,
    ...(image?.data === undefined ? {} : { png: Buffer.from(image.data, 'base64') }),
  };
}
