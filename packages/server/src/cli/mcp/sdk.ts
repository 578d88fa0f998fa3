/** The SDK of the Model Context Protocol: an optional package, which only `acqstore mcp` loads. */
import { UsageError } from '../usage-error.js';

export interface Sdk {
  Server: typeof import('@modelcontextprotocol/sdk/server/index.js').Server;
  StdioServerTransport: typeof import('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport;
  CallToolRequestSchema: typeof import('@modelcontextprotocol/sdk/types.js').CallToolRequestSchema;
  ListToolsRequestSchema: typeof import('@modelcontextprotocol/sdk/types.js').ListToolsRequestSchema;
}

/** @throws UsageError when the package is not installed */
export async function loadSdk(): Promise<Sdk> {
  try {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    return { Server, StdioServerTransport, CallToolRequestSchema, ListToolsRequestSchema };
  } catch {
    throw new UsageError(
      'mcp requires the package @modelcontextprotocol/sdk, which is not installed. Run: npm install @modelcontextprotocol/sdk@1',
    );
  }
}
