import { describe, expect, it } from 'vitest';
import { helpText } from '../../src/edge/help.js';
import { optionNames, optionRow, variableOf } from '../../src/edge/options.js';
import { subcommands } from '../../src/edge/subcommands.js';

describe('the help', () => {
  const text = helpText();

  it('names every option with its values, default and variable', () => {
    const folded = text.replace(/\s+/g, ' ');
    for (const name of optionNames) {
      const { value, default: fallback } = optionRow(name);
      expect(folded).toContain(`--${name} ${value}`);
      expect(folded).toContain(`(${variableOf(name)})`);
      if (typeof fallback === 'string' || typeof fallback === 'number') expect(folded).toContain(`Default: ${fallback}.`);
    }
  });

  it('names every subcommand', () => {
    for (const name of Object.keys(subcommands)) expect(text).toContain(`afterturn ${name} --help`);
  });

  it('fits a terminal', () => {
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});
