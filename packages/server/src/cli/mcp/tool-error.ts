/** Codes of errors that the HTTP API does not have; `docs/for-assistants.md` lists them. */
export type ToolErrorCode =
  | 'acquisition_not_open'
  | 'export_not_allowed'
  | 'result_too_large'
  | 'server_unreachable'
  | 'too_many_calls'
  | 'too_many_open';

/** Why a tool cannot do what was asked. The message says what to do. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolError';
    this.code = code;
  }
}
