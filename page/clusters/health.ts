import type { ApiReadiness, ListedCluster } from '../api/rows.ts';
import { countText } from '../components/count-text.ts';
import { roughDuration } from '../components/instants.ts';
import type { Tone } from '../components/tone.ts';

/** The health of a cluster, from the data of the API. */
export interface Health {
  tone: Tone;
  message: string;
  /** The value is null when no action is needed. */
  advice: Advice | null;
}

/** The advice: a sentence, and a command that shows more. */
export interface Advice {
  message: string;
  command: string;
}

/** The time in milliseconds after which a watch without a message is dead; the API server sends each watch a message every minute. */
const SILENT_MS = 5 * 60_000;

/** The command that shows the log of a service in Kubernetes. */
const logsCommand = (service: string): string =>
  `kubectl --namespace jobledger logs deployment/jobledger-${service} --tail 20`;

/** The health of a cluster, with advice if an action is needed. */
export function clusterHealth(cluster: ListedCluster, ready: ApiReadiness | undefined, now: number): Health {
  const { name, shards, dead_letter_count: letters } = cluster;
  const part = ready?.parts[`cluster ${name}`];
  const isRetired = part === undefined && shards?.length === 0 && cluster.unfinished_count === 0;
  if (cluster.last_connected_at === null)
    return redHealth('Never connected', {
      message:
        'No watch was ever opened: read the log of the ingester, and check whether its account may list and watch Jobs and pods.',
      command: logsCommand('ingester'),
    });
  if (part?.status === 'down')
    return redHealth('Not reached', {
      message:
        'The API server did not answer: check its address and the token in the kubeconfig of Jobledger. The Jobs of the cluster continue; Jobledger reads their changes when the API server answers again, and a gap shows the time whose events may be missing.',
      command: `kubectl --context ${name} get --raw /readyz`,
    });
  if (shards !== null && !isWatched(shards) && !isRetired)
    return redHealth('Not watched', {
      message: `${shards.length > 1 ? 'An ingester of this cluster is missing, so some' : 'No ingester leads this cluster, so none'} of its events are ${shards.length > 1 ? 'not ' : ''}recorded: start an ingester for this cluster.`,
      command: 'kubectl --namespace jobledger get pods --selector app.kubernetes.io/component=ingester',
    });
  const silence = now - Math.min(...receivedAt(cluster));
  if (shards !== null && isWatched(shards) && silence > SILENT_MS)
    return redHealth('Silent', {
      message: `The watches of this cluster have received no message for ${roughDuration(silence)}, although the API server sends one every minute: read the log of the ingester.`,
      command: logsCommand('ingester'),
    });
  if (letters !== null && letters > 0)
    return {
      tone: 'waiting',
      message: 'Records set aside',
      advice: {
        message: `${countText(letters, 'record')} could not be used, so the tables may lack an event of a Job: list these records with their reasons. A newer version of Jobledger may be able to use these records.`,
        command: 'jobledger admin dead-letters',
      },
    };
  if (part === undefined && (shards === null || isRetired))
    return { tone: 'off', message: 'Not configured here', advice: null };
  return { tone: 'succeeded', message: part === undefined ? 'Watched' : 'Reached', advice: null };
}

/** The health of a cluster that needs an action. */
function redHealth(message: string, advice: Advice): Health {
  return { tone: 'failed', message, advice };
}

/** True when an ingester leads each shard of the cluster. */
function isWatched(shards: NonNullable<ListedCluster['shards']>): boolean {
  return shards.length > 0 && shards.every(({ leader }) => leader !== null);
}

/** The known times at which the watches of a cluster received their last message. */
function receivedAt({ jobs_received_at: jobs, pods_received_at: pods }: ListedCluster): number[] {
  return [jobs, pods].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
}

/** The host of the ingester, from the holder of its Lease: `<host>_<process>_<start>`. */
export function leaderHost(leader: string): string {
  return leader.replace(/_\d+_\d+$/, '');
}

const PARTS: Readonly<Record<string, { name: string; advice: Advice }>> = {
  postgres: {
    name: 'Tables (Postgres)',
    advice: {
      message: 'The page can show no data: check whether Postgres runs, and accepts the account of the API.',
      command: 'jobledger admin check api',
    },
  },
  kafka: {
    name: 'Ledger (Kafka)',
    advice: {
      message:
        'Jobledger records no new events until Kafka answers; the services wait for Kafka, and no event is lost.',
      command: 'jobledger admin check ingester',
    },
  },
  projection: {
    name: 'Lag of the tables',
    advice: {
      message:
        'The page shows an earlier state: check whether the projector runs, and read its log for the reason of its wait.',
      command: logsCommand('projector'),
    },
  },
  temporal: {
    name: 'Workflows (Temporal)',
    advice: {
      message:
        'Jobledger makes no decision until Temporal answers; running pods continue, and no data is lost.',
      command: 'jobledger admin check worker',
    },
  },
  tokens: {
    name: 'Tokens',
    advice: {
      message: 'The API accepts no token: read its log for the error in the token file.',
      command: logsCommand('api'),
    },
  },
};

/** A part that all clusters share. */
export interface ShownPart {
  name: string;
  tone: Tone;
  message: string;
  detail: string | null;
  advice: Advice | null;
}

/** The parts that all clusters share, as text for the page. */
export function shownParts({ parts }: ApiReadiness): ShownPart[] {
  return Object.entries(parts)
    .filter(([part]) => !part.startsWith('cluster '))
    .map(([part, { status, detail }]) => ({
      name: PARTS[part]?.name ?? part,
      tone: ({ ok: 'succeeded', behind: 'waiting', down: 'failed' } as const)[status],
      message: { ok: 'Well', behind: 'Behind', down: 'Down' }[status],
      detail: detail ?? null,
      advice: status === 'ok' ? null : (PARTS[part]?.advice ?? null),
    }));
}
