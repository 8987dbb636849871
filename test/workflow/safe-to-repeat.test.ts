import { describe, expect, it } from '@jest/globals';
import { isSafeToRepeat } from '../../workflows/safe-to-repeat.ts';
import type { CronCommand } from '../../workflows/cron-job/commands.ts';
import type { Command } from '../../workflows/job/commands.ts';

const why = { rule: 'J-4.11', message: 'counted' } as const;

function release(pods: number): Command {
  const refs = Array.from({ length: pods }, (_none, pod) => ({ uid: `uid-${pod}`, name: `pi-${pod}` }));
  return { kind: 'ReleasePods', pods: refs, why };
}

const append: Command = { kind: 'EmitEvents', events: [], why };

describe('the check whether a workflow may send commands by a local activity', () => {
  it.each([
    { message: 'no commands', commands: [], isSo: true },
    { message: 'commands on no pod', commands: [append], isSo: true },
    { message: 'commands on twenty pods', commands: [release(15), append, release(5)], isSo: true },
    { message: 'commands on more than twenty pods', commands: [release(15), release(6)], isSo: false },
    {
      message:
        'the deletion of a pod, which a repeated step would take for the deletion of another client (J-4.19)',
      commands: [
        append,
        { kind: 'DeletePods', untrack: false, pods: [{ uid: 'a', name: 'a' }], why } as Command,
      ],
      isSo: false,
    },
    {
      message: 'the start of a Job, beside which a repeated step may start another Job (J-9.36)',
      commands: [{ kind: 'CreateJob', name: 'tick-1', scheduledAt: '', annotation: '', why } as CronCommand],
      isSo: false,
    },
  ])('permits only commands that are safe to repeat, $message: $isSo', ({ commands, isSo }) => {
    expect(isSafeToRepeat(commands)).toBe(isSo);
  });
});
