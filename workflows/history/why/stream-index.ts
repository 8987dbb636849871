import { JOB_CORES, type Core } from '../../cores/cores.ts';
import type { Compacted } from '../../job/observe/compact.ts';
import type { JobDecided, JobEvent, JobFolded } from '../../job/events.ts';
import { foldedBy, effectiveDecisions } from '../../decision/folding.ts';
import type { JobState } from '../../job/state.ts';
import type { TimelineLine } from '../timeline/line.ts';
import { createNarrator } from '../timeline/narrator.ts';
import { createStates } from '../verify/states.ts';
import { isTerminal } from '../../job/definitions/pod-phase.ts';
import { isoTime } from '../../ledger/instants.ts';
import { endIn } from '../placements/pod-runs.ts';

/**
 * A decision with the state after the previous decision and the facts folded since then, both computed by the given
 * core.
 */
export interface Moment {
  decision: JobDecided;
  core: Core;
  before: JobState;
  facts: readonly Compacted[];
}

/** The stream of one Job, indexed. */
export interface Recorded {
  /** The events of the Job, each once, in ledger order. */
  events: readonly JobEvent[];
  event(id: string): JobEvent | undefined;
  /** The changes of an event, as text. */
  line(event: JobEvent): TimelineLine;
  /** The instant of what an event shows, where it is known; otherwise the time of its record. */
  happenedAt(event: JobEvent): string;
  /** The effective decisions, in order. */
  effective: readonly JobDecided[];
  /** The core of the last effective decision. */
  core: Core;
  /**
   * Works for any decision, including superseded decisions, and uses the core that made the decision unless another
   * core is given.
   */
  stateAtDecision(decision: string, core?: Core): Moment | null;
}

/**
 * Keeps the latest `recent` states and every `each`-th state, so that a step back to an earlier decision folds few
 * states again.
 */
const KEPT = { recent: 64, each: 64 };

/** Reads the stream of a Job into an index of its events, decisions and states. */
export function readRecorded(stream: readonly JobEvent[]): Recorded {
  const byId = new Map<string, JobEvent>();
  for (const event of stream) if (!byId.has(event.id)) byId.set(event.id, event);
  const events = [...byId.values()].filter((event) => 'jobUid' in event.data);
  const decisions = events.filter((event) => event.type === 'job.decided');
  const effective = effectiveDecisions(events);
  const parts = events.filter((event) => event.type === 'job.folded');
  /** The facts that a decision folded, compacted by a core. */
  const decisionFacts = (core: Core, decision: JobDecided): Compacted[] =>
    compactedBy(core, decision, parts, byId);
  const getStates = createStates(
    {
      decisions: new Map(decisions.map((decision) => [decision.id, decision])),
      refold: (core: Core, decision: JobDecided, before: JobState) =>
        core.fold(before, [...decisionFacts(core, decision), decision]),
    },
    KEPT,
  );
  const lines = linesById(events, new Set(effective.map(({ id }) => id)));
  return {
    events,
    event: (id) => byId.get(id),
    line: (event) => lines.get(event.id) ?? { time: event.time, about: event.type, message: '' },
    happenedAt: happenedAtIn(events),
    effective,
    core: JOB_CORES.ofLast(effective),
    stateAtDecision(id, wanted) {
      const decision = byId.get(id);
      if (decision?.type !== 'job.decided') return null;
      const core = wanted ?? JOB_CORES.ofVersion(decision.data.core) ?? JOB_CORES.present;
      const before = getStates(core).after(decision.data.predecessor);
      return { decision, core, before, facts: decisionFacts(core, decision) };
    },
  };
}

/** The facts that a decision folded, compacted by a core, without events that are not recorded. */
function compactedBy(
  core: Core,
  decision: JobDecided,
  parts: readonly JobFolded[],
  byId: ReadonlyMap<string, JobEvent>,
): Compacted[] {
  return foldedBy(decision, parts).flatMap(({ id }) => {
    const event = byId.get(id);
    return (event === undefined ? null : core.compact(event)) ?? [];
  });
}

/** The changes of each event as text, by the id of the event. */
function linesById(
  events: readonly JobEvent[],
  effective: ReadonlySet<string>,
): ReadonlyMap<string, TimelineLine> {
  const superseded = events.filter(({ type, id }) => type === 'job.decided' && !effective.has(id));
  const narrate = createNarrator(new Set(superseded.map(({ id }) => id)));
  return new Map(events.flatMap((event) => narrate(event).map((line) => [event.id, line] as const)));
}

/** The end of a container is a whole second in the status of its pod. */
const RESOLUTION_MS = 1000;

/**
 * The instant of the change that each event shows: the end of the containers for the first observation of a pod's
 * end, the instant at which the API server received an audited request, and the time of the record for other events. The time of a record in the same second is more exact than the
 * status; an end before the creation of the pod, or after its record, comes from a wrong clock.
 */
function happenedAtIn(events: readonly JobEvent[]): (event: JobEvent) => string {
  const ends = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type !== 'pod.observed') continue;
    const { metadata, status } = event.data.object;
    if (!isTerminal(status?.phase) || ended.has(metadata.uid)) continue;
    ended.add(metadata.uid);
    const end = endIn(event.data.object);
    const isKnown = end !== null && end >= Date.parse(metadata.creationTimestamp);
    if (isKnown && end + RESOLUTION_MS <= Date.parse(event.time)) ends.set(event.id, isoTime(end));
  }
  return (event) =>
    event.type === 'api-request.audited'
      ? isoTime(Date.parse(event.data.receivedAt))
      : (ends.get(event.id) ?? event.time);
}
