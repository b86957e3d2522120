// Lint rules: the ones that find mistakes which types and tests do not. Formatting is nobody's business here.
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Rules that need no types: for all files. */
const plain = {
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-duplicate-case': 'error',
  'no-fallthrough': 'error',
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-unreachable-loop': 'error',
  'no-unsafe-finally': 'error',
  'no-useless-escape': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  eqeqeq: 'error',
};

/** A switch over a union names every member, so a new one is an error here and not a silent default. */
const exhaustive = ['error', { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false }];

const typed = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', name: ['test', 'it', 'describe'], package: 'vitest' }] }],
  '@typescript-eslint/no-for-in-array': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true }],
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/prefer-promise-reject-errors': 'error',
  '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
  '@typescript-eslint/restrict-plus-operands': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': exhaustive,
  '@typescript-eslint/unbound-method': 'error',
};

const files = (pattern, project) => ({
  files: [pattern].flat(),
  languageOptions: { parser: tseslint.parser, parserOptions: { project, tsconfigRootDir: root } },
  plugins: { '@typescript-eslint': tseslint.plugin },
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: { ...plain, ...typed },
});

/** The edge, the launcher and the tests have side effects; nothing else has. */
const pure = { 'no-console': 'error', 'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'setImmediate'] };

export default [
  { ignores: ['**/node_modules/**', 'dist/**', 'test/corpus/**', 'test/bench/rig/**', 'test/bench/peers/**'] },
  files(['src/**/*.ts', 'plugins/**/*.ts'], './tsconfig.json'),
  files('src/report/page/**/*.ts', './src/report/page/tsconfig.json'),
  files('test/**/*.ts', './test/tsconfig.json'),
  // Tests take objects of functions apart; a lost `this` fails there by itself.
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/unbound-method': 'off' } },
  // A table of hooks holds hooks of any payload; `unknown` would not accept one that names its own.
  { files: ['src/plugin.ts'], rules: { '@typescript-eslint/no-explicit-any': 'off' } },
  { files: ['src/**/*.ts', 'plugins/**/*.ts'], ignores: ['src/edge/**'], rules: pure },
  { files: ['src/edge/**/*.ts'], rules: { 'no-console': 'error' } },
  { files: ['**/*.js', '**/*.mjs'], languageOptions: { ecmaVersion: 2024, sourceType: 'module' }, rules: { ...plain, 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] } },
  { files: ['bin/*.js'], languageOptions: { sourceType: 'commonjs' } },
];
