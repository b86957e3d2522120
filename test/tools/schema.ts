/** The strict validator of the product, in the form that tests use. */
import type { SchemaVersion } from '../../src/check/schema.js';
import { validate } from '../../src/edge/schema.js';

/** `v1-unstable` is what is accepted from v1 agents, `v1` what a v1 client is sent. */
export type Version = SchemaVersion;

/** What has to be known beside the message: the method of the request that a response answers. */
export interface Context {
  readonly method?: string;
}

/**
 * What is wrong with a message that a client of `version` was sent, one line per fault, empty if
 * nothing is. For a response, `context.method` is the method of the client's request.
 */
export const validateToClient = (version: Version, message: unknown, { method }: Context = {}): string[] => validate(version, 'client', message, method);

/** The same for a message that an agent of `version` was sent. */
export const validateToAgent = (version: Version, message: unknown, { method }: Context = {}): string[] => validate(version, 'agent', message, method);
