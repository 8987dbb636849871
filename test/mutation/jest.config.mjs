import config from '../../jest.config.mjs';

const [{ displayName: _name, ...pure }] = config.projects;

/** What a mutation run asks: examples of the core. Random stories are slow, and find what examples should. */
export default {
  ...pure,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/job/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', 'laws\\.test\\.ts$'],
};
