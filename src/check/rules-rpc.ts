/**
 * What JSON-RPC demands of every connection, whatever it speaks.
 */
import { faultIf, on, type Rule } from './rule.js';

export const rpcRules: readonly Rule[] = [
  {
    number: 'J.1',
    versions: [1, 2],
    name: 'answered-once',
    title: 'Each request is answered once',
    section: 'JSON-RPC 2.0: Response object',
    find: on('surplus', ({ id }) => faultIf(true, 'one response to each request', `a response to ${id}, which no open request has`)),
  },
  {
    number: 'J.2',
    versions: [1, 2],
    name: 'own-id',
    title: 'A request has an id that no open request of its sender has',
    section: 'JSON-RPC 2.0: Request object',
    find: on('reused', ({ id, method }) => faultIf(true, 'an id of its own', `${method} under ${id}, which is not answered yet`)),
  },
];
