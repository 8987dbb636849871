import { parseAllDocuments } from 'yaml';
import { InputError } from '../../../services/adapters/errors.ts';

/** The fields of a Job's manifest that are read here; the API and the cluster validate all of it. */
export interface JobManifest {
  readonly kind: 'Job';
  readonly metadata: Readonly<Record<string, unknown>> & { readonly namespace?: string };
}

/**
 * The manifests in a YAML or JSON text, each in the given namespace. @throws InputError for anything but Jobs, and for a manifest of
 * another namespace.
 */
export function manifestsIn(text: string, file: string, namespace: string | undefined): JobManifest[] {
  const documents = parseAllDocuments(text, { logLevel: 'error' });
  const values = documents.flatMap((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) throw new InputError(`${file}: ${error.message}`);
    const value: unknown = document.toJS();
    return value === null
      ? []
      : [inNamespace(jobIn(value, `${file}, document ${index + 1}`), namespace, file)];
  });
  if (values.length === 0) throw new InputError(`${file} contains no Job`);
  return values;
}

function jobIn(value: unknown, where: string): JobManifest {
  const { kind, metadata } = (typeof value === 'object' && value !== null ? value : {}) as {
    kind?: unknown;
    metadata?: unknown;
  };
  const isJob = kind === 'Job' && typeof metadata === 'object' && metadata !== null;
  if (isJob) return value as JobManifest;
  throw new InputError(
    `${where} is ${typeof kind === 'string' ? `a ${kind}` : 'no manifest'}, not a Job; create other objects with kubectl`,
  );
}

function inNamespace(job: JobManifest, namespace: string | undefined, file: string): JobManifest {
  if (namespace === undefined) return job;
  const own = job.metadata.namespace ?? namespace;
  if (own !== namespace)
    throw new InputError(`--namespace is "${namespace}", but a Job of ${file} is for "${own}"`);
  return { ...job, metadata: { ...job.metadata, namespace } };
}
