import { describe } from 'vitest';
import { itKeepsEveryRule } from './keeps-every-rule.js';

describe('random conversations over three sessions, one half', itKeepsEveryRule);
