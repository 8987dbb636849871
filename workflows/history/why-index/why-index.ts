import { indexGrantIn } from '../../batch/index-grant.ts';
import type { JobEvent } from '../../job/events.ts';
import { effectiveDecisions } from '../../decision/folding.ts';
import { INDEXES } from '../../kubernetes/names.ts';
import { isOfKind } from '../../ledger-event.ts';
import type { PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import { isRefused, refusal, type Refused } from '../refused.ts';
import { unfitIndex } from '../unfit-index.ts';
import { findBreak } from '../verify/break-in.ts';
import { waitingCauseId } from '../why/cause-id.ts';
import { decidedWaits } from '../why/decided-waits.ts';
import type { Why, WhyAnswer } from '../why/types.ts';
import { why } from '../why/why.ts';
import { createHomeCauses, type HomeCauses } from './home-causes.ts';
import { orderCauses } from './in-order.ts';
import { readIndex, type IndexRecord, type Stay } from './stays.ts';

/** A member of a placed Job, whose stream shows its pods. */
export interface MemberKey {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
}

/** The members that could run the index, in the order in which they got it; empty for an ordinary Job. */
export function membersWithIndex(events: readonly JobEvent[], index: number): MemberKey[] {
  const home = homeEvents(events);
  const { stays } = readIndex(home, effectiveDecisionsById(home), index);
  const namespace = home.find(({ subject }) => subject !== '')?.subject.split('/')[0] ?? '';
  const found = new Map(
    stays.flatMap(({ member: { cluster, name, uid } }) =>
      uid === null ? [] : [[uid, { cluster, namespace, name, uid }] as const],
    ),
  );
  return [...found.values()];
}

/**
 * Explains one completion index: of an ordinary Job from its own stream; of a placed Job with its clusters and moves,
 * followed by the pods of the members. `members` contains the streams of `membersWithIndex`, by UID.
 */
export function whyIndex(
  events: readonly JobEvent[],
  index: number,
  members: ReadonlyMap<string, readonly JobEvent[]>,
): Why | Refused {
  const home = homeEvents(events);
  if (home.length === 0) return why(events, { about: 'index', index });
  const broken = findBreak(home);
  if (broken !== null) return broken;
  const seen = home.findLast((event) => event.type === 'job.observed');
  const unfit = unfitIndex(seen?.data.object.spec, index);
  if (unfit !== null) return refusal('unknown', unfit);
  const effective = effectiveDecisionsById(home);
  const record = readIndex(home, effective, index);
  const parts: Part[] = [];
  for (const [uid, stays] of staysByMember(record)) {
    const part = memberPart(members.get(uid) ?? [], index, stays);
    if (isRefused(part)) return part;
    parts.push(part);
  }
  const [first] = home;
  const led = parts.flatMap(({ causes }) => causes.flatMap(({ because }) => because));
  const own = partOfHome(home, { effective, record, led });
  return joinParts(`${first?.data.cluster ?? ''}/${nameIn(home)}`, index, [own, ...parts]);
}

/** The events of the stream of a placed Job, without those of an ordinary Job. */
function homeEvents(events: readonly JobEvent[]): PlacementEvent[] {
  return (events as readonly (JobEvent | PlacementEvent)[]).filter((event) => isOfKind('PlacedJob', event));
}

/** The effective decisions about a placed Job, by their ids. */
function effectiveDecisionsById(home: readonly PlacementEvent[]): Map<string, PlacementDecided> {
  return new Map(effectiveDecisions(home).map((decision) => [decision.id, decision]));
}

/** The name of the placed Job. */
function nameIn(home: readonly PlacementEvent[]): string {
  return home.find(({ subject }) => !subject.endsWith('/'))?.subject ?? '';
}

type Part = Pick<Why, 'answers' | 'causes' | 'waits'>;

/**
 * The answers and causes in the stream of the placed Job; `led` contains the ids to which the causes of members lead.
 */
function partOfHome(
  home: readonly PlacementEvent[],
  {
    effective,
    record,
    led,
  }: { effective: ReadonlyMap<string, PlacementDecided>; record: IndexRecord; led: readonly string[] },
): Part {
  const causes = createHomeCauses(home, effective, record);
  const { stays, finished } = record;
  const until = finished === null ? Infinity : Date.parse(finished.at);
  const waits = decidedWaits([...effective.values()]).filter(({ since }) => Date.parse(since) <= until);
  const isHeld = stays.some(({ left }) => left === undefined);
  const answers = [
    ...stays.flatMap((stay) => stayAnswers(stay, causes.get)),
    ...(finished === null
      ? []
      : [
          {
            question: 'how it ended',
            message: `${finished.as} in ${finished.cluster}, as the status of its member showed`,
            because: [finished.by],
          },
        ]),
    ...(finished === null && !isHeld ? whyUnheld([...effective.values()]) : []),
  ];
  const roots = [...answers, ...waits].flatMap(({ because }) => because);
  return { answers, causes: causes.from([...roots, ...led]), waits };
}

/** The answers about a stay: how the index came to the member and how it left. */
function stayAnswers(
  { member: { cluster }, gift, takenBack, stopped, ended, left }: Stay,
  get: HomeCauses['get'],
): WhyAnswer[] {
  /** The answer with the cause of this id; none without a cause. */
  const answer = (question: string, id: string | undefined): WhyAnswer[] => {
    const cause = id === undefined ? null : get(id);
    if (id === undefined || cause === null) return [];
    return [{ question, message: `${cause.about} at ${cause.at}: ${cause.message}`, because: [id] }];
  };
  return [
    ...answer(`why ${cluster} got it`, gift),
    ...answer(`why ${cluster} was to give it up`, takenBack),
    ...answer(`why its member in ${cluster} was stopped`, stopped),
    ...answer(`why its member in ${cluster} ended`, ended),
    ...answer(`why ${cluster} no longer has it`, left),
  ];
}

/** The reason why no cluster has the index, which is the last wait of the Job. */
function whyUnheld(effective: readonly PlacementDecided[]): WhyAnswer[] {
  const last = effective.findLast(({ data }) => data.waiting !== null);
  const message = last?.data.waiting?.message;
  if (last === undefined || message === undefined) return [];
  return [{ question: 'why no cluster has it', message, because: [waitingCauseId(last.id)] }];
}

/** The stays of the index by the UID of the member. */
function staysByMember({ stays }: IndexRecord): Map<string, Stay[]> {
  const found = new Map<string, Stay[]>();
  for (const stay of stays) {
    const { uid } = stay.member;
    if (uid !== null) found.set(uid, [...(found.get(uid) ?? []), stay]);
  }
  return found;
}

/** The events of the index in the stream of a member. */
function memberPart(stream: readonly JobEvent[], index: number, stays: readonly Stay[]): Part | Refused {
  const cluster = stays[0]?.member.cluster ?? '';
  const part = why(stream, { about: 'index', index });
  if (isRefused(part)) {
    if (part.refused !== 'unknown') return part;
    const because = stays.map(({ gift }) => gift);
    const message = `no event of the member ${stays[0]?.member.name ?? ''} was found`;
    return {
      answers: [{ question: `what its pods did in ${cluster}`, message, because }],
      causes: [],
      waits: [],
    };
  }
  const gifts = giftsSeen(stream, stays);
  return {
    answers: part.answers.map(({ question, ...answer }) => ({
      ...answer,
      question: `in ${cluster}, ${question}`,
    })),
    causes: part.causes.map(({ about, because, ...cause }) => ({
      ...cause,
      about: `${cluster} ${about}`,
      because: [...because, ...(gifts.get(cause.id) ?? [])],
    })),
    waits: part.waits.map(({ message, ...wait }) => ({ ...wait, message: `in ${cluster}: ${message}` })),
  };
}

/** The command that gave a grant of the index, or its outcome, by the id of the observation in which a member first shows that grant. */
function giftsSeen(stream: readonly JobEvent[], stays: readonly Stay[]): Map<string, string[]> {
  const gifts = new Map<string, string[]>();
  for (const { number, gift, member } of stays) {
    const seen = stream.find(
      (event) =>
        event.type === 'job.observed' &&
        (indexGrantIn(event.data.object.metadata.annotations?.[INDEXES] ?? '')?.number ?? 0) >= number,
    );
    const cause = number <= 1 ? (member.created ?? gift) : gift;
    if (seen !== undefined) gifts.set(seen.id, [...(gifts.get(seen.id) ?? []), cause]);
  }
  return gifts;
}

/** Combines the answers of several streams: facts are in the order of time, and causes go from effect to cause. */
function joinParts(job: string, index: number, parts: readonly Part[]): Why {
  const causes = parts.flatMap((part) => part.causes);
  const times = new Map(causes.map(({ id, at }) => [id, Date.parse(at)]));
  /** The time of the first cause of an answer. */
  const causeTime = ({ because: [id = ''] }: WhyAnswer): number => times.get(id) ?? 0;
  return {
    job,
    about: `index ${index}`,
    answers: parts.flatMap(({ answers }) => answers).toSorted((a, b) => causeTime(a) - causeTime(b)),
    causes: orderCauses(
      causes.map((cause) => ({ ...cause, because: cause.because.filter((id) => times.has(id)) })),
    ),
    waits: parts.flatMap(({ waits }) => waits).toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since)),
  };
}
