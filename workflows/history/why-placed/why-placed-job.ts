import { endBy, endingBegunBy } from '../../job/definitions/ending-writes.ts';
import { isFinished } from '../../batch/conditions.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { JobEvent } from '../../job/events.ts';
import { foldStream, effectiveDecisions } from '../../decision/folding.ts';
import { PLACEMENT_CORES } from '../../cores/cores.ts';
import { isOfKind } from '../../ledger-event.ts';
import type { PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import type { PlacementGrant, PlacementState } from '../../placement/state.ts';
import { isRefused, refusal, type Refused } from '../refused.ts';
import { fewText } from '../timeline/few.ts';
import { createHomeCauses } from '../why-index/home-causes.ts';
import { orderCauses } from '../why-index/in-order.ts';
import { aboutDecision } from '../why/about-decision.ts';
import { commandCauseId, waitingCauseId } from '../why/cause-id.ts';
import { endAnswers, type EndingWrite } from '../why/end-answers.ts';
import { decidedWaits, firstWithSameWait } from '../why/decided-waits.ts';
import type { PartialAnswer, Question, Why, WhyAnswer } from '../why/types.ts';
import { gapsDuring, suspensions } from '../why/waits.ts';
import { suspensionIn, whoAnswers } from '../why/who.ts';
import { createDirectCauses } from './direct-causes.ts';
import { createReasons } from './reasons.ts';

/** The stream of a placed Job, indexed. */
interface Home {
  /** The events of the Job in ledger order, including the events that every Job has, such as its submission. */
  events: readonly JobEvent[];
  effective: readonly PlacementDecided[];
  /** The state after the last event. */
  state: PlacementState;
}

/**
 * Works like `why`, for a placed Job, whose decisions are about members and grants, and whose pods are in other
 * streams.
 */
export function whyPlacedJob(stream: readonly JobEvent[], question: Question): Why | Refused {
  const events = [...new Map(stream.map((event) => [event.id, event])).values()].filter(
    ({ data }) => 'jobUid' in data,
  );
  const ofHome = (events as readonly (JobEvent | PlacementEvent)[]).filter((event) =>
    isOfKind('PlacedJob', event),
  );
  const effective = effectiveDecisions(ofHome);
  const core = PLACEMENT_CORES.ofLast(effective);
  const home: Home = { events, effective, state: foldStream(ofHome, core) };
  const directCauses = createDirectCauses(events);
  const answer = answerTo(home, directCauses, question);
  if (isRefused(answer)) return answer;
  const reasonsOf = createReasons(ofHome, core);
  const causes = createHomeCauses(events as unknown as readonly PlacementEvent[], decisionsById(effective), {
    causes: { get: (id) => directCauses(id) ?? reasonsOf(id) },
  });
  const gaps = stream.filter((event) => event.type === 'cluster.gap');
  const waits = [...decidedWaits(effective), ...suspensions(home), ...gapsDuring(home, gaps)]
    .toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
    .filter(answer.concerns);
  const roots = [...answer.answers, ...waits].flatMap(({ because }) => because);
  return {
    job: `${events[0]?.data.cluster ?? ''}/${nameIn(events)}`,
    about: answer.about,
    answers: answer.answers,
    causes: orderCauses(causes.from(roots)),
    waits,
  };
}

/** The effective decisions by their ids. */
function decisionsById(effective: readonly PlacementDecided[]): ReadonlyMap<string, PlacementDecided> {
  return new Map(effective.map((decision) => [decision.id, decision]));
}

/** The name of the Job; some events of a deleted Job do not contain this name. */
function nameIn(events: readonly JobEvent[]): string {
  return events.find(({ subject }) => !subject.endsWith('/'))?.subject ?? '';
}

type DirectCauses = ReturnType<typeof createDirectCauses>;

/** The answer to a question about a placed Job, or the refusal of a question about its pods. */
function answerTo(home: Home, directCauses: DirectCauses, question: Question): PartialAnswer | Refused {
  switch (question.about) {
    case 'job':
      return aboutPlacedJob(home, directCauses);
    case 'decision':
      return aboutDecision(home, question.number);
    case 'pod':
    case 'index':
      return refusal('unknown', 'the Job is placed: its pods are those of its members');
  }
}

/** The answers about the end, the deletion and the present state of a placed Job. */
function aboutPlacedJob(home: Home, directCauses: DirectCauses): PartialAnswer {
  const { events, effective, state } = home;
  const deleted = events.find(({ type }) => type === 'job.deleted');
  const ended = endAnswers(firstWrite(effective, endingBegunBy), firstWrite(effective, endBy));
  const isOver =
    ended.length > 0 || state.gone || deleted !== undefined || isFinished(state.job?.status ?? {});
  const recorded = { events, event: (id: string) => events.find((each) => each.id === id) };
  return {
    about: `Job ${state.job?.name ?? ''}`.trim(),
    answers: [
      ...ended,
      ...(isOver ? [] : openAnswers(home)),
      ...(deleted === undefined
        ? []
        : [{ question: 'why it is gone', message: 'it was deleted', because: [deleted.id] }]),
      ...whoAnswers(recorded, { of: ({ id }) => directCauses(id) ?? [] }),
    ],
    concerns: () => true,
  };
}

/** The first status write that shows a condition of the end; null without such a write. */
function firstWrite(effective: readonly PlacementDecided[], findCondition: typeof endBy): EndingWrite | null {
  for (const decision of effective)
    for (const [at, command] of decision.data.commands.entries()) {
      const condition = command.kind === 'WriteStatus' ? findCondition(command) : undefined;
      if (condition !== undefined) return { decision, command: commandCauseId(decision.id, at), condition };
    }
  return null;
}

/** The answers about the reason why the Job waits, and about the members that run it. */
function openAnswers({ events, effective, state }: Home): WhyAnswer[] {
  const last = effective.at(-1);
  if (last === undefined) {
    const [first] = events;
    const because = first === undefined ? [] : [first.id];
    return [{ question: 'why nothing was decided', message: 'it was only observed so far', because }];
  }
  const held = state.grants.filter(({ ended }) => ended === undefined);
  return [
    ...waitAnswers({ events, effective, state }, last, held),
    ...held.map((grant) => ({
      question: `why ${grant.cluster} has it`,
      message: `${giftMessage(effective, grant)}; ${memberText(grant)}`,
      because: giftOf(effective, grant),
    })),
  ];
}

/** The answers about the reason why the Job waits, or the absence of such a reason. */
function waitAnswers(
  { events, effective, state }: Home,
  last: PlacementDecided,
  held: readonly PlacementGrant[],
): WhyAnswer[] {
  const question = 'what it waits for';
  const { waiting } = last.data;
  if (waiting !== null) {
    const because = [waitingCauseId(firstWithSameWait(effective, last).id)];
    return [{ question, message: waiting.message, because }];
  }
  if (state.job?.spec.suspend === true) {
    const seen = suspensionIn(events);
    const because = seen === undefined ? [] : [seen.id];
    return [{ question, message: 'to be resumed: it is suspended', because }];
  }
  const members = fewText(held.map(({ cluster, name }) => `${cluster}/${name}`));
  const message = held.length === 0 ? 'nothing' : `its members: ${members}`;
  return [{ question, message, because: held.flatMap((grant) => giftOf(effective, grant)) }];
}

/** The command that gave the grant, by its id; empty when its decision is not recorded. */
function giftOf(effective: readonly PlacementDecided[], grant: PlacementGrant): string[] {
  const gift = findGift(effective, grant);
  return gift === null ? [] : [commandCauseId(gift.id, gift.at)];
}

/** The reason of the command that gave the grant. */
function giftMessage(effective: readonly PlacementDecided[], grant: PlacementGrant): string {
  return findGift(effective, grant)?.message ?? `given at ${isoTime(grant.since)}`;
}

/** The command that gave the grant, with its time and reason; null when its decision is not recorded. */
function findGift(
  effective: readonly PlacementDecided[],
  { number }: PlacementGrant,
): { id: string; at: number; message: string } | null {
  for (const { id, data } of effective)
    for (const [at, command] of data.commands.entries())
      if ('grant' in command && command.grant === number) return { id, at, message: command.why.message };
  return null;
}

/** The state of the member as text. */
function memberText({ name, member, stopping }: PlacementGrant): string {
  if (member === null) return `its member ${name} is not known to exist`;
  const { active = 0, ready = 0, succeeded = 0, failed = 0 } = member.status;
  const counts = `${active} active, ${ready} ready, ${succeeded} succeeded, ${failed} failed`;
  const stops = stopping === undefined ? '' : `, to be stopped: ${stopping}`;
  return `its member ${name}: ${counts}${stops}`;
}
