import { JOB_NAME_LABEL } from '../../workflows/kubernetes/names.ts';
import { createFaultyWatches, type FaultyWatches, type WatchFault } from './faulty-watches.ts';

const line = (type: string, name: string, version: number): string => {
  const labels = { [JOB_NAME_LABEL]: 'job' };
  const metadata = { name, uid: `uid-of-${name}`, resourceVersion: String(version), labels };
  return JSON.stringify({ type, object: { kind: 'Pod', metadata } });
};
const LINES = [
  line('ADDED', 'a', 1),
  line('ADDED', 'b', 2),
  line('BOOKMARK', '', 3),
  line('MODIFIED', 'a', 4),
];

/** What a reader of the lines gets, and how the stream ends. */
async function through(
  faulty: FaultyWatches,
  lines = LINES,
): Promise<{ texts: string[]; end: 'ended' | 'cut' }> {
  async function* source(): AsyncGenerator<string> {
    yield* lines;
  }
  const stream = faulty.through(source());
  const texts: string[] = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return { texts, end: value };
    texts.push(value);
  }
}

function armed(...faults: WatchFault[]): FaultyWatches {
  const faulty = createFaultyWatches();
  faulty.arm(faults);
  return faulty;
}

const whole = (...at: number[]): string[] => at.map((each) => `${LINES[each]}\n`);

describe('a watch through the test proxy', () => {
  it('passes unchanged when no fault is armed', async () => {
    const faulty = armed();
    expect(await through(faulty)).toEqual({ texts: whole(0, 1, 2, 3), end: 'ended' });
    expect([faulty.lost.size, faulty.outages]).toEqual([0, []]);
  });

  it('loses an event, which is an outage of the Job until a later event of the same object', async () => {
    const faulty = armed({ kind: 'lose', at: 0 });
    expect(await through(faulty)).toEqual({ texts: whole(1, 2, 3), end: 'ended' });
    expect([...faulty.lost]).toEqual(['uid-of-a/1']);
    expect(faulty.outages).toEqual([{ job: 'job', from: expect.any(Number), to: expect.any(Number) }]);
    expect(faulty.outages[0]?.to).not.toBe(Infinity);
  });

  it('loses an event, which is an outage of the Job until a later list of the same collection', async () => {
    const faulty = armed({ kind: 'lose', at: 2 });
    await through(faulty);
    const after = (faulty.outages[0]?.from ?? 0) + 1;
    const ends = (): number | undefined => faulty.outages[0]?.to;
    faulty.listed('/api/v1/pods', after - 1);
    faulty.listed('/apis/batch/v1/jobs', after);
    expect(ends()).toBe(Infinity);
    faulty.listed('/api/v1/pods', after);
    expect(ends()).not.toBe(Infinity);
    expect([...faulty.lost]).toEqual(['uid-of-a/4']);
  });

  it('has not lost an event whose version the API server sends again', async () => {
    const faulty = armed({ kind: 'lose', at: 2 });
    await through(faulty);
    await through(faulty, LINES.slice(3));
    expect([...faulty.lost]).toEqual([]);
  });

  it('repeats an event at once', async () => {
    expect((await through(armed({ kind: 'repeat', at: 1 }))).texts).toEqual(whole(0, 1, 1, 2, 3));
  });

  it('delays an event together with the events after it', async () => {
    const faulty = armed({ kind: 'delay', at: 1, ms: 20 });
    expect((await through(faulty)).texts).toEqual(whole(0, 1, 2, 3));
    const [outage = { from: 0, to: 0 }] = faulty.outages;
    expect(outage.to - outage.from).toBe(20);
    expect(Date.now()).toBeGreaterThanOrEqual(outage.to - 1);
  });

  it('is cut in the middle of a line', async () => {
    const { texts, end } = await through(armed({ kind: 'cut', at: 2 }));
    expect(texts.slice(0, -1)).toEqual(whole(0, 1, 2));
    expect(LINES[3]).toContain(texts.at(-1));
    expect(texts.at(-1)?.length).toBeLessThan(LINES[3]?.length ?? 0);
    expect(end).toBe('cut');
  });

  it('counts its events from the moment at which faults are armed, and counts the faults that happened', async () => {
    const faulty = armed({ kind: 'lose', at: 0 });
    await through(faulty);
    faulty.arm([
      { kind: 'lose', at: 1 },
      { kind: 'repeat', at: 9 },
    ]);
    expect((await through(faulty)).texts).toEqual(whole(0, 2, 3));
    faulty.disarm();
    for (let times = 0; times < 4; times += 1) await through(faulty);
    expect(faulty.counts).toEqual({ lose: 2, repeat: 0, delay: 0, cut: 0 });
  });
});
