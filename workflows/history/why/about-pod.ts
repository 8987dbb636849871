import { isTerminal } from '../../job/definitions/pod-phase.ts';
import type { JobEvent } from '../../job/events.ts';
import { isoTime } from '../../ledger/instants.ts';
import { refusal, type Refused } from '../refused.ts';
import { indexOfPod } from '../../kubernetes/pod-index.ts';
import { fewText } from '../timeline/few.ts';
import { commandCauseId, parseCauseId } from './cause-id.ts';
import type { Origins } from './origins.ts';
import { reportAnswers } from './reports.ts';
import type { StreamIndex } from './stream-index.ts';
import type { WhyAnswer, PartialAnswer, Wait } from './types.ts';

/** A pod as a stream shows it. */
export interface PodInStream {
  uid: string;
  name: string;
  /**
   * The completion index of the creation of the pod, or of its annotation when the creation is not recorded; null
   * without an index.
   */
  index: number | null;
  /** The index in an edited annotation, and the first observation of the edit. */
  edited?: { to: number | null; event: string };
  /** The observations and the deletion of the pod, in order. */
  events: JobEvent[];
}

/** The reasons for a pod: its creation, its end, its deletion, and its count. */
export function aboutPod(stream: StreamIndex, origins: Origins, wanted: string): PartialAnswer | Refused {
  const pods = podsIn(stream);
  const pod = pods.findLast(({ uid, name }) => uid === wanted || name === wanted);
  if (pod === undefined) return unknownPod(pods, wanted);
  const answers = storyOfPod(stream, origins, pod);
  const [created] = answers;
  const until = (created && firstInstant(stream, created)) ?? pod.events[0]?.time ?? null;
  /** True for a wait that began before the pod ended. */
  const beganBeforeEnd = ({ since }: Wait): boolean =>
    until === null || Date.parse(since) <= Date.parse(until);
  return { about: `pod ${pod.name}`, answers, concerns: beganBeforeEnd };
}

/** The answers about a pod: its creation first, then its end and its count. */
export function storyOfPod(stream: StreamIndex, origins: Origins, pod: PodInStream): WhyAnswer[] {
  return [
    creationAnswer(stream, origins, pod),
    ...editAnswers(pod),
    ...reportAnswers(stream, new Set([pod.uid])),
    ...endAnswers(stream, pod),
    ...commandAnswers(stream, origins, pod),
    ...countAnswers(stream, pod),
  ];
}

/** Observed pods, and pods of which only the command to create them is recorded. */
export function podsIn({ events }: StreamIndex): PodInStream[] {
  const pods = new Map<string, PodInStream>();
  const wished = indexesWished(events);
  /** Adds an event to a pod, which may be new. */
  const addSeen = (uid: string, name: string, event?: JobEvent): void => {
    const pod = pods.get(uid) ?? { uid, name, index: wished.get(name) ?? null, events: [] };
    if (event !== undefined) pod.events.push(event);
    pods.set(uid, pod);
  };
  for (const event of events) {
    if (event.type === 'pod.observed') {
      const { uid, name } = event.data.object.metadata;
      addSeen(uid, name, event);
      const index = indexOfPod(event.data.object);
      const pod = pods.get(uid);
      if (pod === undefined) continue;
      pod.index ??= index;
      if (index !== pod.index && pod.edited?.to !== index) pod.edited = { to: index, event: event.id };
    }
    if (event.type === 'pod.deleted') addSeen(event.data.podUid, event.data.podName, event);
    if (event.type === 'outcome.recorded' && event.data.outcome.kind === 'CreatePods')
      for (const pod of event.data.outcome.pods) if ('uid' in pod) addSeen(pod.uid, pod.name);
  }
  const names = new Set([...pods.values()].map(({ name }) => name));
  for (const event of events)
    if (event.type === 'job.decided')
      for (const command of event.data.commands)
        if (command.kind === 'CreatePods')
          for (const { name } of command.pods) if (!names.has(name)) addSeen(name, name);
  return [...pods.values()];
}

/** The index for which each pod was created, by the name of the pod. */
function indexesWished(events: readonly JobEvent[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const event of events)
    if (event.type === 'job.decided')
      for (const command of event.data.commands)
        if (command.kind === 'CreatePods')
          for (const { name, index } of command.pods) if (index !== undefined) found.set(name, index);
  return found;
}

/** The refusal of a question about a pod that the Job never had. */
function unknownPod(pods: readonly PodInStream[], wanted: string): Refused {
  const names = fewText(pods.map(({ name }) => name));
  return refusal('unknown', `the Job never had a pod "${wanted}"${names === '' ? '' : `; it had ${names}`}`);
}

/** The answer about the creation of a pod. */
function creationAnswer(stream: StreamIndex, origins: Origins, pod: PodInStream): WhyAnswer {
  const question = 'why it was created';
  const origin = origins.findCreation(pod);
  if (origin === null) {
    const [first] = pod.events;
    return { question, message: 'not by Jobledger', because: first === undefined ? [] : [first.id] };
  }
  return { question, message: causeText(stream, origin), because: [origin] };
}

/** The reason of a command, which is named by its own id or by the id of its outcome. */
function causeText(stream: StreamIndex, id: string): string {
  const outcome = stream.event(id);
  const ref =
    outcome?.type === 'outcome.recorded'
      ? { event: outcome.data.decision, command: outcome.data.command }
      : parseCauseId(id);
  const event = stream.event(ref.event);
  return event?.type === 'job.decided' && 'command' in ref
    ? (event.data.commands[ref.command]?.why.message ?? '')
    : '';
}

/** The answer about an edited index of a pod; empty without an edit. */
function editAnswers({ index, edited }: PodInStream): WhyAnswer[] {
  if (edited === undefined) return [];
  const to = edited.to === null ? 'no index' : `index ${edited.to}`;
  const message = `for ${index === null ? 'no index' : `index ${index}`}; another client has edited its annotation, which says ${to}`;
  return [{ question: 'for which index it was created', message, because: [edited.event] }];
}

/** The terminal phase of the pod, or its deletion. */
function endAnswers(stream: StreamIndex, { events }: PodInStream): WhyAnswer[] {
  const end =
    events.find(({ type, data }) => type === 'pod.observed' && isTerminal(data.object.status?.phase ?? '')) ??
    events.find(({ type }) => type === 'pod.deleted');
  if (end === undefined) return [];
  return [{ question: 'how it ended', message: stream.line(end).message, because: [end.id] }];
}

/** The answers about the adoption, the disowning and the deletion of a pod. */
function commandAnswers(stream: StreamIndex, origins: Origins, { uid }: PodInStream): WhyAnswer[] {
  const asked = [
    ['why it was adopted', 'AdoptPods'],
    ['why it was let go', 'DisownPods'],
    ['why it was deleted', 'DeletePods'],
  ] as const;
  return asked.flatMap(([question, kind]) => {
    const [first] = origins.commandsOn(uid, kind);
    if (first === undefined) return [];
    return [{ question, message: causeText(stream, first), because: [first] }];
  });
}

/** The answer about the count of a pod; empty while no status counts it. */
function countAnswers({ effective }: StreamIndex, { uid }: PodInStream): WhyAnswer[] {
  for (const decision of effective)
    for (const [at, command] of decision.data.commands.entries()) {
      if (command.kind !== 'WriteStatus') continue;
      const as = command.counted.succeeded.includes(uid) ? 'succeeded' : 'failed';
      if (as === 'failed' && !command.counted.failed.includes(uid)) continue;
      const message = `as ${as}, with decision ${decision.data.number} at ${isoTime(decision.data.now)}`;
      return [{ question: 'how it was counted', message, because: [commandCauseId(decision.id, at)] }];
    }
  return [];
}

/** The time of the first cause of an answer. */
function firstInstant(stream: StreamIndex, { because: [id = ''] }: WhyAnswer): string | null {
  const event = stream.event(parseCauseId(id).event);
  return event?.time ?? null;
}
