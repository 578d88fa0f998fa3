import { EXTENSION_PATTERN } from '@acquisition-store/client/contract/open.js';
import { grouped, oneOf, plural } from '@acquisition-store/readers/base/wording.js';

/** One fault of a request. */
export interface Fault {
  /** Stable kind; `details[].type`. */
  type: string;
  /** Where, inside the body, the address or the query; empty for the whole. */
  path: string[];
  limit?: number;
  pattern?: string;
  /** What is wrong, where `type` is not enough to say it. */
  text?: string;
  /** Valid values or fields. */
  allowed?: string[];
}

/** Says what is wrong and what would be valid: `` `path` must be absolute, for example /data/scan.oir ``. */
export function describeFault(root: string, fault: Fault): string {
  const name = root === 'path' ? `${fieldName(fault.path)} in the address` : fieldName(fault.path);
  return `${name} ${rule(fault)}`;
}

/** Returns `` `channelIndices[0]` ``, or "The body" for the whole. */
function fieldName(path: readonly string[]): string {
  if (path.length === 0) return 'The body';
  const [first, ...rest] = path.map((part) => part.slice(0, 100));
  return `\`${first}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}\``;
}

function rule({ type, path, limit = 0, pattern, text, allowed = [] }: Fault): string {
  if (text !== undefined) return text;
  switch (type) {
    case 'missing':
      return path.length === 0 ? 'is missing. Send a JSON object' : 'is required';
    case 'extra_forbidden':
      return `is not a field of this request${allowed.length > 0 ? `. Valid fields: ${listed(allowed)}` : ''}`;
    case 'literal_error':
      return `must be ${oneOf(allowed.map((value) => `"${value}"`))}`;
    case 'string_too_short':
      return limit === 1 ? 'must not be empty' : `must have at least ${plural(limit, 'character')}`;
    case 'string_too_long':
      return `must have at most ${plural(limit, 'character')}`;
    case 'string_pattern_mismatch':
      return pattern === EXTENSION_PATTERN
        ? 'must start with a dot and have no spaces or slashes, for example ".tif"'
        : 'has an invalid format';
    case 'too_long':
      return `must have at most ${plural(limit, 'entry', 'entries')}`;
    case 'too_short':
      return `must have at least ${plural(limit, 'entry', 'entries')}`;
    case 'greater_than_equal':
      return `must be at least ${grouped(limit)}`;
    case 'less_than_equal':
      return `must be at most ${grouped(limit)}`;
    case 'greater_than':
      return `must be greater than ${limit}`;
    case 'path_nul':
      return 'must not contain a NUL character';
    case 'file_name':
      return 'must be the name of a file, without a folder';
    case 'path_not_absolute':
      return `must be absolute, for example ${EXAMPLE_PATH}`;
    default:
      return RULES[type] ?? 'is not valid';
  }
}

const EXAMPLE_PATH = process.platform === 'win32' ? 'C:\\data\\scan.oir' : '/data/scan.oir';

const RULES: Record<string, string> = {
  dict_type: 'must be a JSON object',
  list_type: 'must be a list',
  string_type: 'must be text',
  int_type: 'must be a whole number',
  int_from_float: 'must be a whole number, without a fraction',
  int_parsing: 'must be a whole number',
  float_type: 'must be a number',
  finite_number: 'must be a finite number',
  bool_type: 'must be true or false',
};

function listed(names: readonly string[]): string {
  return oneOf(names.map((name) => `\`${name}\``)).replace(/ or ([^ ]*)$/, ' and $1');
}
