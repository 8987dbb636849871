import { toCloudEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { ClusterConnected } from '../../workflows/ledger/cluster-events.ts';
import { live } from '../cron-job/life.ts';
import { setStatus, work } from '../cron-job/world.ts';
import { withSnapshots } from '../support/snapshots.ts';

// Prints one stream of a CronJob as lines of CloudEvents, with its cluster's identity. It ends with more changes before a
// decision than the decision's own record names, and has snapshots.

const MOVES = ['finish', 'wait', 'stray', 'fail', 'status', 'spec', 'wait', 'finish'] as const;
const CHANGES = 600;

const world = live(
  'Replace',
  MOVES.map((move) => ({ move, minutes: 3, delivered: true })),
);
// A Job that the status names and nobody has seen is looked up.
const gone = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  namespace: 'default',
  name: 'tick-gone',
  uid: 'uid-of-gone',
};
setStatus(world, { ...world.cronJob.status, active: [...(world.cronJob.status?.active ?? []), gone] });
world.now += 600_000;
work(world);
for (let at = 0; at < CHANGES; at += 1) setStatus(world, { ...world.cronJob.status });
world.now += 600_000;
work(world);

const [first] = world.stream;
const { source = '', time = '' } = first ?? {};
const connected = withDigest<ClusterConnected>({
  id: `${source}/connected`,
  type: 'cluster.connected',
  source,
  subject: source,
  time,
  data: { cluster: source, uid: `uid-of-${source}`, version: 'v1.36.3' },
});
for (const event of [connected, ...withSnapshots<CronJobEvent>(world.stream, CHANGES)])
  process.stdout.write(`${JSON.stringify(toCloudEvent(event))}\n`);
