import { expect, test } from 'vitest';
import { Tally } from '../../src/edge/telemetry-losses.js';

function counting(advice?: string) {
  const said: string[] = [];
  const log = { error: () => {}, warn: (text: string) => void said.push(text), info: () => {}, debug: () => {} };
  return { said, tally: new Tally(['span', 'spans'], 'there', log, advice) };
}

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { syscall: 'connect', code: 'ECONNREFUSED' });

test('the first loss is named, the others are counted, and the end says how many', () => {
  const { tally, said } = counting();
  tally.made(5);
  tally.delivered(2);
  tally.lost(new Error('Bad Request\nand a long page'));
  tally.lost(new Error('Bad Gateway'));
  tally.report();
  expect(said).toEqual(['spans cannot be delivered to there: Bad Request; further losses are only counted', '3 spans were not delivered to there: Bad Gateway']);
});

test('what is lost at the end is named once', () => {
  const { tally, said } = counting();
  tally.made(1);
  tally.closing();
  tally.lost(Object.assign(new Error(''), { code: 'ECONNRESET' }));
  tally.report();
  expect(said).toEqual(['1 span was not delivered to there: ECONNRESET']);
});

test('nothing is said where all arrived, whatever was tried', () => {
  const { tally, said } = counting();
  tally.made(2);
  tally.tried(refused);
  tally.delivered(2);
  tally.report();
  tally.made(3);
  tally.deliveredAll();
  tally.report();
  expect(said).toEqual([]);
});

test('what is still under way at the end has the reason of its last attempt, or none', () => {
  const { tally, said } = counting();
  tally.made(1);
  tally.report();
  tally.tried(refused);
  tally.report();
  expect(said).toEqual(['1 span was not delivered to there: no answer in time', '1 span was not delivered to there: connect ECONNREFUSED 127.0.0.1:1']);
});

test('a place that does not take this at all gets the advice', () => {
  const { tally, said } = counting('; say no');
  tally.made(1);
  tally.lost(Object.assign(new Error('Not Found'), { code: 404 }));
  expect(said).toEqual(['spans cannot be delivered to there: Not Found; say no; further losses are only counted']);
});

test('that nobody is there counts from the end on', async () => {
  const { tally } = counting();
  const over = (): Promise<string> => Promise.race([tally.unreachable.then(() => 'nobody'), new Promise<string>((resolve) => setImmediate(resolve, 'somebody'))]);
  tally.tried(refused);
  expect(await over()).toBe('somebody');
  tally.closing();
  tally.tried(Object.assign(new Error('read ECONNRESET'), { syscall: 'read' }));
  expect(await over()).toBe('somebody');
  tally.tried(refused);
  expect(await over()).toBe('nobody');
});
