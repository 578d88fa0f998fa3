/** Makes `readers.d.ts`, the types of `readers.js` in one file that imports nothing. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultServerConditions, type InlineConfig, runnerImport } from 'vite';

/** What is used of JSON Schema by the contract. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema | Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  description?: string;
}

/** Types that are declared in the sources, and their files in `packages/`. */
const DECLARED: Readonly<Record<string, readonly string[]>> = {
  'client/src/plane-body.ts': ['Progress', 'NativeSamples'],
  'client/src/acquisition.ts': ['CallOptions', 'ReadOptions', 'NativeOptions'],
  'client/src/analysis.ts': [
    ...['PlanePlace', 'PlaneWindow', 'WindowChoice', 'OverviewChoice', 'StatisticsChoice', 'ProfileChoice'],
    ...['ProfileArrays', 'TracesChoice', 'PlaneArray', 'NativeArray'],
  ],
  'client/src/measured.ts': ['MeasuredValues', 'PlaneColumns'],
  'client/src/choice.ts': ['OpenChoice', 'Dropped', 'SelectChoice'],
  'client/src/answers/describe.ts': ['ViewChoice'],
  'viewer/src/engine/page-acquisition.ts': ['StoreOptions', 'ZarrStore'],
  'viewer/src/engine/open-files.ts': ['Given', 'OpenFilesOptions'],
};
/** Types that follow from schemas, and their modules in the contract. */
const FROM_SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  open: ['OpenRequest', 'OpenResponse'],
  analysis: ['Statistics', 'ProfileResponse'],
  'vendor-metadata': ['VendorMetadata'],
};

/** The other packages as they are written, not as they were built. */
const conditions = ['source', ...defaultServerConditions];
const AS_WRITTEN: InlineConfig = {
  configFile: false,
  logLevel: 'error',
  resolve: { conditions },
  ssr: { resolve: { conditions }, noExternal: [/^@acquisition-store\//] },
};

/** @param packages their folder */
export async function readersTypes(packages: string): Promise<string> {
  const parts = [readFileSync(resolve(packages, 'viewer', 'readers.d.ts'), 'utf8').trim()];
  for (const [file, names] of Object.entries(DECLARED)) {
    const source = readFileSync(resolve(packages, file), 'utf8');
    parts.push(...names.map((name) => declarationOf(source, name)));
  }
  for (const [module, names] of Object.entries(FROM_SCHEMAS)) {
    const path = resolve(packages, 'client', 'src', 'contract', `${module}.ts`);
    const { module: schemas } = await runnerImport<Record<string, Schema>>(path, AS_WRITTEN);
    parts.push(...names.map((name) => `export type ${name} = ${typeText(schemas[name]!, '')};`));
  }
  return `${parts.join('\n\n')}\n`;
}

/** Returns the declaration of a type with the comment above it. */
function declarationOf(source: string, name: string): string {
  const found = new RegExp(
    `^(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?(?:export )?(?:interface ${name}\\b[^]*?\\n\\}|type ${name}\\b[^]*?;)(?=\\n\\n)`,
    'm',
  ).exec(source);
  if (!found) throw new Error(`the type ${name} was not found`);
  return found[0];
}

function typeText(schema: Schema, indent: string): string {
  const { anyOf, items, type } = schema;
  if (anyOf) return anyOf.map((one) => typeText(one, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array' && Array.isArray(items)) return `[${items.map((one) => typeText(one, indent)).join(', ')}]`;
  if (type === 'array' && items && !Array.isArray(items)) return `Array<${typeText(items, indent)}>`;
  if (type === 'object') return objectText(schema, indent);
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  return 'unknown';
}

function objectText({ properties, patternProperties, additionalProperties, required = [] }: Schema, indent: string) {
  const [values] = Object.values(patternProperties ?? {});
  const others = values ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  if (!properties) return `Record<string, ${others ? typeText(others, indent) : 'unknown'}>`;
  const inside = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `${inside}/** ${schema.description} */\n` : '';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${comment}${inside}${key}${required.includes(name) ? '' : '?'}: ${typeText(schema, inside)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}
