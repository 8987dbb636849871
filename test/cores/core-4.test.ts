import { beforeAll, describe, expect, it } from '@jest/globals';
import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { canonicalJson } from '../../workflows/job/definitions/digest.ts';
import { stepsOf } from '../../workflows/job/record/replay.ts';
import { randomStreams } from '../support/random-streams.ts';

const [core3, core4] = ['3', '4'].map((version) => JOB_CORES.of(version) ?? JOB_CORES.present) as [
  Core,
  Core,
];
let streams: JobEvent[][];

beforeAll(async () => {
  streams = await randomStreams(320, 4, core3);
}, 120_000);

/** What a core decides at each decision that stands, as text: commands, time to look again and reason to wait. */
function verdictsBy(core: Core, stream: readonly JobEvent[]): string[] {
  return [...stepsOf(stream, core)].map(({ before, events, decision: { data } }) => {
    const facts = events.flatMap((event) => core.compact(event) ?? []);
    const { commands, lookAgainAt, waiting } = core.decide(core.fold(before, facts), data.now, data.settings);
    return canonicalJson({ commands, lookAgainAt, waiting });
  });
}

/** The stream of a Job that has this annotation. */
function annotated(stream: readonly JobEvent[], name: string, value: string): JobEvent[] {
  return stream.map((event) => {
    if (event.type !== 'job.observed') return event;
    const { object } = event.data;
    const metadata = { ...object.metadata, annotations: { [name]: value } };
    return { ...event, data: { ...event.data, object: { ...object, metadata } } };
  });
}

function differing(change: (stream: JobEvent[]) => JobEvent[]): number {
  return streams
    .map(change)
    .filter((stream) => verdictsBy(core3, stream).join() !== verdictsBy(core4, stream).join()).length;
}

describe('a Job without annotations of ours', () => {
  it('is decided about by core 4 as by core 3 (J-12.8)', () => {
    expect(streams.flatMap((stream) => verdictsBy(core3, stream)).length).toBeGreaterThan(2000);
    expect(differing((stream) => stream)).toBe(0);
    expect(differing((stream) => annotated(stream, 'example.com/backoff-seconds', '1'))).toBe(0);
  });

  it('would be found to differ: each annotation changes decisions of some Jobs', () => {
    const [seconds, limit, events] = [
      ['jobledger.dev/backoff-seconds', '1'],
      ['jobledger.dev/failed-pods-limit', '0'],
      ['jobledger.dev/start-and-finish-events', 'true'],
    ].map(([name = '', value = '']) => differing((stream) => annotated(stream, name, value)));
    expect(seconds).toBeGreaterThan(0);
    expect(limit).toBeGreaterThan(0);
    expect(events).toBeGreaterThan(0);
  });
});

describe('the annotations of a Job whose stream core 3 began', () => {
  it('stay when an outcome of core 3, which does not have them, is folded', () => {
    const [stream = []] = streams.filter((each) =>
      each.some(
        ({ type, data }) =>
          type === 'command.answered' &&
          data.answer.kind === 'WriteStatus' &&
          data.answer.result === 'written',
      ),
    );
    const [observed] = annotated(stream, 'jobledger.dev/backoff-seconds', '1');
    const rest = stream.slice(stream.findIndex((event) => event.type === 'job.observed') + 1);
    const isRead = ({ type }: JobEvent): boolean => type !== 'job.observed';
    const events = [observed, ...rest.filter(isRead)].flatMap((event) => event ?? []);
    const last = [...stepsOf(events, JOB_CORES.present)].at(-1);
    expect(Number(last?.after.job?.resourceVersion)).toBeGreaterThan(Number(versionOf(observed)));
    expect(last?.after.job?.annotations).toEqual({ backoffSeconds: 1 });
  });
});

function versionOf(event: JobEvent | undefined): string {
  return event?.type === 'job.observed' ? event.data.object.metadata.resourceVersion : '';
}
