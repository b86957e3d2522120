import { describe, expect, it } from 'vitest';
import { askAfterMs, ending, initialEnding, killAfterMs, tellAfterMs, type EndingEvent } from '../../src/edge/ending.js';

const signal = (name: NodeJS.Signals, at: number): EndingEvent => ({ kind: 'signal', signal: name, at });
const clientEnded: EndingEvent = { kind: 'clientEnded' };
const clientGone: EndingEvent = { kind: 'clientGone' };
const timeUp: EndingEvent = { kind: 'timeUp' };
const agentGone: EndingEvent = { kind: 'agentGone' };

/** The effects of each event as short texts, and what we end by. */
function played(events: readonly EndingEvent[]): { effects: string[]; endBy: string | undefined } {
  let state = initialEnding;
  const effects: string[] = [];
  for (const event of events) {
    const [next, done] = ending(state, event);
    state = next;
    effects.push(done.map((effect) => (effect.do === 'signal' ? effect.signal : effect.do === 'wait' ? `wait ${effect.ms}` : effect.do)).join(', '));
  }
  return { effects, endBy: state.endBy };
}

const asked = (name: string): string => `${name}, wait ${killAfterMs}`;
const leaving = `endInput, wait ${askAfterMs}`;
const ended = `endInput, wait ${tellAfterMs}`;

describe('bringing the agent to its end', () => {
  it.each<[string, EndingEvent[], string[], string | undefined]>([
    ['the input ends', [clientEnded, agentGone], [ended, ''], undefined],
    ['an agent that goes on after the input is named, and goes on', [clientEnded, timeUp, agentGone], [ended, 'tell', ''], undefined],
    ['a client that is gone after its input', [clientEnded, clientGone, timeUp, timeUp, agentGone], [ended, leaving, asked('SIGTERM'), 'SIGKILL', ''], undefined],
    ['a signal after the input', [clientEnded, signal('SIGTERM', 9), timeUp], [ended, asked('SIGTERM'), 'SIGKILL'], 'SIGTERM'],
    ['the input ends while the agent is asked', [signal('SIGTERM', 0), clientEnded], [asked('SIGTERM'), 'endInput'], undefined],
    ['the input ends after the agent', [agentGone, clientEnded], ['', ''], undefined],
    ['a signal is passed on', [signal('SIGTERM', 0), agentGone], [asked('SIGTERM'), ''], undefined],
    ['an agent that ignores it is killed', [signal('SIGHUP', 0), timeUp, agentGone], [asked('SIGHUP'), 'SIGKILL', ''], 'SIGHUP'],
    ['a second signal kills', [signal('SIGINT', 0), signal('SIGINT', 500)], [asked('SIGINT'), 'SIGKILL'], 'SIGINT'],
    ['the same one at once is the same request', [signal('SIGINT', 0), signal('SIGINT', 499)], [asked('SIGINT'), ''], undefined],
    ['another one at once is passed on too', [signal('SIGINT', 0), signal('SIGTERM', 1), signal('SIGTERM', 2)], [asked('SIGINT'), 'SIGTERM', ''], undefined],
    ['nothing comes after the kill', [signal('SIGINT', 0), signal('SIGINT', 600), signal('SIGINT', 2000), timeUp], [asked('SIGINT'), 'SIGKILL', '', ''], 'SIGINT'],
    ['a client that is gone ends the input, asks, kills', [clientGone, timeUp, timeUp, agentGone], [leaving, asked('SIGTERM'), 'SIGKILL', ''], undefined],
    ['a client that is gone twice is told once', [clientGone, clientGone], [leaving, ''], undefined],
    ['a signal overtakes a client that is gone', [clientGone, signal('SIGTERM', 9)], [leaving, asked('SIGTERM')], undefined],
    ['a signal after the agent\'s own asking', [clientGone, timeUp, signal('SIGINT', 9)], [leaving, asked('SIGTERM'), asked('SIGINT')], undefined],
    ['a signal while the last bytes wait cuts them', [agentGone, signal('SIGTERM', 0)], ['', 'finish'], 'SIGTERM'],
    ['a copy of the signal that ended the agent does not', [signal('SIGTERM', 0), agentGone, signal('SIGTERM', 400)], [asked('SIGTERM'), '', ''], undefined],
    ['a client that is gone has no use for the last bytes', [agentGone, clientGone], ['', 'finish'], undefined],
    ['time up after the agent is gone', [signal('SIGTERM', 0), agentGone, timeUp], [asked('SIGTERM'), '', ''], undefined],
  ])('%s', (_, events, effects, endBy) => {
    expect(played(events)).toEqual({ effects, endBy });
  });
});
