import { UnavailableError } from '../../services/adapters/errors.ts';
import { eventName } from '../../services/worker/command/emit-events.ts';
import { emitOnJob } from '../../services/worker/activities/job/emit-on-job.ts';
import { aCommandContext } from './a-command-context.ts';

const FIRST = { decision: 'local/uid/decision/1/chain/a', now: Date.UTC(2026, 0, 2, 3, 4, 5), command: 0 };

describe('the name of an Event on a Job', () => {
  it('is the name of the Job and the instant in hexadecimal nanoseconds (J-7.1)', () => {
    const [job, suffix = ''] = eventName('pi', FIRST, 0).split('.');
    expect(job).toBe('pi');
    expect(suffix).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(`0x${suffix}`) / 1_000_000n).toBe(BigInt(FIRST.now));
  });

  it('is the same when the command is repeated, and differs for another decision', () => {
    expect(eventName('pi', { ...FIRST }, 3)).toBe(eventName('pi', FIRST, 3));
    expect(eventName('pi', { ...FIRST, decision: 'local/uid/decision/2/chain/b' }, 3)).not.toBe(
      eventName('pi', FIRST, 3),
    );
  });

  it('sorts in the order of the commands, in which kubectl then lists Events of one second', () => {
    const later = { decision: 'local/uid/decision/2/chain/b', now: FIRST.now + 1, command: 0 };
    const done = [
      ...Array.from({ length: 500 }, (_none, at) => eventName('pi', FIRST, at)),
      eventName('pi', { ...FIRST, command: 1 }, 0),
      eventName('pi', { ...FIRST, command: 2 }, 0),
      eventName('pi', later, 0),
    ];
    expect(done.toSorted()).toEqual(done);
    expect(new Set(done).size).toBe(done.length);
  });
});

describe('a Job that cannot be read for its Events', () => {
  it('gets no Event, and no other command fails (J-7.1)', async () => {
    const context = aCommandContext();
    const warnings: unknown[] = [];
    context.log.warn = (fields: object) => void warnings.push(fields);
    context.recentJob = () => Promise.reject(new UnavailableError('cluster "east" did not answer'));
    await emitOnJob(context, [{ type: 'Normal', reason: 'Completed', message: 'Job completed' }]);
    expect(context.events).toEqual([]);
    expect(warnings).toEqual([{ job: 'default/pi', error: 'cluster "east" did not answer' }]);
  });
});
