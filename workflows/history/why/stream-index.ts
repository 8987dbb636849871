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
export interface DecisionContext {
  decision: JobDecided;
  core: Core;
  before: JobState;
  facts: readonly Compacted[];
}

/** The stream of one Job, indexed. */
export interface StreamIndex {
  /** The events of the Job, each once, in ledger order. */
  events: readonly JobEvent[];
  /** Any event of the stream, also one that concerns the whole cluster. */
  event(id: string): JobEvent | undefined;
  /** The last line of the timeline about an event; a line without a message if the timeline has none. */
  line(event: JobEvent): TimelineLine;
  /** The instant of what an event shows, where it is known; otherwise the time of its record; in RFC 3339. */
  happenedAt(event: JobEvent): string;
  /** The effective decisions, in order. */
  effective: readonly JobDecided[];
  /** The core of the last effective decision. */
  core: Core;
  /**
   * The context of a decision, which may be superseded, computed by the core that made it unless another core is given;
   * null when the id belongs to no decision.
   */
  contextOfDecision(decision: string, core?: Core): DecisionContext | null;
}

/**
 * States are large, so only the latest `recent` states and every `each`-th state are kept. An earlier state is folded again from the
 * nearest kept state before it.
 */
const KEPT = { recent: 64, each: 64 };

/** Indexes the stream of a Job. The stream may have an event twice, and events of the cluster, such as gaps. */
export function indexStream(stream: readonly JobEvent[]): StreamIndex {
  const byId = new Map<string, JobEvent>();
  for (const event of stream) if (!byId.has(event.id)) byId.set(event.id, event);
  const events = [...byId.values()].filter((event) => 'jobUid' in event.data);
  const decisions = events.filter((event) => event.type === 'job.decided');
  const effective = effectiveDecisions(events);
  const foldedParts = events.filter((event) => event.type === 'job.folded');
  /** The facts that a decision folded, compacted by a core. */
  const decisionFacts = (core: Core, decision: JobDecided): Compacted[] =>
    compactedBy(core, decision, foldedParts, byId);
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
    contextOfDecision(id, wanted) {
      const decision = byId.get(id);
      if (decision?.type !== 'job.decided') return null;
      const core = wanted ?? JOB_CORES.ofVersion(decision.data.core) ?? JOB_CORES.present;
      const before = getStates(core).after(decision.data.predecessor);
      return { decision, core, before, facts: decisionFacts(core, decision) };
    },
  };
}

/**
 * The facts that a decision folded, compacted by a core, without those that the stream lacks or that the core does not use. A long
 * list of folded facts is in several records, the folded parts.
 */
function compactedBy(
  core: Core,
  decision: JobDecided,
  foldedParts: readonly JobFolded[],
  byId: ReadonlyMap<string, JobEvent>,
): Compacted[] {
  return foldedBy(decision, foldedParts).flatMap(({ id }) => {
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
 * The instant of the change that an event shows, in RFC 3339. For the first observation of a pod's end, this is the end of its
 * containers, which the status has in whole seconds. The time of the record takes its place when it is in the same second, because
 * it is more exact, and when the end is before the creation of the pod or after the record, because a clock is wrong. For an audited
 * request, the instant is that of its receipt by the API server; for any other event, the time of the record.
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
