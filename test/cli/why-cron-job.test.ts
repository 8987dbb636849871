import { describe, expect, it } from '@jest/globals';
import { programWith } from '../../cli/main.ts';

describe('the verb why about a CronJob', () => {
  it('explains where a user finds the times of starts when the user gives no time', async () => {
    const program = await programWith(['why']);
    await expect(program.parseAsync(['why', 'cronjob/team/nightly'], { from: 'user' })).rejects.toThrow(
      'cronjob/NAME needs --start <time>, a time of its schedule, and neither --decision-number nor --index; "jobledger describe cronjob/team/nightly" lists the times',
    );
  });
});
