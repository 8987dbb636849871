import { parseAllDocuments, type Document } from 'yaml';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';

/** The fields of a Job's manifest that this program reads; the API and the cluster validate the whole manifest. */
export interface JobManifest {
  readonly kind: 'Job';
  readonly metadata: Readonly<Record<string, unknown>> & { readonly namespace?: string };
}

/** A manifest, with its place for messages: the file and the number of the document. */
export interface PlacedManifest {
  readonly where: string;
  readonly manifest: JobManifest;
}

/**
 * The manifests in a YAML or JSON text, each in the given namespace. @throws InputError for a manifest of another kind or another namespace.
 */
export function manifestsIn(text: string, file: string, namespace: string | undefined): PlacedManifest[] {
  const documents = parseAllDocuments(text, { logLevel: 'error' });
  const found = documents.flatMap((document, index) => {
    const where = `${file}, document ${index + 1}`;
    const value = valueOf(document, where);
    return value === null ? [] : [{ where, manifest: inNamespace(jobIn(value, where), namespace, file) }];
  });
  if (found.length === 0) throw new InputError(`${file} contains no Job`);
  return found;
}

/** The value of a YAML document. @throws InputError if it cannot be read. */
function valueOf(document: Document, where: string): unknown {
  const [error] = document.errors;
  if (error !== undefined) throw new InputError(`${where}: ${error.message}`);
  try {
    return document.toJS();
  } catch (problem) {
    // This error has many causes, for example aliases that would expand to a very large document.
    throw new InputError(`${where} cannot be read: ${errorMessage(problem)}`);
  }
}

/** Requires that a value is the manifest of a Job. @throws InputError. */
function jobIn(value: unknown, where: string): JobManifest {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { kind, apiVersion, metadata } = given;
  if (typeof kind !== 'string')
    throw new InputError(`${where} is not a Job: it has no field kind; expected a manifest with kind: Job`);
  if (kind !== 'Job')
    throw new InputError(`${where} is a ${kind}, not a Job; create other objects with kubectl`);
  if (typeof apiVersion !== 'string' || apiVersion === '')
    throw new InputError(`${where} is a Job without the field apiVersion; expected apiVersion: batch/v1`);
  if (typeof metadata !== 'object' || metadata === null)
    throw new InputError(`${where} is a Job without the field metadata; expected an object with its name`);
  return value as JobManifest;
}

/** Sets the namespace of a manifest. @throws InputError if the manifest names another namespace. */
function inNamespace(job: JobManifest, namespace: string | undefined, file: string): JobManifest {
  if (namespace === undefined) return job;
  const own = job.metadata.namespace ?? namespace;
  if (own !== namespace)
    throw new InputError(`--namespace is "${namespace}", but a Job of ${file} is for "${own}"`);
  return { ...job, metadata: { ...job.metadata, namespace } };
}
