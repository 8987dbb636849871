import { z } from 'zod';
import { KEPT_FIELDS, type KeptFields, type KeptObject } from './kept-fields.ts';

/** The rules for each kind of object: the rules of Jobledger, and a rule for each field that the operator adds. */
export type RecordedFields = Readonly<Record<KeptObject, readonly KeptFields[]>>;

/** A part of a path: a name, or in brackets a name that contains dots. `*` stands for any characters of the name. */
const PART = /(?:^|\.)([A-Za-z*][\w*-]*)|\[([^\][]+)\]/y;

/** A part that needs no brackets. */
const NAME = /^[A-Za-z*][\w*-]*$/;

const OBJECTS = Object.keys(KEPT_FIELDS) as KeptObject[];

/** `JOBLEDGER_RECORD_FIELDS`: paths such as `pod.spec.containers.command`, separated by commas. */
export const recordFieldsSetting = z
  .string()
  .default('')
  .transform((text, context) => {
    const paths = text
      .split(',')
      .map((path) => path.trim())
      .filter((path) => path !== '');
    return paths.flatMap((path) => {
      const parts = parsePath(path);
      if (parts !== null) return [parts];
      context.addIssue({
        code: 'custom',
        message: `"${path}" is not the path of a field; write for example pod.spec.containers.command or job.metadata.annotations[example.com/*]`,
      });
      return [];
    });
  });

/** A field that the operator wants to record. */
export interface RecordedPath {
  object: KeptObject;
  names: string[];
}

function parsePath(path: string): RecordedPath | null {
  const names: string[] = [];
  let at = 0;
  while (at < path.length) {
    PART.lastIndex = at;
    const found = PART.exec(path);
    if (found === null) return null;
    names.push(found[1] ?? found[2] ?? '');
    at = PART.lastIndex;
  }
  const [first, ...rest] = names;
  const object = OBJECTS.find((each) => each === first);
  return object === undefined || rest.length === 0 ? null : { object, names: rest };
}

const ENV_VALUES: readonly RecordedPath[] = ['containers', 'initContainers', 'ephemeralContainers'].map(
  (containers) => ({ object: 'pod', names: ['spec', containers, 'env', 'value'] }),
);

/**
 * The rules for the recorded fields. If `redactEnv` is false, literal values of environment variables are also
 * recorded.
 */
export function recordedFields(paths: readonly RecordedPath[] = [], redactEnv = true): RecordedFields {
  const added = redactEnv ? paths : [...paths, ...ENV_VALUES];
  const objectRules = (object: KeptObject): KeptFields[] => [
    KEPT_FIELDS[object],
    ...added.filter((path) => path.object === object).map(({ names }) => toRule(names)),
  ];
  const [pods, jobs, cronJobs] = [objectRules('pod'), objectRules('job'), objectRules('cronjob')];
  const jobsWithTemplates = [...jobs, ...pods.map((template) => ({ spec: { template } }))];
  return {
    pod: pods,
    job: jobsWithTemplates,
    cronjob: [...cronJobs, ...jobsWithTemplates.map((jobTemplate) => ({ spec: { jobTemplate } }))],
  };
}

/** The paths of the additional recorded fields, as `JOBLEDGER_RECORD_FIELDS` has them. */
export function additionalFieldPaths(paths: readonly RecordedPath[], redactEnv: boolean): string[] {
  return [...paths, ...(redactEnv ? [] : ENV_VALUES)].map(({ object, names }) =>
    [object, ...names.map((name) => (NAME.test(name) ? `.${name}` : `[${name}]`))].join(''),
  );
}

function toRule(names: readonly string[]): KeptFields {
  return names.reduceRight<KeptFields>((fields, name) => ({ [name]: fields }), true);
}
