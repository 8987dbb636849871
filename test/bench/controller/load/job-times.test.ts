import type { Job, Pod } from '../../../../workflows/kubernetes/objects.ts';
import {
  finishedJobs,
  noteJob,
  notePod,
  noteRows,
  requestedAt,
  timeFigures,
  type TimesByName,
} from './job-times.ts';

function pod(job: string, uid: string, phase: string): Pod {
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: job, uid: job, controller: true }];
  return {
    metadata: { uid, ownerReferences },
    spec: { containers: [] },
    status: { phase },
  } as unknown as Pod;
}

function complete(name: string): Job {
  const conditions = [{ type: 'Complete', status: 'True' }];
  return { metadata: { name, uid: `uid of ${name}` }, spec: {}, status: { conditions } } as unknown as Job;
}

/** Two Jobs of one pod; the second takes twice as long. */
function twoJobs(): TimesByName {
  const times: TimesByName = new Map([
    ['one', requestedAt(1000)],
    ['two', requestedAt(1000)],
  ]);
  notePod(times, pod('one', 'a', 'Pending'), 1500);
  notePod(times, pod('two', 'b', 'Pending'), 2000);
  notePod(times, pod('one', 'a', 'Succeeded'), 2500);
  notePod(times, pod('one', 'a', 'Succeeded'), 2900);
  notePod(times, pod('two', 'b', 'Succeeded'), 4000);
  noteJob(times, complete('one'), 3000);
  noteJob(times, complete('two'), 5000);
  return times;
}

describe('the measured times of Jobs', () => {
  it('give the throughput from the first request to the last terminal condition', () => {
    expect(timeFigures(twoJobs())).toMatchObject({
      'whole run (s)': 4,
      'Jobs/s': 0.5,
      'pods/s': 0.5,
      'pods a Job': 1,
    });
  });

  it('give the latencies of the first pod, of the terminal condition, and between the last pod and that condition', () => {
    expect(timeFigures(twoJobs())).toMatchObject({
      'creation to first pod: p50 (s)': 0.75,
      'creation to terminal condition: p50 (s)': 3,
      "last pod's end to terminal condition: p50 (s)": 0.75,
    });
  });

  it('give the delay of the tables when the tables were queried', () => {
    const times = twoJobs();
    expect(timeFigures(times)).not.toHaveProperty(['terminal condition to its row in SQL: p50 (s)']);
    noteRows(times, new Set(['uid of one']), 3250);
    noteRows(times, new Set(['uid of one', 'uid of two', 'another']), 5750);
    expect(timeFigures(times)).toMatchObject({ 'terminal condition to its row in SQL: p50 (s)': 0.5 });
  });

  it('count each Job once although the Job and its pods are reported twice', () => {
    const times = twoJobs();
    noteJob(times, complete('two'), 9000);
    notePod(times, pod('two', 'b', 'Succeeded'), 9000);
    expect(timeFigures(times)).toEqual(timeFigures(twoJobs()));
    expect(finishedJobs(times)).toBe(2);
  });

  it('omit objects of other runs', () => {
    const times = twoJobs();
    notePod(times, pod('three', 'c', 'Pending'), 9000);
    noteJob(times, complete('three'), 9000);
    expect(times.size).toBe(2);
  });
});
