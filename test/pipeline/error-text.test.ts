import { expect, test } from 'vitest';
import { errorText } from '../../src/pipeline/error-text.js';

test('an error is shown with where it came from, a JSON error without what it quotes', () => {
  expect(errorText(new Error('broken'))).toMatch(/^Error: broken\n\s+at /);
  const bare = new Error('broken');
  delete bare.stack;
  expect(errorText(bare)).toBe('broken');
  expect(errorText(new SyntaxError('Unexpected token s, "{"token":secret}" is not valid JSON'))).toBe('text that is not JSON');
});

test('what is no error is named by its type only', () => {
  expect([errorText('secret'), errorText(undefined), errorText({ secret: 1 })]).toEqual(['expected an Error to be thrown, got string', 'expected an Error to be thrown, got undefined', 'expected an Error to be thrown, got object']);
});
