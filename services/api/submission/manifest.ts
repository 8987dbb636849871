import { z } from 'zod';
import { OWN_MANAGER, type Claim } from '../../../workflows/kubernetes/names.ts';

const name = z.string().min(1).max(253);

/** As much of a Job's manifest as is read here: the API server checks all of it. */
export const manifestSchema = z
  .looseObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata: z
      .looseObject({
        name: name.optional(),
        generateName: name.optional(),
        namespace: name.optional().describe('Default: default'),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .refine((given) => (given.name === undefined) !== (given.generateName === undefined), {
        message: 'give either name or generateName',
      }),
    spec: z.looseObject({ managedBy: z.string().optional(), template: z.looseObject({}) }),
  })
  .meta({ id: 'JobManifest' });
export type Manifest = z.infer<typeof manifestSchema>;

const SUBMITTED_BY = 'jobledger.dev/submitted-by';

/** What is sent to the API server: the Job is ours unless it says otherwise, and tells who submitted it. */
export function submitted(manifest: Manifest, { claim, by }: { claim: Claim; by: string }): Manifest {
  const { metadata, spec } = manifest;
  // Under `all` we drive what names nobody, as the built-in controller would.
  const managedBy = spec.managedBy ?? (claim === 'managed' ? OWN_MANAGER : undefined);
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [SUBMITTED_BY]: by } },
    spec: { ...spec, ...(managedBy !== undefined && { managedBy }) },
  };
}
