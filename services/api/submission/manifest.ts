import { z } from 'zod';
import { textUpTo } from '../schemas/values.ts';
import { OWN_MANAGER, SUBMISSION, type Claim } from '../../../workflows/kubernetes/names.ts';

const name = textUpTo(253);

/** The server refuses this member at every level of every body. */
const NO_PROTOTYPE = { propertyNames: { not: { enum: ['__proto__'] } } };

/** The parts of a Job's manifest that the API reads. The API server validates the whole manifest. */
export const manifestSchema = z
  .looseObject({
    apiVersion: z.literal('batch/v1'),
    kind: z.literal('Job'),
    metadata: z
      .looseObject({
        name: name.optional(),
        generateName: name.optional(),
        namespace: name
          .optional()
          .describe('The namespace of the Job; the default is the namespace "default"'),
        annotations: z.record(z.string(), z.string()).meta(NO_PROTOTYPE).optional(),
      })
      .refine((given) => (given.name === undefined) !== (given.generateName === undefined), {
        message: 'set either name or generateName',
      })
      .meta({ ...NO_PROTOTYPE, oneOf: [{ required: ['name'] }, { required: ['generateName'] }] }),
    spec: z
      .looseObject({ managedBy: z.string().optional(), template: z.looseObject({}).meta(NO_PROTOTYPE) })
      .meta(NO_PROTOTYPE),
  })
  .meta({
    id: 'JobManifest',
    ...NO_PROTOTYPE,
    examples: [
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'pi' },
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'pi', image: 'busybox', command: ['sh', '-c', 'echo 3.14159'] }],
            },
          },
        },
      },
    ],
  });
export type Manifest = z.infer<typeof manifestSchema>;

export const SUBMITTED_BY = 'jobledger.dev/submitted-by';

/**
 * The manifest for the API server, with an annotation of the submitter, and with our `managedBy` unless the manifest
 * has its own.
 */
export function submittedManifest(manifest: Manifest, { claim, by }: { claim: Claim; by: string }): Manifest {
  const { metadata, spec } = manifest;
  const { [SUBMISSION]: _ofAnotherJob, ...annotations } = metadata.annotations ?? {};
  // With the claim `all`, Jobledger also controls Jobs without managedBy, like the built-in controller.
  const managedBy = spec.managedBy ?? (claim === 'managed' ? OWN_MANAGER : undefined);
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...annotations, [SUBMITTED_BY]: by } },
    spec: { ...spec, ...(managedBy !== undefined && { managedBy }) },
  };
}

/** The manifest with the id of its submission, which connects the Job and the submission in the ledger. */
export function withSubmissionId(manifest: Manifest, submission: string): Manifest {
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [SUBMISSION]: submission } },
  };
}
