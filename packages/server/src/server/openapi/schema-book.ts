import type { TSchema } from 'typebox';
import { isObject, type Json, type JsonValue } from './json.js';

/**
 * Collects the named schemas of the document: a schema with a title becomes an entry of `components.schemas` and a
 * reference to it.
 *
 * The contract closes every object, and the server checks its responses against that. The document keeps requests
 * closed but opens responses, so that clients generated today accept fields that are added later.
 */
export class SchemaBook {
  readonly schemas: Json = {};

  request(schema: TSchema): Json {
    return this.publish(plain(schema), false) as Json;
  }

  response(schema: TSchema): Json {
    return this.publish(plain(schema), true) as Json;
  }

  private publish(value: JsonValue, open: boolean): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.publish(item, open));
    if (!isObject(value)) return value;
    const { title, ...fields } = value;
    if (open && fields['additionalProperties'] === false) delete fields['additionalProperties'];
    const published = Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, this.publish(item, open)]));
    return typeof title === 'string' ? this.add(title, { title, ...published }) : published;
  }

  private add(name: string, schema: Json): Json {
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas of the contract have the name ${name}, or one is used in requests and responses`);
    }
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Copies a schema as JSON, without the kinds and checks that TypeBox adds. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
