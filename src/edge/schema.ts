/**
 * The strict validator with the schema files of `@agentclientprotocol/sdk`. Loaded late: its library
 * and the files take a while. Knows where the files are.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Validator } from '../check/index.js';
import { createValidate, type Validate } from '../check/schema.js';

/** What is wrong with one message by the schema of its method, one line a fault. */
export const validate: Validate = createValidate((path) =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/${path}`), 'utf8')) as Record<string, unknown>);

// From v1 agents the unstable form is accepted: the stable one lacks what they have long announced.
const schemas = { 1: 'v1-unstable', 2: 'v2' } as const;

/** The validator for `check`. */
export const strictValidator: Validator = {
  toClient: (version, message, method) => validate(schemas[version], 'client', message, method),
  toAgent: (version, message, method) => validate(schemas[version], 'agent', message, method),
};
