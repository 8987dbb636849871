import { describe, expect, it } from '@jest/globals';
import { programWith } from '../../cli/main.ts';

describe('the verb what-if', () => {
  it.each([
    [['pi', '--all'], '--all asks about every Job: leave out the name, or leave out --all'],
    [[], 'name the Job, or give --all'],
  ])(
    'fails with the arguments %j, and the error names the argument to omit or to add',
    async (words, message) => {
      const program = await programWith(['what-if']);
      await expect(
        program.parseAsync(['what-if', ...words, '--set', 'backoffLimit=1'], { from: 'user' }),
      ).rejects.toThrow(message);
    },
  );
});
