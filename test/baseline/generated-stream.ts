import { toCloudEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import type { ClusterConnected, ClusterGap } from '../../workflows/ledger/cluster-events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { CLUSTER, START } from '../support/builders.ts';
import { crowdedStream, memberStream, randomStreams } from '../support/random-streams.ts';

// Prints one stream as lines of CloudEvents, with its cluster's identity: `crowd`, `member`, or the seed of a random one.

const [which = 'crowd'] = process.argv.slice(2);
const [stream = []] = await streamsNamed(which);
for (const event of [connected(), ...stream, gap()])
  process.stdout.write(`${JSON.stringify(toCloudEvent(event))}\n`);

async function streamsNamed(name: string): Promise<JobEvent[][]> {
  if (name === 'crowd') return [await crowdedStream()];
  return name === 'member' ? [await memberStream()] : randomStreams(1, Number(name));
}

function connected(): JobEvent {
  return withDigest<ClusterConnected>({
    id: `${CLUSTER}/connected`,
    type: 'cluster.connected',
    ...head(),
    data: { cluster: CLUSTER, uid: `uid-of-${CLUSTER}`, version: 'v1.36.3' },
  });
}

function gap(): JobEvent {
  const instant = new Date(START).toISOString();
  return withDigest<ClusterGap>({
    id: `${CLUSTER}/gap/pods/100/101`,
    type: 'cluster.gap',
    ...head(),
    data: {
      cluster: CLUSTER,
      resource: 'pods',
      from: '100',
      to: '101',
      since: instant,
      until: instant,
      reason: 'the API server no longer had what happened since',
    },
  });
}

function head(): Pick<JobEvent, 'source' | 'subject' | 'time'> {
  return { source: CLUSTER, subject: CLUSTER, time: new Date(START).toISOString() };
}
