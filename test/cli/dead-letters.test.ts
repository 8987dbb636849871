import { Command } from 'commander';
import { registerDeadLetters } from '../../cli/verbs/dead-letters/dead-letters.ts';

/** What the user reads. */
async function readRefusal(...options: string[]): Promise<string> {
  const program = new Command().exitOverride();
  registerDeadLetters(program);
  const [verb] = program.commands;
  verb?.exitOverride().configureOutput({ writeErr: () => undefined });
  const refused = program.parseAsync(['dead-letters', ...options], { from: 'user' });
  return refused.then(
    () => 'accepted',
    (error: unknown) => String(error),
  );
}

describe('the position of a dead letter', () => {
  it.each([
    [['--partition', '2147483648', '--offset', '1'], 'from 0 to 2147483647'],
    [['--partition', '-1', '--offset', '1'], 'from 0 to 2147483647'],
    [['--partition', '1', '--offset', '9223372036854775808'], 'from 0 to 9223372036854775807'],
    [['--partition', '1', '--offset', 'x'], 'from 0 to 9223372036854775807'],
  ])('may not be %j, and the error gives the valid numbers', async (options, range) => {
    expect(await readRefusal(...options)).toContain(range);
  });
});
