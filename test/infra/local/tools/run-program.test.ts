import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../../infra/local/tools/run-program.ts';

describe('a child program whose end the caller awaits', () => {
  const node = (script: string): (() => void) => {
    const env = { GREETING: 'hello' };
    return () => runProgram(process.execPath, ['-e', script], { cwd: '/', env });
  };

  it('runs in its folder, with additional environment variables beside those of the calling process', () => {
    expect(
      node(
        'if (process.cwd() !== "/" || process.env.GREETING !== "hello" || !process.env.PATH) process.exit(1)',
      ),
    ).not.toThrow();
  });

  it('is reported with its exit status and its error output when it fails', () => {
    expect(node('console.error("no room"); process.exit(3)')).toThrow(/ ended with status 3: no room$/);
  });

  it('is named in the error when it cannot be started', () => {
    expect(() => runProgram('jobledger-no-such-program', [])).toThrow(
      'jobledger-no-such-program cannot be started: ',
    );
  });
});
