/** Arbitrary JSON texts as no serialiser would write them: spaces, escapes, duplicate keys, odd numbers. */
import fc from 'fast-check';

const space = fc.constantFrom('', '', '', ' ', '\t', '  ', '\r');

/** A character of a string as it is, or as an escape. */
const written = (character: string, escape: boolean): string => {
  const code = character.charCodeAt(0);
  if (escape || code < 32 || character === '"' || character === '\\') return `\\u${code.toString(16).padStart(4, '0')}`;
  return character;
};

/** A JSON string with this value, some of its characters escaped. */
export const stringText = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(value, fc.array(fc.boolean(), { maxLength: 4 }), fc.constantFrom('', '', '', '\\"', '\\\\', '\\n'))
    .map(([text, escapes, tail]) => `"${[...text].flatMap((c) => c.split('')).map((c, i) => written(c, escapes[i] ?? false)).join('')}${tail}"`);

const plainKey = (key: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(`"${key}"`) }, { weight: 1, arbitrary: fc.array(fc.boolean(), { maxLength: 4 }).map((escapes) => `"${key.split('').map((c, i) => written(c, escapes[i] ?? false)).join('')}"`) });

export const names = ['method', 'id', 'params', 'update', 'sessionUpdate', 'result', 'error', 'jsonrpc', '__proto__', 'toString'];
const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names).chain(plainKey) }, { weight: 1, arbitrary: stringText(fc.string({ maxLength: 5 })) });

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('session/update', 'a', '"method":"x"', '\\', '{', '}]', 'é日本', '\u2028', ...names));
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('1.0', '1e3', '-0', '12345678901234567890', '1E+2', '0.10', '-1.50', '1e400'),
);

const around = (value: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.tuple(space, value, space).map((parts) => parts.join(''));

const { value, object } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: around(stringText(text)) },
    { weight: 2, arbitrary: around(number) },
    { weight: 1, arbitrary: around(fc.constantFrom('true', 'false', 'null')) },
    { weight: 3, arbitrary: around(tie('object')) },
    { weight: 1, arbitrary: around(tie('list')) },
  ),
  object: fc
    .tuple(space, fc.array(fc.tuple(around(key), tie('value')), { maxLength: 6 }))
    .map(([empty, members]) => `{${members.length === 0 ? empty : members.map(([k, v]) => `${k}:${v}`).join(',')}}`),
  list: fc.tuple(space, fc.array(tie('value'), { maxLength: 3 })).map(([empty, values]) => `[${values.length === 0 ? empty : values.join(',')}]`),
}));

/** A JSON text of an object, on one line. */
export const objectText = around(object);
/** Any JSON text, on one line. */
export const valueText = value;

const member = (name: string, texts: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.tuple(around(plainKey(name)), texts).map(([k, v]) => `${k}:${v}`);

/** The members of something like a session update, in any order, some twice. */
export const messageText = fc
  .shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1 })
  .chain((picks) =>
    fc.tuple(
      ...picks.map((pick) =>
        pick === 0
          ? member('jsonrpc', fc.constant('"2.0"'))
          : pick === 1
            ? member('method', fc.oneof(fc.constant('"session/update"'), fc.constant('"session\\u002fupdate"'), stringText(text)))
            : pick === 2
              ? member('id', fc.oneof(number, stringText(text), fc.constantFrom('null', '{}')))
              : pick <= 5
                ? member('params', fc.oneof(value, updateText()))
                : member(pick === 6 ? 'result' : 'method', value),
      ),
    ),
  )
  .map((members) => `{${members.join(',')}}`);

function updateText(): fc.Arbitrary<string> {
  const update = fc
    .array(fc.oneof(member('sessionUpdate', stringText(fc.constantFrom('tool_call', 'plan', ''))), member('content', value), member('sessionUpdate', value)), { maxLength: 3 })
    .map((members) => `{${members.join(',')}}`);
  return fc
    .array(fc.oneof(member('sessionId', fc.constant('"s"')), member('update', update), member('update', value)), { maxLength: 3 })
    .map((members) => `{${members.join(',')}}`);
}
