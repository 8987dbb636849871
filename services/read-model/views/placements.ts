import { z } from 'zod';
import { HELD_INDEXES, PLACEMENTS } from '../tables/placements.ts';
import { omitColumns } from '../tables/table.ts';
import { viewSchema } from './view.ts';

/** A row of `jobledger.placements`, with the last observed facts of its member. */
export const PLACEMENT_VIEW = viewSchema(
  omitColumns(
    PLACEMENTS.columns,
    'cluster',
    'job_uid',
    'namespace',
    'job_name',
    'resource_version',
    'granted',
  ),
  {
    grant_number: 'The number of the grant among the grants of the Job, from 1',
    placed_in: 'The cluster that got the Job',
    member_name: 'The name of the member in the cluster',
    member_uid: 'Null when it is not known whether the member was created',
    given_at: 'The instant of the decision that gave the Job to the cluster',
    decision: 'The id of the decision that gave the Job to the cluster',
    message: 'The chosen cluster, and the reasons why the other clusters were refused',
    stopping:
      'The reason why the member is stopped although the Job continues: drain, spill, lost, returned, unguarded or again',
    refused: 'The reason why the cluster refused the member',
    indexes: 'The complete indexes, including the indexes of earlier members',
    succeeded: 'The number of succeeded pods, including the pods of earlier members',
    failed: 'The number of failed pods, including the pods of earlier members',
    ended_at: 'Null while the cluster has the Job',
    end_reason:
      'The reason why no pod of the member can run after ended_at: finished, stopped, gone, refused, guarded, lost, time or deleted',
    end_decision: 'The decision that ended the grant; null when the member ended by itself',
    end_message: 'The reason why the grant ended',
    overlapped:
      'True when the cluster answered again and still ran the member after another cluster had got the Job',
  },
).extend({
  granted: z
    .array(HELD_INDEXES)
    .nullable()
    .describe(
      'The indexes that the member of a spread Job could run, each with its period; null when the member could run all indexes',
    ),
  current_indexes: z
    .string()
    .nullable()
    .describe(
      'The indexes that the member of a spread Job can run at present; null when the member could run all indexes',
    ),
  kubectl_status: z
    .string()
    .nullable()
    .describe('The status of the member, as kubectl shows it; null when the member was not seen'),
  active: z
    .int()
    .nullable()
    .describe('The number of pods of the member that have not ended; null when the member was not seen'),
});
export type PlacementView = z.infer<typeof PLACEMENT_VIEW>;

/** The placed Job that a member runs. */
export const HOME_VIEW = z.object({
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});
export type HomeView = z.infer<typeof HOME_VIEW>;
