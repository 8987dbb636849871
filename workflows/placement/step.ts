import type { StepInput, StepResult } from '../decision/step.ts';
import * as core from './core.ts';
import type { PlacementDecider, PlacementDecisionRecord } from './record/decision-record.ts';
import type { PlacementSettings } from './settings.ts';
import type { PlacementState } from './state.ts';

type PlacementStepInput = StepInput<PlacementDecider, PlacementState, PlacementSettings>;
type PlacementStepResult = StepResult<PlacementState, PlacementDecisionRecord>;

/**
 * Makes one step of a placed Job: decides, and records the decision if it is new, with the candidates if it used
 * them.
 */
export function step({ decider, state, now, settings: given }: PlacementStepInput): PlacementStepResult {
  const settings = withOwnClusters(given, state);
  const { candidates: use, ...verdict } = core.decide(state, now, settings);
  const { nextDecisionAt } = verdict;
  if (!core.isNews(state, verdict)) return { state, nextDecisionAt, decision: null };
  const { candidates: _unused, ...others } = settings;
  const decision = core.decisionRecord(decider, state, verdict, now, use === 'read' ? settings : others);
  return { state: core.fold(state, [decision.decided]), nextDecisionAt, decision };
}

/**
 * The settings with the availability of the home and of the clusters that the Job has had or could get, and of no
 * other cluster, because users who may read the Job may not learn of clusters that the Job may not use.
 */
function withOwnClusters(
  { clusters, ...settings }: PlacementSettings,
  { job, grants }: PlacementState,
): PlacementSettings {
  const home = job === null ? [] : [job];
  const its = new Set(
    [...home, ...grants, ...(settings.candidates?.clusters ?? [])].map(({ cluster }) => cluster),
  );
  const known = Object.entries(clusters ?? {}).filter(([cluster]) => its.has(cluster));
  return known.length === 0 ? settings : { ...settings, clusters: Object.fromEntries(known) };
}
