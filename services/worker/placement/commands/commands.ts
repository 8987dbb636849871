import type { PlacementCarryOutInput } from '../../../../workflows/activities.ts';
import { AFTER } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommand, PlacementEventText } from '../../../../workflows/placement/commands.ts';
import { endsLane, commandLane, type PlacementOutcome } from '../../../../workflows/placement/outcomes.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import type { CommandTable } from '../../command/command-table.ts';
import { emitEvents } from '../../command/emit-events.ts';
import { readThisJob } from '../../command/requests.ts';
import type { PlacementContext } from './context.ts';
import { createMember } from './create-member.ts';
import { releaseGuard, renewGuard } from './guard.ts';
import { deletePlacedJob, holdJob, releaseJob, suspendPlacedJob, writePlacedStatus } from './home.ts';
import {
  createImpatientClient,
  outageAsNoAnswer,
  toRefusal,
  type NoAnswer,
  type Refusal,
} from './member-cluster.ts';
import { changeMember, deleteMember, lookUpMember } from './members.ts';

/** The position of the Event that belongs to no command, after the Events of the command. */
const NOTICE = 900;
/** The component in the Events. */
const COMPONENT = 'jobledger-placement';

/** The context of the commands of one attempt, with the values that their Events need. */
interface PlacementCommandContext extends PlacementContext {
  /** The dependencies for Events, which may take longer than other requests to the home. */
  events: { client: KubernetesClient; log: Log; now: () => number };
  /** The placed Job that was last read or written in this attempt; null when there was none. */
  lastRead(): Job | null;
  noticedChains: Set<string>;
}

/** The commands about a placed Job. */
export const PLACEMENT_COMMANDS: CommandTable<PlacementCommandContext, PlacementCommand, PlacementOutcome> = {
  send: {
    AddFinalizer: (context, { kind }) => answerOfHome(context, { kind }, () => holdJob(context)),
    RemoveFinalizer: (context, { kind }) => answerOfHome(context, { kind }, () => releaseJob(context)),
    CreateMember: createMember,
    RenewGuard: renewGuard,
    ReleaseGuard: releaseGuard,
    ChangeMember: changeMember,
    DeleteMember: deleteMember,
    LookUpMember: lookUpMember,
    WriteStatus: (context, command) =>
      answerOfHome(context, { kind: command.kind }, () => writePlacedStatus(context, command)),
    SetSuspend: (context, command) =>
      answerOfHome(context, { kind: command.kind, request: command.request }, () =>
        suspendPlacedJob(context, command),
      ),
    DeleteJob: (context, command) =>
      answerOfHome(context, { kind: command.kind }, () => deletePlacedJob(context, command)),
    EndGrant: (_context, { kind }) => Promise.resolve({ kind }),
    ShareOut: (_context, { kind }) => Promise.resolve({ kind }),
    EmitEvents: (_context, { kind }) => Promise.resolve({ kind }),
  },
  // An Event reports the decision, whatever the outcome of the preceding command.
  skip: (_context, { kind }) => Promise.resolve({ kind: kind === 'EmitEvents' ? kind : 'skipped' }),
  endsLane,
  commandLane,
  async report({ events, eventKey, job, signal, lastRead, noticedChains }, command) {
    const emission = {
      ...events,
      eventKey,
      job,
      signal,
      component: COMPONENT,
      kind: 'Job',
      resourceVersion: '',
    } as const;
    if (command.kind === 'EmitEvents') await emitEvents(emission, command.events);
    // The core ignores chains of placed Jobs, so the worker sends the Event.
    const live = lastRead();
    const notice = live === null ? null : chainNotice(live, noticedChains);
    if (notice !== null) await emitEvents({ ...emission, from: NOTICE }, [notice]);
  },
};

/** The answer of the home to a command, which may be a refusal or the absence of an answer. */
async function answerOfHome<C extends object, A>(
  context: PlacementContext,
  command: C,
  act: () => Promise<A>,
): Promise<A | (C & (NoAnswer | Refusal))> {
  const outcome = await outageAsNoAnswer(context, () => act().then((of) => ({ of }), toRefusal));
  return 'of' in outcome ? outcome.of : { ...command, ...outcome };
}

/**
 * The Event about a placed Job that should wait for other Jobs (J-12.6), because placed Jobs cannot wait. The result is
 * null for other Jobs, and when this process has already sent the Event. `noticed` contains the UIDs of the reported
 * Jobs, and the UID of a newly reported Job is added.
 */
export function chainNotice({ metadata, spec }: Job, noticed: Set<string>): PlacementEventText | null {
  if (metadata.annotations?.[AFTER] === undefined || noticed.has(metadata.uid)) return null;
  noticed.add(metadata.uid);
  const end = spec.suspend === true ? ', and the Job stays suspended until a user resumes it' : '';
  return {
    type: 'Warning',
    reason: 'InvalidAnnotation',
    message: `a placed Job cannot wait for other Jobs: ${AFTER} has no effect${end}`,
  };
}

/** The dependencies of the commands about placed Jobs. */
export type PlacementCommandDependencies = Pick<
  PlacementContext,
  'memberClient' | 'requireKnownCluster' | 'getEpoch'
> & {
  client: KubernetesClient;
  log: Log;
  now: () => number;
  /**
   * The UIDs of the placed Jobs for which this process has sent the Event that placed Jobs cannot wait for other Jobs.
   */
  noticedChains: Set<string>;
};

/** Creates the context of one attempt, which keeps the placed Job that was last read or written. */
export function createPlacementContext(
  {
    client,
    memberClient,
    requireKnownCluster,
    getEpoch,
    log,
    now,
    noticedChains,
  }: PlacementCommandDependencies,
  { job, decided: { id: decision } }: Pick<PlacementCarryOutInput, 'job' | 'decided'>,
  signal: AbortSignal,
): PlacementCommandContext {
  let live: Job | null = null;
  const rememberJob = (read: Job): void => void (live = read);
  const home = createImpatientClient(client);
  const readJob = async (): Promise<Job | null> => {
    const read = await readThisJob({ client: home, job, signal });
    if (read !== null) rememberJob(read);
    return read;
  };
  return {
    client: home,
    memberClient,
    requireKnownCluster,
    getEpoch,
    job,
    signal,
    decision,
    rememberJob,
    readJob,
    events: { client, log, now },
    lastRead: () => live,
    noticedChains,
  };
}
