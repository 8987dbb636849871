/** Tests with real servers. */
const SERVER_TESTS = [
  '<rootDir>/test/{integration,e2e,faults}/**/*.test.ts',
  '<rootDir>/test/cli/verbs.test.ts',
];

const shared = {
  testEnvironment: 'node',
  // Source trees of earlier versions (test/support/released-version.ts).
  modulePathIgnorePatterns: ['<rootDir>/build/'],
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: ['node_modules/(?!(@noble|cookie|jose)/)', '/build/'],
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'pure',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '/test/(integration|e2e|faults)/',
        '/test/cli/verbs.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'servers',
      testEnvironment: '<rootDir>/test/support/patient-environment.ts',
      testMatch: SERVER_TESTS,
      globalSetup: '<rootDir>/test/support/shared-servers/set-up-run.ts',
      globalTeardown: '<rootDir>/test/support/shared-servers/tear-down-run.ts',
      setupFiles: ['<rootDir>/test/support/own-ports.ts'],
    },
  ],
};
