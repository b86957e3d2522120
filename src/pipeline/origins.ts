/**
 * Who made or changed a message, and who let one go no further, for a recording. There is none where
 * nothing is recorded. Knows names and frames, no lanes.
 */
import type { Direction, Outcome } from '../plugin.js';
import type { Frame } from '../wire/frame.js';
import type { Outbox } from '../wire/outbox.js';
import type { Effect } from './verdicts.js';

/** What a message is known by: its method, and its id where it has one. */
export interface MessageName {
  readonly method: string | undefined;
  readonly id: string | undefined;
}

/** Who is told. A name is that of a plugin, or `plugin: rule`; they stand in the order in which the message met them. */
export interface OriginPort {
  /** The next line that is written in this direction was made or changed by these. */
  made(direction: Direction, by: readonly string[]): void;
  /** This message of a peer goes no further: these changed it, and the last one dropped, answered, or took it. */
  dropped(direction: Direction, message: MessageName, by: readonly string[]): void;
}

interface Origin {
  readonly by: readonly string[];
  /** The message that came from a peer and became this one. */
  readonly came: Frame | undefined;
}

const nameOf = ({ kind, method, idText }: Frame): MessageName => ({ method: kind === 'reply' ? undefined : method, id: idText });

/** The name of a plugin with its rule. */
export const actor = (plugin: string, rule: unknown): string => (typeof rule === 'string' ? `${plugin}: ${rule}` : plugin);

/** The frames that an effect puts in the place of a message. */
function framesOf(effect: Effect): readonly Frame[] {
  if (effect.go === 'on') return [effect.frame];
  return effect.go === 'pieces' ? effect.frames : [];
}

export class Origins {
  readonly #port: OriginPort;
  readonly #known = new WeakMap<Frame, Origin>();

  constructor(port: OriginPort) {
    this.#port = port;
  }

  /** A plugin made this frame. `from`: the one that it stands in place of. */
  made(frame: Frame, by: string, from?: Frame): void {
    const before = from === undefined ? undefined : this.#known.get(from);
    this.#known.set(frame, { by: [...(before?.by ?? []), by], came: from === undefined ? undefined : (before === undefined ? from : before.came) });
  }

  /** What a plugin's verdict made of a frame. */
  followed(direction: Direction, frame: Frame, plugin: string, outcome: Outcome, effect: Effect): void {
    if (effect.go === 'elsewhere' || effect.go === 'again') return;
    const by = actor(plugin, typeof outcome === 'object' ? outcome.rule : undefined);
    const frames = framesOf(effect);
    for (const one of frames) if (one !== frame) this.made(one, by, frame);
    if (effect.go === 'back') this.made(effect.reply, by);
    if (effect.go === 'pieces' ? !frames.includes(frame) : effect.go !== 'on') this.dropped(direction, frame, by);
  }

  /** This frame leaves now. What waits on its way out leaves before it: what is told is of the next line. */
  sent(direction: Direction, frame: Frame, outbox: Outbox): void {
    const by = this.#known.get(frame)?.by;
    if (by === undefined) return;
    outbox.flush();
    this.#port.made(direction, by);
  }

  /** This frame goes no further. One that a plugin made was never seen from outside. */
  dropped(direction: Direction, frame: Frame, by: string): void {
    const origin = this.#known.get(frame);
    const came = origin === undefined ? frame : origin.came;
    if (came !== undefined) this.#port.dropped(direction, nameOf(came), [...(origin?.by ?? []), by]);
  }
}
