import type { Command } from '../../../../workflows/job/commands.ts';
import type { Outcome } from '../../../../workflows/job/outcomes.ts';
import { refusalEvents } from '../../../adapters/kubernetes/events-on-job.ts';
import type { CommandTable } from '../../command/command-table.ts';
import { deleteJob, setSuspend, writeStatus } from './change-job.ts';
import { checkCommand, type FindStartObstacle } from './check.ts';
import type { CommandContext } from './command-context.ts';
import { createPods } from './create-pods.ts';
import { deletePods } from './delete-pods.ts';
import { ensureGang } from './ensure-gang.ts';
import { emitOnJob } from './emit-on-job.ts';
import { lookUpJob, lookUpOrphans, lookUpPods } from './look-up.ts';
import { hasFailed, isIncomplete } from './outcome-of.ts';
import { adoptPods, disownPods, releasePods } from './pod-patches.ts';

/** The commands about a Job. */
export function jobCommands(
  findStartObstacle: FindStartObstacle,
): CommandTable<CommandContext, Command, Outcome> {
  return {
    check: (context, command) => checkCommand(context, command, findStartObstacle),
    send: {
      CreatePods: createPods,
      DeletePods: deletePods,
      ReleasePods: releasePods,
      AdoptPods: adoptPods,
      DisownPods: disownPods,
      WriteStatus: writeStatus,
      async EmitEvents(context, { events }) {
        await emitOnJob(context, events);
        return { kind: 'EmitEvents' };
      },
      SetSuspend: setSuspend,
      RefuseRequest: (_context, { request }) => Promise.resolve({ kind: 'RefuseRequest', request }),
      LookUpJob: lookUpJob,
      LookUpPods: lookUpPods,
      DeleteJob: deleteJob,
      LookUpOrphans: lookUpOrphans,
      EnsureGang: ensureGang,
    },
    skip: () => Promise.resolve({ kind: 'skipped' }),
    endsLane: (command, outcome) => hasFailed(outcome) || isIncomplete(command, outcome),
    report: (context, _command, outcome) => emitOnJob(context, refusalEvents(context.job, outcome)),
  };
}
