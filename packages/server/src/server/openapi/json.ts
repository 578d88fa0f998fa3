export type JsonValue = Json | JsonValue[] | string | number | boolean | null | undefined;
/** An object of a JSON document. */
export interface Json {
  [key: string]: JsonValue;
}

export function isObject(value: JsonValue): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
