import type { PlacementCore } from '../../cores/cores.ts';
import { canonicalJson } from '../../ledger/digest.ts';
import { foldSteps, type StepOf } from '../../decision/folding.ts';
import type { PlacementCommand } from '../../placement/commands.ts';
import type { PlacementEvent } from '../../placement/events.ts';
import type { PlacementState } from '../../placement/state.ts';
import { parseCauseId } from '../why/cause-id.ts';
import { necessaryFacts } from '../why/necessary.ts';

type Step = StepOf<PlacementEvent, PlacementState>;
type Verdict = ReturnType<PlacementCore['decide']>;

/**
 * Returns the ids of the facts without which the core would not have decided a command or a reason to wait; runs the
 * core again with fewer facts. If no fact was needed, returns the facts of earlier decisions after which only time
 * had to pass.
 */
export function createReasons(
  home: readonly PlacementEvent[],
  core: PlacementCore,
): (id: string) => string[] | undefined {
  let steps: Map<string, Step> | null = null;
  return (id) => {
    const ref = parseCauseId(id);
    if (ref.kind === 'event') return undefined;
    steps ??= new Map([...foldSteps(home, core)].map((step) => [step.decision.id, step]));
    const step = steps.get(ref.event);
    if (step === undefined) return [];
    const { commands, waiting } = step.decision.data;
    if (ref.kind === 'waiting')
      return reasonsFor(core, steps, step, (verdict) => verdict.waiting?.message === waiting?.message);
    const command = commands[ref.command];
    if (command === undefined) return [];
    const essence = commandEssence(command);
    return reasonsFor(core, steps, step, (verdict) =>
      verdict.commands.some((each) => commandEssence(each) === essence),
    );
  };
}

/** The facts or earlier decisions that a result of a decision needs. */
function reasonsFor(
  core: PlacementCore,
  steps: ReadonlyMap<string, Step>,
  { decision }: Step,
  holds: (verdict: Verdict) => boolean,
): string[] {
  const { now, settings } = decision.data;
  let at: Step | undefined = steps.get(decision.id);
  while (at !== undefined) {
    const { before, events } = at;
    /** The verdict of the core after some facts. */
    const verdictAfter = (facts: readonly PlacementEvent[]): Verdict =>
      core.decide(
        core.fold(
          before,
          facts.flatMap((event) => core.compact(event) ?? []),
        ),
        now,
        settings,
      );
    const needed = necessaryFacts(events, (facts) => holds(verdictAfter(facts)));
    if (needed === null) return events.map(({ id }) => id);
    if (needed !== 'always') return needed.map(({ id }) => id);
    const { predecessor } = at.decision.data;
    at = predecessor === null ? undefined : steps.get(predecessor);
  }
  return [];
}

/** A text that is equal for two commands with the same effect; versions and reasons are ignored. */
function commandEssence(command: PlacementCommand): string {
  switch (command.kind) {
    case 'WriteStatus': {
      const before = new Set((command.from.conditions ?? []).map(({ type, status }) => `${type}=${status}`));
      const added = (command.to.conditions ?? []).filter(
        ({ type, status }) => !before.has(`${type}=${status}`),
      );
      const { conditions: _conditions, startTime: _started, completionTime: _ended, ...counts } = command.to;
      return canonicalJson([
        command.kind,
        added.length > 0 ? added.map(({ type, status }) => `${type}=${status}`) : counts,
      ]);
    }
    case 'EmitEvents':
      return canonicalJson([command.kind, command.events.map(({ reason }) => reason)]);
    case 'ShareOut':
      return canonicalJson([command.kind, command.shares]);
    case 'SetSuspend':
      return canonicalJson([command.kind, command.request]);
    case 'EndGrant':
      return canonicalJson([command.kind, command.grant, command.reason]);
    case 'ChangeMember':
      return canonicalJson([
        command.kind,
        command.grant,
        command.spec,
        command.stop ?? null,
        command.indexes ?? null,
      ]);
    case 'CreateMember':
    case 'RenewGuard':
    case 'ReleaseGuard':
    case 'DeleteMember':
    case 'LookUpMember':
      return canonicalJson([command.kind, command.grant]);
    case 'AddFinalizer':
    case 'RemoveFinalizer':
    case 'DeleteJob':
      return command.kind;
  }
}
