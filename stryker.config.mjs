// The mutated file's own test goes first (test/mutation/examples.test.cjs).
process.env.MUTATED = process.argv.at(-1);

/**
 * The mutation run (`npm run mutate -- workflows/job/decide/pods/backoff.ts`): changes a policy file in one place at a time, and
 * wants a test to fail. A change that no test can tell from the original is marked beside the line, with the reason.
 */
export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner', '@stryker-mutator/typescript-checker'],
  // A change that does not compile is found by `npm run types`.
  checkers: ['typescript'],
  tsconfigFile: 'test/mutation/tsconfig.json',
  jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.mjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  ignorePatterns: ['/build', '/docs', '/examples'],
  concurrency: 1,
  // After loading the modules this often, a process has grown by a gigabyte.
  maxTestRunnerReuse: 100,
  // Endless loops are detected by counting rounds; a slow machine must not look like one.
  timeoutMS: 120_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  allowConsoleColors: false,
  tempDirName: 'build/stryker',
  warnings: { slow: false },
  thresholds: { high: 100, low: 100, break: 100 },
};
