import type { Command } from '../../../workflows/job/commands.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { JobRow } from '../tables/jobs.ts';
import { isOfJob, type StreamEvent } from './subjects.ts';

/** Keys of the rows that events may read or change, without duplicates. */
export interface Keys {
  clusters: Key[];
  jobs: Key[];
  pods: Key[];
  creations: Key[];
  /** In addition, the last decisions of the Jobs are needed: `lastDecisionsOf`. */
  decisions: Key[];
  commands: Key[];
}

/** Values of the key columns, in order. */
export type Key = (string | number)[];

interface PodNames {
  uids: string[];
  names: string[];
}

export function keysOf(events: readonly JobEvent[]): Keys {
  const all: Keys = { clusters: [], jobs: [], pods: [], creations: [], decisions: [], commands: [] };
  for (const event of events) {
    if (isOfJob(event)) addStreamKeys(all, event);
    else all.clusters.push([event.data.cluster]);
  }
  return {
    clusters: distinct(all.clusters),
    jobs: distinct(all.jobs),
    pods: distinct(all.pods),
    creations: distinct(all.creations),
    decisions: distinct(all.decisions),
    commands: distinct(all.commands),
  };
}

/** The newest decisions of Jobs, which a new decision may supersede. */
export function lastDecisionsOf(jobs: Iterable<JobRow>): Key[] {
  return [...jobs].flatMap(({ cluster, uid, last_decision: id }) =>
    id === null ? [] : [[cluster, uid, id]],
  );
}

function addStreamKeys(keys: Keys, event: StreamEvent): void {
  const { cluster, jobUid } = event.data;
  const { uids, names } = podsNamedBy(event);
  keys.jobs.push([cluster, jobUid]);
  keys.pods.push(...uids.map((uid) => [cluster, jobUid, uid]));
  keys.creations.push(...names.map((name) => [cluster, jobUid, name]));
  if (event.type === 'job.decided' && event.data.predecessor !== null) {
    keys.decisions.push([cluster, jobUid, event.data.predecessor]);
  }
  if (event.type === 'command.answered') {
    keys.commands.push([cluster, jobUid, event.data.decision, event.data.command]);
  }
}

function podsNamedBy(event: StreamEvent): PodNames {
  switch (event.type) {
    case 'pod.observed':
      return { uids: [event.data.object.metadata.uid], names: [event.data.object.metadata.name] };
    case 'pod.deleted':
      return { uids: [event.data.podUid], names: [event.data.podName] };
    case 'job.decided': {
      const each = event.data.commands.map(podsOfCommand);
      return { uids: each.flatMap(({ uids }) => uids), names: each.flatMap(({ names }) => names) };
    }
    case 'command.answered': {
      const { answer } = event.data;
      if (answer.kind !== 'CreatePods' && answer.kind !== 'DeletePods') return { uids: [], names: [] };
      return {
        uids: answer.pods.flatMap((pod) => ('uid' in pod ? [pod.uid] : [])),
        names: answer.pods.map(({ name }) => name),
      };
    }
    case 'job.observed':
    case 'job.deleted':
    case 'command.received':
    case 'job.folded':
      return { uids: [], names: [] };
  }
}

function podsOfCommand(command: Command): PodNames {
  if (command.kind === 'CreatePods') return { uids: [], names: command.pods.map(({ name }) => name) };
  if (command.kind === 'DeletePods') return { uids: command.pods.map(({ uid }) => uid), names: [] };
  if (command.kind !== 'WriteStatus') return { uids: [], names: [] };
  return { uids: [...command.counted.succeeded, ...command.counted.failed], names: [] };
}

function distinct(keys: Key[]): Key[] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
