import { PLACEMENT_CORES, type PlacementCore } from '../../cores/cores.ts';
import { isSameJson } from '../../ledger/digest.ts';
import { isoTime } from '../../ledger/instants.ts';
import { foldSteps, effectiveDecisions, type StepOf } from '../../decision/folding.ts';
import { isOfKind, type LedgerEvent } from '../../ledger-event.ts';
import type { PlacementCommand } from '../../placement/commands.ts';
import { isGift } from '../../placement/definitions/grants.ts';
import type { PlacementDecided, PlacementEvent } from '../../placement/events.ts';
import type { Candidates } from '../../placement/settings.ts';
import type { PlacementState } from '../../placement/state.ts';
import { refusal, type Refused } from '../refused.ts';
import { findBreak } from '../verify/break-in.ts';
import type { PlacementChoice, ComparedChoice, PlacementChange, WhatIfPlacements } from './types.ts';

/**
 * Returns the clusters of a placed Job when some clusters are left out, or with other prices or other shares. Each
 * recorded decision that made a choice is made again by its own core, from the candidates in its settings. After the
 * first different choice nothing is known: no fact shows what the Job would have done in another cluster. `events` is
 * the stream of the Job in ledger order.
 */
export function whatIfPlacements(
  events: readonly LedgerEvent[],
  change: PlacementChange,
): WhatIfPlacements | Refused {
  const stream = events.filter((event) => isOfKind('PlacedJob', event));
  if (stream.length === 0)
    return refusal('unknown', 'it is not a placed Job: its cluster was not chosen by Jobledger');
  const broken = findBreak(stream);
  if (broken !== null) return broken;
  const choosing = effectiveDecisions(stream).filter(({ data }) => data.settings.candidates !== undefined);
  const [first] = choosing;
  if (first === undefined) return refusal('unknown', 'no recorded decision chose a cluster for the Job');
  const unfit = unfitFor(choosing, change);
  if (unfit !== null) return refusal('unknown', unfit);
  const choices = compareChoices(stepsByOwnCore(stream), change);
  const different = choices.find(({ result }) => result === 'different');
  return {
    job: `${first.data.cluster}/${first.subject}`,
    uid: first.data.jobUid,
    cores: [...new Set(choosing.map(({ data }) => data.core))],
    comparison: different === undefined ? 'same' : 'different',
    choices,
    unknown:
      different === undefined
        ? null
        : { since: different.at, message: 'nobody saw how the Job would have gone on after another choice' },
  };
}

/** The reason why the question has no meaning; null when it has a meaning. */
function unfitFor(
  choosing: readonly PlacementDecided[],
  { without, prices, spread }: PlacementChange,
): string | null {
  const isShared = choosing.some(({ data }) => data.commands.some(({ kind }) => kind === 'ShareOut'));
  if (spread !== undefined && !isShared)
    return 'no recorded decision shared the Job out: it ran in one cluster at a time';
  const known = new Set(
    choosing.flatMap(({ data }) => data.settings.candidates?.clusters.map(({ cluster }) => cluster) ?? []),
  );
  const unknown = [...without, ...Object.keys(prices)].find((cluster) => !known.has(cluster));
  if (unknown === undefined) return null;
  const names = [...known].toSorted().join(', ');
  return `no recorded choice had a cluster "${unknown}"; they had ${names === '' ? 'none' : names}`;
}

type Step = StepOf<PlacementEvent, PlacementState> & { core: PlacementCore };

/** The steps that make a choice, each folded by the core that made its decision. */
function stepsByOwnCore(stream: readonly PlacementEvent[]): Step[] {
  const effective = effectiveDecisions(stream);
  const cores = new Set(
    effective.map(({ data }) => PLACEMENT_CORES.ofVersion(data.core) ?? PLACEMENT_CORES.present),
  );
  return [...cores]
    .flatMap((core) =>
      [...foldSteps(stream, core)].flatMap((step) => {
        const { settings, core: version } = step.decision.data;
        return version === core.CORE_VERSION && settings.candidates !== undefined ? [{ ...step, core }] : [];
      }),
    )
    .toSorted((a, b) => a.decision.data.number - b.decision.data.number);
}

/**
 * Compares the choice of each step with the choice under the change; after the first different choice, the result is
 * unknown.
 */
function compareChoices(steps: readonly Step[], change: PlacementChange): ComparedChoice[] {
  let isUnknown = false;
  return steps.map((step) => {
    const { now, number, commands, waiting } = step.decision.data;
    const actual = choiceIn(step.before, { commands, waiting });
    const counterfactual = isUnknown ? null : chooseAgain(step, change);
    const result =
      counterfactual === null ? 'unknown' : isSameChoice(actual, counterfactual) ? 'same' : 'different';
    if (result === 'different') isUnknown = true;
    return { at: isoTime(now), decisionNumber: number, result, actual, counterfactual };
  });
}

/** Makes the choice of a step again under the change. */
function chooseAgain({ core, before, events, decision }: Step, change: PlacementChange): PlacementChoice {
  const { now, settings } = decision.data;
  const folded = core.fold(
    before,
    events.flatMap((event) => core.compact(event) ?? []),
  );
  const state = withSpread(folded, change.spread);
  const candidates =
    settings.candidates === undefined ? {} : { candidates: changedCandidates(settings.candidates, change) };
  return choiceIn(state, core.decide(state, now, { ...settings, ...candidates }));
}

/** The state as if the annotation of the Job had the value of the question. */
function withSpread(state: PlacementState, spread: PlacementChange['spread']): PlacementState {
  const { job } = state;
  if (spread === undefined || job === null) return state;
  return { ...state, job: { ...job, preferences: { ...job.preferences, spread } } };
}

/** The candidates without the excluded clusters, with the prices of the question. */
function changedCandidates(
  { clusters, ...read }: Candidates,
  { without, prices }: PlacementChange,
): Candidates {
  return {
    ...read,
    clusters: clusters.map((candidate) => {
      const { cluster } = candidate;
      const price = prices[cluster];
      return {
        ...candidate,
        ...(price !== undefined && { price }),
        ...(without.includes(cluster) && { refused: 'left out of this question' }),
      };
    }),
  };
}

/** The choice that the commands of a decision make. */
function choiceIn(
  { grants }: PlacementState,
  { commands, waiting }: Pick<PlacementDecided['data'], 'commands' | 'waiting'>,
): PlacementChoice {
  /** True for a grant that the decision gives. */
  const isNew = (grant: number): boolean => grants.every(({ number }) => number !== grant);
  for (const command of commands) {
    const { message } = command.why;
    if (command.kind === 'ShareOut')
      return {
        kind: 'shared',
        cluster: null,
        shares: command.shares,
        begun: indexesOfNewMembers(commands),
        message,
      };
    if (isGift(command) && isNew(command.grant))
      return { kind: 'given', cluster: command.cluster, ...UNSHARED, message };
    if (command.kind === 'ChangeMember' && command.stop === 'spill')
      return { kind: 'left', cluster: command.cluster, ...UNSHARED, message };
  }
  return {
    kind: 'waited',
    cluster: null,
    ...UNSHARED,
    message: waiting?.message ?? 'the decision changed nothing',
  };
}

const UNSHARED = { shares: null, begun: null };

/** The indexes of the new members that commands create, by cluster. */
function indexesOfNewMembers(commands: readonly PlacementCommand[]): Record<string, string> {
  return Object.fromEntries(
    commands.flatMap((command) => {
      if (!isGift(command)) return [];
      const indexes = command.kind === 'CreateMember' ? command.indexes : command.part?.indexes;
      return indexes === undefined ? [] : [[command.cluster, indexes] as const];
    }),
  );
}

/** True when two choices agree in their clusters and shares; the reasons are not compared. */
function isSameChoice(a: PlacementChoice, b: PlacementChoice): boolean {
  return a.kind === b.kind && a.cluster === b.cluster && isSameJson(a.shares, b.shares);
}
