import { describe, expect, it } from 'vitest';
import { run } from './session.js';

describe('the demo', () => {
  it('shows lists that fill and empty, a cancel, and the span of each item', async () => {
    const { stdout, code } = await run(['demo']);
    const text = stdout.toString();
    expect(code).toBe(0);
    expect(text).toContain('state     running, background: terminal call-server, terminal call-tests, tool_call call-survey');
    expect(text).toContain('terminal  call-tests exited with code 3');
    expect(text).toContain('terminal/cancel: stop the dev server');
    expect(text).toContain('state     idle, background: nothing');
    expect(text.match(/background (?:shell|workflow) /g)).toHaveLength(3);
  });

  it('refuses what it does not know, with exit code 2', async () => {
    for (const argument of ['--bogus', 'bogus']) {
      const { stderr, code } = await run(['demo', argument]);
      expect(code).toBe(2);
      expect(stderr).toContain('bogus');
    }
  });
});
