import type { Outcome } from '../../job/outcomes.ts';
import type { Command } from '../../job/commands.ts';
import type { OutcomeRecorded, JobEvent } from '../../job/events.ts';
import { auditedIn } from './audited.ts';
import { commandCauseId, parseCauseId } from './cause-id.ts';
import type { StreamIndex } from './stream-index.ts';

/** The command or outcome that caused a recorded fact. */
export interface Origins {
  /** The ids of the causes of a fact or an outcome; empty for a root. */
  of(event: JobEvent): string[];
  /**
   * The id of the outcome that created the pod, or of the command if the outcome was lost; null when neither is
   * recorded.
   */
  findCreation(pod: { uid: string; name: string }): string | null;
  /** The ids of the outcomes of commands of this kind on a pod, or of the commands whose outcome was lost. */
  commandsOn(uid: string, kind: Command['kind']): string[];
}

/** Finds the commands and outcomes that caused the events of a Job. */
export function originsIn({ events }: StreamIndex): Origins {
  const created = new Map<string, string>();
  const wished = new Map<string, string>();
  const done = new Map<string, string>();
  const asked = new Map<string, string[]>();
  const written = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'job.decided')
      for (const [at, command] of event.data.commands.entries())
        noteRequestedObjects(commandCauseId(event.id, at), command, { wished, asked });
    if (event.type === 'outcome.recorded') noteOutcome(event, { created, done, written });
  }
  /** The outcome or the command that created the pod; null when neither is recorded. */
  const findCreation: Origins['findCreation'] = ({ uid, name }) =>
    created.get(uid) ?? wished.get(name) ?? null;
  /** The outcomes of commands of this kind on a pod, or the commands whose outcome was lost. */
  const commandsOn: Origins['commandsOn'] = (uid, kind) =>
    (asked.get(`${kind} ${uid}`) ?? []).map((command) => done.get(`${command} ${uid}`) ?? command);
  const first = events.find(({ type }) => type === 'job.observed');
  const submissions = events.filter(({ type }) => type === 'job.submitted').map(({ id }) => id);
  const place = new Map(events.map(({ id }, at) => [id, at]));
  /**
   * The last command of this kind on an object that was recorded before the event; only such a command can be the
   * cause of the event.
   */
  const askedBefore = (event: JobEvent, uid: string, kind: Command['kind']): string | undefined => {
    /** True for a command that was recorded before the event. */
    const isBefore = (command: string): boolean =>
      (place.get(parseCauseId(command).event) ?? Infinity) < (place.get(event.id) ?? 0);
    const command = (asked.get(`${kind} ${uid}`) ?? []).findLast(isBefore);
    return command === undefined ? undefined : (done.get(`${command} ${uid}`) ?? command);
  };
  /** The causes of an event about a pod. */
  const podOrigin = (event: JobEvent, pod: { uid: string; name: string }, isGoing: boolean): string[] => {
    const deletion = isGoing ? askedBefore(event, pod.uid, 'DeletePods') : undefined;
    const last = deletion ?? askedBefore(event, pod.uid, 'AdoptPods') ?? findCreation(pod);
    return last === null ? [] : [last];
  };
  /** The causes of an event that the stream itself shows. */
  const ownOrigins = (event: JobEvent): string[] => {
    switch (event.type) {
      case 'pod.observed': {
        const { uid, name, deletionTimestamp } = event.data.object.metadata;
        return podOrigin(event, { uid, name }, deletionTimestamp !== undefined);
      }
      case 'pod.deleted':
        return podOrigin(event, { uid: event.data.podUid, name: event.data.podName }, true);
      case 'job.observed':
        if (event === first) return submissions;
        return [written.get(event.data.object.metadata.resourceVersion) ?? []].flat();
      case 'job.deleted':
        return [written.get('deleted') ?? []].flat();
      case 'outcome.recorded':
        return [commandCauseId(event.data.decision, event.data.command)];
      case 'job.decided':
      case 'job.folded':
      case 'job.snapshotted':
      case 'awaited-job.observed':
      case 'request.received':
      case 'submission.received':
      case 'job.submitted':
      case 'api-request.audited':
      case 'kubernetes-event.observed':
      case 'job.detached':
      case 'cluster.connected':
      case 'cluster.gap':
      case 'kubernetes-events.dropped':
      case 'cluster.restored':
      case 'cluster.detached':
      case 'prices.applied':
      case 'node.observed':
      case 'node.deleted':
        return [];
    }
  };
  const audited = auditedIn(events);
  return { findCreation, commandsOn, of: (event) => [...audited(event), ...ownOrigins(event)] };
}

/** Remembers the command that asked for an object, by the object. */
function noteRequestedObjects(
  id: string,
  command: Command,
  { wished, asked }: { wished: Map<string, string>; asked: Map<string, string[]> },
): void {
  if (command.kind === 'CreatePods') for (const { name } of command.pods) wished.set(name, id);
  else if ('pods' in command)
    for (const { uid } of command.pods) {
      const key = `${command.kind} ${uid}`;
      asked.set(key, [...(asked.get(key) ?? []), id]);
    }
}

/** Remembers the outcome of a command, by the object that it created, changed or wrote. */
function noteOutcome(
  { id, data }: OutcomeRecorded,
  notes: { created: Map<string, string>; done: Map<string, string>; written: Map<string, string> },
): void {
  const { outcome } = data;
  // A look-up of the member of a placed Job only counts its pods.
  if ('pods' in outcome && Array.isArray(outcome.pods))
    for (const pod of outcome.pods)
      if ('uid' in pod) notes.done.set(`${commandCauseId(data.decision, data.command)} ${pod.uid}`, id);
  if (outcome.kind === 'CreatePods')
    for (const pod of outcome.pods) if (pod.result === 'created') notes.created.set(pod.uid, id);
  if (outcome.kind === 'DeleteJob' && (outcome.result === 'done' || outcome.result === 'gone'))
    notes.written.set('deleted', id);
  const version = versionBy(outcome);
  if (version !== null) notes.written.set(version, id);
}

/** The resourceVersion of the Job after a change by Jobledger; null without a change. */
function versionBy(outcome: Outcome): string | null {
  if (outcome.kind !== 'WriteStatus' && outcome.kind !== 'SetSuspend' && outcome.kind !== 'DeleteJob')
    return null;
  return outcome.result === 'written' || outcome.result === 'done' ? outcome.job.resourceVersion : null;
}
