import { z } from 'zod';
import { parsedSetting } from '../../../adapters/config.ts';
import { InputError, errorMessage } from '../../../adapters/errors.ts';
import { parseYaml } from '../../../adapters/kubernetes/yaml.ts';
import { ANY, SYSTEM_NAMESPACES } from '../../../adapters/places.ts';
import type { ProfileRef } from './cluster-profiles.ts';

/** A cluster that placed Jobs may use, in the operator's description. */
export interface AllowedCluster {
  name: string;
  labels: Record<string, string>;
  price?: number | undefined;
  /**
   * The ClusterProfile that also describes the cluster; `labels` take precedence over the labels and properties of this
   * profile.
   */
  profile?: ProfileRef | undefined;
  allow: { home: string; namespaces: string[] }[];
}

/**
 * The content of JOBLEDGER_PLACEMENT. A user with the right to create Jobs in a home can run pods in an allowed cluster
 * with any ServiceAccount of the namespace, so the default is an empty list.
 */
const PLACEMENT = z.strictObject({
  clusters: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        labels: z.record(z.string(), z.string()).default({}),
        price: z.number().min(0).optional(),
        profile: z
          .strictObject({
            cluster: z.string().min(1),
            namespace: z.string().min(1),
            name: z.string().min(1),
          })
          .optional(),
        allow: z
          .array(
            z.strictObject({
              home: z.string().min(1),
              namespaces: z.array(z.string().min(1)).min(1, 'name the namespaces, or "*" for all'),
            }),
          )
          .default([]),
      }),
    )
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a cluster is listed twice'),
});

export const placementEnvironment = z.object({ JOBLEDGER_PLACEMENT: parsedSetting(parseClusters, '') });

/**
 * Parses the clusters of the operator; returns an empty list for an empty text. @throws InputError that names the error
 * and its place.
 */
export function parseClusters(text: string): AllowedCluster[] {
  if (text.trim() === '') return [];
  let content: unknown;
  try {
    content = parseYaml(text);
  } catch (error) {
    throw new InputError(`neither YAML nor JSON: ${errorMessage(error)}`);
  }
  const read = PLACEMENT.safeParse(content);
  if (read.success) return read.data.clusters;
  throw new InputError(
    read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  );
}

/**
 * True when Jobs of a namespace of a home may run in the cluster. `*` means every namespace except the namespaces of
 * the system.
 */
export function allowsNamespace({ allow }: AllowedCluster, home: string, namespace: string): boolean {
  const isOrdinary = !SYSTEM_NAMESPACES.includes(namespace);
  return allow.some(
    ({ home: of, namespaces }) =>
      of === home && ((isOrdinary && namespaces.includes(ANY)) || namespaces.includes(namespace)),
  );
}
