import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { exitCodeFor } from '../../cli/failure.ts';

afterEach(() => void jest.restoreAllMocks());

describe('an error that no verb expects', () => {
  it('is reported as a fault of Jobledger, in one line without its stack', () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(exitCodeFor(new TypeError('pods is not iterable'))).toBe(1);
    expect(write.mock.calls.map(([text]) => String(text)).join('')).toBe(
      'jobledger: this is a fault in Jobledger; please report it: pods is not iterable; set NODE_DEBUG=jobledger to see the stack trace\n',
    );
  });
});
