import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { effectOf, refusal } from '../../src/pipeline/verdicts.js';
import { answer, drop, instead, keep, refuse, replace, take, type Outcome, type RpcError, type Verdict } from '../../src/plugin.js';
import { Frame } from '../../src/wire/frame.js';

const request = Frame.ofCall('ask', { a: 1 }, '"i"');
const notification = Frame.ofCall('tell', { a: 1 });
const reply = Frame.ofReply('"i"', { result: 1 });
const error: RpcError = { code: 1, message: 'no' };
const read = (frame: Frame): unknown => JSON.parse(Buffer.from(frame.raw).toString());

describe('what a verdict does', () => {
  test('none: the message goes on as it is', () => {
    for (const frame of [request, notification, reply]) expect(effectOf(frame, undefined)).toEqual({ go: 'on', frame });
  });

  test('replace: other contents under the same id', () => {
    const effect = effectOf(request, replace({ method: 'ask2', params: 2 }));
    expect(effect.go === 'on' && read(effect.frame)).toEqual({ jsonrpc: '2.0', id: 'i', method: 'ask2', params: 2 });
    const partly = effectOf(notification, replace({ method: undefined, params: 2 }));
    expect(partly.go === 'on' && read(partly.frame)).toEqual({ jsonrpc: '2.0', method: 'tell', params: 2 });
    const failed = effectOf(reply, replace({ error }));
    expect(failed.go === 'on' && read(failed.frame)).toEqual({ jsonrpc: '2.0', id: 'i', error });
    const answered = effectOf(reply, replace({ result: 2, error: undefined }));
    expect(answered.go === 'on' && read(answered.frame)).toEqual({ jsonrpc: '2.0', id: 'i', result: 2 });
  });

  test('drop, take', () => {
    expect(effectOf(reply, drop())).toEqual({ go: 'nowhere' });
    expect(effectOf(request, take())).toEqual({ go: 'parked' });
  });

  test('instead: messages in this order, the one at hand as it is', () => {
    const effect = effectOf(request, instead({ method: 'before', params: 1 }, keep, { method: 'after', params: 2 }));
    expect(effect.go === 'pieces' && effect.frames[1]).toBe(request);
    expect(effect.go === 'pieces' && effect.frames.map(({ method }) => method)).toEqual(['before', 'ask', 'after']);
    expect(effectOf(notification, instead())).toEqual({ go: 'pieces', frames: [] });
  });

  test('answer, refuse: a response under its id', () => {
    const read1 = (outcome: Verdict): unknown => {
      const effect = effectOf(request, outcome);
      return effect.go === 'back' ? read(effect.reply) : effect;
    };
    expect(read1(answer({ ok: 1 }))).toEqual({ jsonrpc: '2.0', id: 'i', result: { ok: 1 } });
    expect(read1(answer(undefined))).toEqual({ jsonrpc: '2.0', id: 'i', result: null });
    expect(read1(refuse(error))).toEqual({ jsonrpc: '2.0', id: 'i', error });
  });
});

test.each<readonly [string, Frame, unknown, string]>([
  ['answer to a notification', notification, answer(1), 'answer() is for requests, got a notification'],
  ['refuse a reply', reply, refuse(error), 'refuse() is for requests, got a reply'],
  ['take a notification', notification, take(), 'take() is for requests, got a notification'],
  ['replace the result of a call', request, replace({ result: 1 }), 'replace() of a request takes method or params, got "result"'],
  ['replace the params of a reply', reply, replace({ params: 1 }), 'replace() of a reply takes result or error, got "params"'],
  ['a method that is no text', request, { do: 'replace', with: { method: 1 } }, 'replace() takes a method that is a string, got number'],
  ['instead without the request', request, instead({ method: 'x', params: 1 }), 'instead() needs `keep` exactly once for a request, got it 0 times'],
  ['instead with the reply twice', reply, instead(keep, keep), 'instead() needs `keep` exactly once for a reply, got it 2 times'],
  ['instead with a message without a method', notification, instead({} as never), 'expected a method that is a string, got undefined'],
  ['no verdict', request, true, 'a hook returns a verdict or nothing, got boolean'],
  ['null', request, null, 'a hook returns a verdict or nothing, got null'],
  ['an unknown verdict', request, { do: 'toString' }, 'a hook returns a verdict or nothing, got object'],
])('%s is an error of the plugin', (_name, frame, outcome, message) => {
  expect(() => effectOf(frame, outcome as Outcome)).toThrow(message);
});

describe('a failed hook where passing would be a lie', () => {
  const named = { code: -32603, message: 'plugin "p" failed on this message', data: { plugin: 'p' } };

  test('a request is answered', () => {
    const effect = refusal(request, 'p');
    expect(effect.go === 'back' && read(effect.reply)).toEqual({ jsonrpc: '2.0', id: 'i', error: named });
  });

  test('a reply is not lost', () => {
    const effect = refusal(reply, 'p');
    expect(effect.go === 'on' && read(effect.frame)).toEqual({ jsonrpc: '2.0', id: 'i', error: named });
  });

  test('a notification goes no further', () => expect(refusal(notification, 'p')).toEqual({ go: 'nowhere' }));
});
