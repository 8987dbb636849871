import type { JobEvent } from '../../workflows/job/events.ts';
import { at, START } from '../support/builders.ts';
import { aPlacementRecording } from './a-placement-recording.ts';
import { aRecording, type Recording } from './a-recording.ts';

/** Streams, and an index to ask about; the answer is the golden file of its name. */
export interface IndexSituation {
  name: string;
  events: readonly JobEvent[];
  index: number;
  /** By UID. */
  members: ReadonlyMap<string, readonly JobEvent[]>;
}

const INDEXED = { completionMode: 'Indexed', completions: 8, parallelism: 4 };
const ROOM = { room: 8 };

type Placement = ReturnType<typeof aPlacementRecording>;

function createSituation(
  name: string,
  index: number,
  { events }: Pick<Placement, 'events'>,
  members: Record<string, Recording> = {},
): IndexSituation {
  const streams = Object.entries(members).map(([uid, member]) => [uid, member.events] as const);
  return { name, index, events: events as unknown as JobEvent[], members: new Map(streams) };
}

/** A member with these indexes, as its own cluster records it. */
function aMemberWith(after: number, indexes: string): Recording {
  const recording = aRecording();
  recording.job(after, { ...INDEXED, parallelism: 2, annotations: { 'jobledger.dev/indexes': indexes } });
  recording.decides(after);
  return recording;
}

/** West has all indexes, four of them with a pod. */
function aWesternJob(fields: object = {}): Placement {
  const home = aPlacementRecording({ ...INDEXED, ...fields }, { spread: 'room' });
  home.under({ west: ROOM, north: { refused: 'it does not answer' } });
  home.job(0);
  home.decides(1);
  home.member(3, 'west', { active: 4, startTime: at(2) }, { number: 1, indexes: '0-7' });
  home.decides(3);
  return home;
}

/** West gives up the indexes that no pod has begun, and north gets them. */
function takenBack(): IndexSituation {
  const home = aWesternJob();
  home.under({ west: { room: 4 }, north: ROOM });
  home.decides(32);
  home.member(34, 'west', { active: 4, startTime: at(2) }, { number: 2, indexes: '0-3' });
  home.decides(34);
  home.member(
    50,
    'west',
    { active: 2, succeeded: 2, completedIndexes: '0,1', startTime: at(2) },
    { number: 2, indexes: '0-3' },
  );
  home.decides(50);
  const north = aMemberWith(51, '1:4-7');
  north.pod(52, { index: 4, ordinal: 0, created: 51 });
  north.pod(60, { index: 4, ordinal: 0, created: 51, phase: 'Failed', finished: 60 });
  north.decides(60);
  north.decides(70);
  north.pod(72, { index: 4, ordinal: 1, created: 70 });
  north.pod(80, { index: 4, ordinal: 1, created: 70, phase: 'Succeeded', finished: 80 });
  north.decides(80);
  home.member(
    81,
    'north',
    { active: 1, succeeded: 1, completedIndexes: '4', startTime: at(51) },
    { number: 1, indexes: '4-7' },
  );
  home.decides(81);
  return createSituation('index-taken-back', 4, home, {
    'west-1': aMemberWith(2, '1:0-7'),
    'north-2': north,
  });
}

/** The pod of index 2 in west is ended, because west is drained; it runs again in north. */
function drained(): IndexSituation {
  const home = aWesternJob();
  home.under(
    { west: { refused: 'cordoned' }, north: ROOM },
    { west: { cordoned: { by: 'ann', at: START + 19_000, drain: true } } },
  );
  home.decides(20);
  home.member(
    25,
    'west',
    {
      startTime: at(2),
      conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
    },
    { number: 1, indexes: '0-7' },
  );
  home.decides(26);
  home.decides(28);
  const west = aMemberWith(2, '1:0-7');
  west.pod(4, { index: 1, ordinal: 0, created: 3 });
  west.job(21, { suspend: true, generation: 2 });
  west.decides(21);
  return createSituation('index-drained', 1, home, { 'west-1': west });
}

/** A person says that west is lost. */
function lost(): IndexSituation {
  const home = aWesternJob();
  home.under(
    { west: { refused: 'lost' }, north: ROOM },
    { west: { lost: { by: 'ann', at: START + 19_000 } } },
  );
  home.decides(20);
  return createSituation('index-of-a-lost-cluster', 1, home, { 'west-1': aMemberWith(2, '1:0-7') });
}

/** The Job fails by its sums while the index has not run. */
function ended(): IndexSituation {
  const home = aWesternJob({ backoffLimit: 1 });
  home.member(9, 'west', { active: 4, failed: 2, startTime: at(2) }, { number: 1, indexes: '0-7' });
  home.decides(9);
  return createSituation('index-of-a-failed-job', 6, home, { 'west-1': aMemberWith(2, '1:0-7') });
}

/** No cluster can take the Job. */
function waiting(): IndexSituation {
  const home = aPlacementRecording(INDEXED, { spread: 'even' });
  home.under({ west: { refused: 'it does not answer' } });
  home.job(0);
  home.decides(1);
  return createSituation('index-that-waits', 0, home);
}

/** The placed Job runs in one cluster at a time. */
function inOneCluster(): IndexSituation {
  const home = aPlacementRecording({ ...INDEXED }, {});
  home.under({ west: ROOM });
  home.job(0);
  home.decides(1);
  return createSituation('index-of-a-job-in-one-cluster', 3, home);
}

function ordinary(): IndexSituation {
  const job = aRecording();
  job.job(0, { ...INDEXED, completions: 2, parallelism: 1 });
  job.decides(0);
  job.pod(1, { index: 0, ordinal: 0, created: 0 });
  job.pod(9, { index: 0, ordinal: 0, created: 0, phase: 'Succeeded', finished: 9 });
  job.decides(9);
  return { name: 'index-of-an-ordinary-job', index: 0, events: job.events, members: new Map() };
}

export const SITUATIONS = [takenBack(), drained(), lost(), ended(), waiting(), inOneCluster(), ordinary()];
