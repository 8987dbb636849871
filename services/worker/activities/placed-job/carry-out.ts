import type { PlacementCarryOutInput } from '../../../../workflows/activities.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import type { PlacementCommand } from '../../../../workflows/placement/commands.ts';
import type { PlacementOutcomeRecorded } from '../../../../workflows/placement/events.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { PLACED_JOB } from '../../../../workflows/placement/kind.ts';
import { endsLane, commandLane, type PlacementOutcome } from '../../../../workflows/placement/outcomes.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { CountRules } from '../../metrics.ts';
import type { RequireKnownCluster } from '../../placement/known-cluster.ts';
import { carryOut, type Actions, type Attempt, type CarryOutDependencies } from '../carry-out.ts';
import { emitEvents } from '../emit-events.ts';
import { readThisJob } from '../requests.ts';
import { chainNotice } from './chain-notice.ts';
import {
  outageAsNoAnswer,
  createImpatientClient,
  type AnyPlacementOutcome,
  type NoAnswer,
  type PlacementContext,
} from './context.ts';
import { releaseGuard, renewGuard } from './guard.ts';
import { deletePlacedJob, holdJob, releaseJob, suspendPlacedJob, writePlacedStatus } from './home.ts';
import {
  toRefusal,
  changeMember,
  createMember,
  deleteMember,
  lookUpMember,
  type Refusal,
} from './members.ts';

export interface PlacementDependencies extends CarryOutDependencies {
  /** The client for a cluster in this attempt; null when this worker has no access. */
  memberClient: (cluster: string) => KubernetesClient | null;
  requireKnownCluster: RequireKnownCluster;
  getEpoch: PlacementContext['getEpoch'];
  countRules: CountRules;
  /**
   * The UIDs of the placed Jobs for which this process has sent the Event that placed Jobs cannot wait for other Jobs.
   */
  noticedChains: Set<string>;
}

/** The position of the Event that belongs to no command, after the Events of the command. */
const NOTICE = 900;
/** The component in the Events. */
const COMPONENT = 'jobledger-placement';

/** Carries out a decision about a placed Job (the port's `carryOutPlacedJob`). */
export function carryOutPlacedJob(
  dependencies: PlacementDependencies,
  order: PlacementCarryOutInput,
  attempt: Attempt<Unstamped<PlacementOutcomeRecorded>>,
): Promise<Unstamped<PlacementOutcomeRecorded>[]> {
  const { client, memberClient, requireKnownCluster, getEpoch, noticedChains } = dependencies;
  const { job } = order;
  const { id: decision, data } = order.decided;
  const { signal } = attempt;
  let live: Job | null = null;
  const rememberJob = (read: Job): void => void (live = read);
  const home = createImpatientClient(client);
  const context: PlacementContext = {
    client: home,
    memberClient,
    requireKnownCluster,
    getEpoch: getEpoch,
    job,
    signal,
    decision,
    rememberJob,
    async readJob() {
      const read = await readThisJob({ client: home, job, signal });
      if (read !== null) rememberJob(read);
      return read;
    },
  };
  const emission = {
    ...dependencies,
    client,
    job,
    signal,
    component: COMPONENT,
    kind: 'Job',
    resourceVersion: '',
  } as const;
  const actions: Actions<PlacementCommand, PlacementOutcome> = {
    send: (command) => carryOutCommand(context, command),
    // An Event reports the decision, whatever the outcome of the preceding command.
    skip: ({ kind }) => Promise.resolve({ kind: kind === 'EmitEvents' ? kind : 'skipped' }),
    isLast: endsLane,
    commandLane,
    async report(command, _outcome, at) {
      const eventKey = { decision, now: data.now, command: at };
      if (command.kind === 'EmitEvents') await emitEvents({ ...emission, eventKey }, command.events);
      // The core ignores chains of placed Jobs, so the worker sends the Event.
      const notice = live === null ? null : chainNotice(live, noticedChains);
      if (notice !== null) await emitEvents({ ...emission, eventKey, from: NOTICE }, [notice]);
    },
    ended: () => void dependencies.countRules(order.decided),
  };
  return carryOut(dependencies, PLACED_JOB, order, actions, attempt);
}

function carryOutCommand(context: PlacementContext, command: PlacementCommand): Promise<AnyPlacementOutcome> {
  switch (command.kind) {
    case 'AddFinalizer':
      return answerOfHome(context, { kind: command.kind }, () => holdJob(context));
    case 'RemoveFinalizer':
      return answerOfHome(context, { kind: command.kind }, () => releaseJob(context));
    case 'CreateMember':
      return createMember(context, command);
    case 'RenewGuard':
      return renewGuard(context, command);
    case 'ReleaseGuard':
      return releaseGuard(context, command);
    case 'ChangeMember':
      return changeMember(context, command);
    case 'DeleteMember':
      return deleteMember(context, command);
    case 'LookUpMember':
      return lookUpMember(context, command);
    case 'WriteStatus':
      return answerOfHome(context, { kind: command.kind }, () => writePlacedStatus(context, command));
    case 'SetSuspend':
      return answerOfHome(context, { kind: command.kind, request: command.request }, () =>
        suspendPlacedJob(context, command),
      );
    case 'DeleteJob':
      return answerOfHome(context, { kind: command.kind }, () => deletePlacedJob(context, command));
    case 'EndGrant':
    case 'ShareOut':
      return Promise.resolve({ kind: command.kind });
    case 'EmitEvents':
      return Promise.resolve({ kind: 'EmitEvents' });
  }
}

/** The answer of the home to a command, which may be a refusal or the absence of an answer. */
async function answerOfHome<C extends object, A>(
  context: PlacementContext,
  command: C,
  act: () => Promise<A>,
): Promise<A | (C & (NoAnswer | Refusal))> {
  const outcome = await outageAsNoAnswer(context, () => act().then((of) => ({ of }), toRefusal));
  return 'of' in outcome ? outcome.of : { ...command, ...outcome };
}
