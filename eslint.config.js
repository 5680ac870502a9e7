// Lint rules: what the type checker cannot say. Formatting is prettier's; layers are test/tidy's.
import tseslint from 'typescript-eslint';

const ambient = (name, instead) => ({
  selector: name,
  message: `time, randomness and timers come from src/stdx: use ${instead}`,
});

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'data/', '.node/', 'tap-snapshots/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        // The test runner keeps the promises of its own calls.
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-var': 'error',
      'no-console': 'error',
      'max-lines': ['error', { max: 600 }],
      // Counted as they stand, comments and blank lines too.
      'max-lines-per-function': ['error', { max: 70 }],
      'max-params': ['error', { max: 6 }],
    },
  },
  {
    files: ['src/**/*.ts', 'actors/**/*.ts', 'streams/**/*.ts'],
    ignores: ['src/stdx/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'].map(
          (name) => ({ name, message: 'timers come from src/stdx/clock.ts' }),
        ),
      ],
      'no-restricted-syntax': [
        'error',
        ambient("MemberExpression[object.name='Date'][property.name='now']", 'Clock'),
        ambient("NewExpression[callee.name='Date'][arguments.length=0]", 'Clock'),
        ambient("MemberExpression[object.name='Math'][property.name='random']", 'Prng'),
        ambient("MemberExpression[object.name='performance'][property.name='now']", 'Clock'),
        ambient("CallExpression[callee.name='randomUUID']", 'Prng'),
        ambient("MemberExpression[object.name='crypto'][property.name=/^random/]", 'Prng'),
      ],
    },
  },
  {
    // Data: as long as what it describes.
    files: ['**/*.gen.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    // A describe block is a table of contents, not a function to keep short.
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // What they measured or found is for whoever started them.
    files: ['test/**/*.ts', 'bench/**/*.ts', 'generate/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
