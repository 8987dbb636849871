import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';

const [{ displayName: _name, runtime: _native, ...pure }] = config.projects;

/** What a mutation run asks: examples of the core. Random stories are slow, and find what examples should. */
export default {
  ...pure,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/mutation/examples.test.cjs'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The copy that is mutated is in the build folder.
  transformIgnorePatterns: pure.transformIgnorePatterns.filter((pattern) => pattern !== '/build/'),
  testEnvironment: fileURLToPath(new URL('until-first-failure.cjs', import.meta.url)),
};
