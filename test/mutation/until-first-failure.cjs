const { TestEnvironment } = require('jest-environment-node');

/** One failed test kills a mutant: the tests after it are skipped. */
module.exports = class UntilFirstFailure extends TestEnvironment {
  #hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.#hasFailed = true;
    if (name === 'test_start' && this.#hasFailed) test.mode = 'skip';
  }
};
