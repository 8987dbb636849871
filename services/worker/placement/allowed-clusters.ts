import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, messageOf } from '../../adapters/errors.ts';
import { parseYaml } from '../../adapters/kubernetes/yaml.ts';

/** A cluster that placed Jobs may use, as the operator describes it. */
export interface AllowedCluster {
  name: string;
  labels: Record<string, string>;
  price?: number | undefined;
  allow: { home: string; namespaces: string[] }[];
}

/** Whoever may create Jobs at home can run pods there with any ServiceAccount of the namespace, so nothing is allowed by default. */
const FILE = z.strictObject({
  clusters: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        labels: z.record(z.string(), z.string()).default({}),
        price: z.number().min(0).optional(),
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

export const placementEnvironment = z.object({ JOBLEDGER_PLACEMENT_FILE: z.string().optional() });

/** The clusters in the operator's file; none without a file. @throws InputError that names what is wrong, and where. */
export function allowedClusters({
  JOBLEDGER_PLACEMENT_FILE: file,
}: z.infer<typeof placementEnvironment>): AllowedCluster[] {
  if (file === undefined) return [];
  let content: unknown;
  try {
    content = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InputError(`JOBLEDGER_PLACEMENT_FILE: ${file} cannot be read: ${messageOf(error)}`);
  }
  const read = FILE.safeParse(content);
  if (read.success) return read.data.clusters;
  const lines = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new InputError(`JOBLEDGER_PLACEMENT_FILE: ${file} is not usable:\n  ${lines.join('\n  ')}`);
}

/** Whether Jobs of a namespace of a home may run there. */
export function allows({ allow }: AllowedCluster, home: string, namespace: string): boolean {
  return allow.some(
    ({ home: of, namespaces }) => of === home && (namespaces.includes('*') || namespaces.includes(namespace)),
  );
}
