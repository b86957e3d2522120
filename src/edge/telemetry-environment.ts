/**
 * The environment as OpenTelemetry's SDK is to see it. The SDK reads `process.env`, which the agent
 * inherits, so our own variables are laid over it only while the SDK looks.
 */
import { OWN_PREFIX, type Environment } from './telemetry-wanted.js';

export type Variables = ReadonlyMap<string, string>;

/** The `OTEL_*` variables that `AFTERTURN_OTEL_*` sets for us. Empty ones count as unset. */
export function ownVariables(env: Environment): Variables {
  const prefix = `${OWN_PREFIX}OTEL_`;
  const own = Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith(prefix) && Boolean(entry[1]?.trim()));
  return new Map(own.map(([name, value]) => [name.slice(OWN_PREFIX.length), value]));
}

/** Runs `look`, which must not wait for anything, with these variables in place. */
export function withVariables<T>(own: Variables, look: () => T): T {
  const before = [...own.keys()].map((name) => [name, process.env[name]] as const);
  for (const [name, value] of own) process.env[name] = value;
  try {
    return look();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
