import type { FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';

/** Gives request and reply the types of their schemas. */
export interface TypeBoxTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}
