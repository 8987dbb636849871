import { pino } from 'pino';
import { takeOverOthers } from '../../services/dispatcher/take-over.ts';

const runOf = (cluster: string, uid: string): { job: { cluster: string; uid: string } } => ({
  job: { cluster, uid },
});

describe('runs started by another build', () => {
  const log = pino({ level: 'silent' });

  it('are taken over once workers of this build poll for tasks, and wait for their own until then', async () => {
    const taken: string[] = [];
    const served = new Set(['east']);
    const dependencies = {
      others: () =>
        Promise.resolve(
          [runOf('east', 'a'), runOf('west', 'b')].filter(({ job }) => !taken.includes(job.uid)),
        ),
      isServed: (cluster: string) => Promise.resolve(served.has(cluster)),
      takeOver: ({ job }: { job: { uid: string } }) => Promise.resolve(taken.push(job.uid) > 0),
      log,
    };
    expect(await takeOverOthers(dependencies)).toBe(false);
    expect(taken).toEqual(['a']);
    served.add('west');
    expect(await takeOverOthers(dependencies)).toBe(true);
    expect(taken).toEqual(['a', 'b']);
  });

  it('are all taken over, however many there are', async () => {
    const taken = new Set<string>();
    await takeOverOthers({
      others: () => Promise.resolve(Array.from({ length: 25 }, (_none, at) => runOf('east', `job-${at}`))),
      isServed: () => Promise.resolve(true),
      takeOver: ({ job }) => {
        taken.add(job.uid);
        return Promise.resolve(true);
      },
      log,
    });
    expect(taken.size).toBe(25);
  });
});
