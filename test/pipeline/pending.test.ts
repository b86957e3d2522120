import { describe, expect, test } from 'vitest';
import { Asked, isId, OpenRequests, type Owner } from '../../src/pipeline/pending.js';

const owner: Owner = { name: 'p', replied: () => undefined };
const peer = (idText: string): Asked => new Asked(idText, 'toAgent', undefined);
const own = (idText: string): Asked => new Asked(idText, 'toAgent', owner);

function open(...asked: readonly Asked[]): OpenRequests {
  const requests = new OpenRequests();
  for (const one of asked) requests.add(one);
  return requests;
}

describe('a reply answers the request with its id', () => {
  test('of two with one id the first', () => {
    const [first, second, other] = [peer('1'), peer('1'), peer('2')];
    const requests = open(first, second, other);
    expect([requests.take('1'), requests.take('1'), requests.take('1'), requests.take('2')]).toEqual([first, second, undefined, other]);
    expect(requests.empty).toBe(true);
  });

  test('1 and "1", null and "null" stay apart; names of the language are ids like others', () => {
    const all = ['1', '"1"', 'null', '"null"', '0', '""', '"__proto__"', '"toString"'].map(peer);
    const requests = open(...all);
    expect(all.map(({ idText }) => requests.take(idText))).toEqual(all);
    expect(requests.take('"constructor"')).toBeUndefined();
  });

  test('an id may be answered in another form', () => {
    for (const [asked, answered] of [['1.0', '1'], ['1e3', '1000'], ['"\\u0061"', '"a"'], ['"a/b"', '"a\\/b"'], ['-0', '0']] as const) {
      const request = peer(asked);
      expect([asked, open(request).take(answered)]).toEqual([asked, request]);
    }
  });

  test('the same text comes before the same value', () => {
    const [rounded, exact] = [peer('12345678901234567890'), peer('12345678901234567891')];
    const requests = open(rounded, exact);
    expect(requests.take('12345678901234567891')).toBe(exact);
    expect(requests.take('12345678901234567891')).toBe(rounded);
  });

  test('find leaves it there', () => {
    const request = peer('1');
    const requests = open(request);
    expect([requests.find('1'), requests.find('1'), requests.find('2'), requests.take('1')]).toEqual([request, request, undefined, request]);
  });
});

test('the requests of plugins are counted, and kept when those of the peer are forgotten', () => {
  const mine = own('"a"');
  const requests = open(peer('1'), peer('"a"'), mine, peer('2'));
  expect(requests.own).toBe(1);
  requests.forgetPeer();
  expect([requests.take('1'), requests.take('"a"'), requests.own, requests.empty]).toEqual([undefined, mine, 0, true]);
});

test('of requests that are never answered the oldest are forgotten, never those of plugins', () => {
  const mine = own('"a"');
  const requests = open(mine, ...Array.from({ length: 20_000 }, (_, id) => peer(String(id))));
  expect([requests.take('0'), requests.take('19999')?.idText, requests.take('"a"')]).toEqual([undefined, '19999', mine]);
});

test('each place sees the request as it was there', () => {
  const asked = peer('1');
  asked.looksFrom(1, 'a', 10);
  asked.looksFrom(3, 'b', 20);
  expect([0, 1, 2, 3, 9].map((place) => asked.sightAt(place)?.method)).toEqual([undefined, 'a', 'a', 'b', 'b']);
  expect([asked.asSent.method, asked.asSent.seenAt]).toEqual(['a', 10]);
  expect(asked.onlySight).toBeUndefined();
});

test('a request that is the same on all its way is seen in one way', () => {
  const [whole, part] = [peer('1'), peer('2')];
  whole.looksFrom(0, 'a', 10);
  part.looksFrom(1, 'a', 10);
  expect([whole.onlySight?.method, part.onlySight]).toEqual(['a', undefined]);
});

test('requests that share one id are bounded like others, and the oldest of them go first', () => {
  const mine = own('7');
  const requests = open(peer('1'), mine, ...Array.from({ length: 20_000 }, () => peer('7')));
  expect(requests.take('1')).toBeUndefined();
  expect(requests.take('7')).toBe(mine);
  let left = 0;
  while (requests.take('7') !== undefined) left++;
  expect([left > 10_000 && left <= 16 * 1024, requests.empty]).toEqual([true, true]);
});

test('an id is a string, a number or null, and short enough to be remembered', () => {
  for (const text of ['1', '-1.5e3', '"a"', '""', 'null', '"\\u0000"', `"${'x'.repeat(1000)}"`]) expect([text, isId(text)]).toEqual([text, true]);
  for (const text of ['true', '{}', '[1]', 'nul', '1e', '01', '"\n"', `"${'x'.repeat(2000)}"`, '['.repeat(500) + ']'.repeat(500)]) expect([text, isId(text)]).toEqual([text, false]);
});
