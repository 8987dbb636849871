import { REDACTED } from '../../services/adapters/events/redacted.ts';
import { keepFields } from '../../services/ingester/redaction/keep-fields.ts';
import { recordedFields } from '../../services/ingester/redaction/recorded-fields.ts';
import type { ApiField, Facts } from './facts.ts';

/** One difference between two versions. */
export interface Finding {
  /** Markdown, one line. */
  text: string;
  /** What rules may quote: fields, gates, reasons, texts. */
  names: readonly string[];
}

/** The kinds that we read or write; of scheduling.k8s.io every one, because its versions change with each release. */
const KINDS =
  /^(batch\/v\w+\.(Job|CronJob)|core\/v1\.(Pod|Event)|coordination\/v1\.Lease|scheduling\/v\w+\.\w+)$/;
const API_VERSION = /^(batch|coordination|scheduling)\/v\d\w*$/;
/** Their content is compared as the kind itself. */
const TEMPLATES = /\.(PodTemplateSpec|JobTemplateSpec)$/;
/** How many places of an equal change are named. */
const SHOWN = 2;

/** The fields of a kind by their path; `[]` follows the name of a list. */
type Fields = ReadonlyMap<string, ApiField>;

/** A change at one path; equal texts are equal changes. */
interface Change extends Finding {
  path: string;
}

/** API versions and kinds that appear or go. */
export function versionFindings(before: Facts, after: Facts): Finding[] {
  const versions = Object.keys({ ...before.packages, ...after.packages }).filter((each) =>
    API_VERSION.test(each),
  );
  return versions.toSorted().flatMap((version) => {
    const [old, now] = [before, after].map((facts) =>
      kinds(facts).filter((each) => kindVersion(each) === version),
    );
    const change = [...onlyIn('gone', old, now), ...onlyIn('new', now, old)].join('; ');
    const state = version in before.packages ? (version in after.packages ? '' : ' is gone') : ' is new';
    const name = groupVersion(version);
    return state === '' && change === '' ? [] : [{ text: `**${name}**${state}: ${change}`, names: [name] }];
  });
}

function onlyIn(word: string, from: readonly string[] = [], others: readonly string[] = []): string[] {
  const found = from.filter((each) => !others.includes(each)).map(nameIn);
  return found.length === 0 ? [] : [`${word} ${found.join(', ')}`];
}

/** Fields of our kinds that are new, gone or changed; an equal change in several places or API versions is one finding. */
export function fieldFindings(before: Facts, after: Facts): Finding[] {
  const found = kinds(after).flatMap((kind) => {
    const old = earlier(kind, before);
    if (old === undefined) return [];
    return listChanges(kind, listFields(before, old), listFields(after, kind)).map((each) => ({
      ...each,
      kind,
      old,
    }));
  });
  return [...Map.groupBy(found, ({ kind, text }) => `${nameIn(kind)}: ${text}`).values()].map((same) => {
    const [{ kind, old, text, names } = { kind: '', old: '', text: '', names: [] }] = same;
    const versions = [...new Set(same.map((each) => kindVersion(each.kind).replace(/.*\//, '')))].join(', ');
    const of =
      kindVersion(kind) === kindVersion(old) ? '' : ` (${groupVersion(kindVersion(old))} → ${versions})`;
    const paths = [
      ...new Set(same.map(({ path }) => path.replace(/(init|ephemeral)Containers/, 'containers'))),
    ];
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    return {
      text: `${nameIn(kind)}${of} ${paths.slice(0, SHOWN).map(code).join(', ')}${more}: ${text}`,
      names,
    };
  });
}

/** Of our kinds the types that they refer to, the feature gates of their fields, and the fields' names in Go and JSON. */
export function reached(facts: Facts): {
  types: string[];
  gates: string[];
  fields: [go: string, json: string][];
} {
  const fields = kinds(facts).flatMap((kind) => [...listFields(facts, kind).values()]);
  return {
    types: fields.map(({ refers }) => refers),
    gates: fields.flatMap(featureGates),
    fields: fields.map(({ go, json }) => [go, json]),
  };
}

function kinds({ types }: Facts): string[] {
  const isOurs = (name: string): boolean =>
    KINDS.test(name) && types[name]?.isKind === true && !name.endsWith('List');
  return Object.keys(types).filter(isOurs).toSorted();
}

/** The kind in the same API version of the earlier release, or in another version of its group. */
function earlier(kind: string, before: Facts): string | undefined {
  const group = kind.replace(/\/.*/, '/');
  const same = kinds(before).filter((each) => each.startsWith(group) && nameIn(each) === nameIn(kind));
  return same.find((each) => each === kind) ?? same.at(-1);
}

function listFields(facts: Facts, kind: string): Fields {
  const found = new Map<string, ApiField>();
  const walk = (path: string, type: string, within: readonly string[]): void => {
    for (const field of facts.types[type]?.fields ?? []) {
      if (field.json === 'metadata') continue;
      const at = [path, `${field.json}${field.type.startsWith('[]') ? '[]' : ''}`].filter(Boolean).join('.');
      if (field.json !== '') found.set(at, field);
      if (!TEMPLATES.test(field.refers) && !within.includes(field.refers))
        walk(at, field.refers, [...within, field.refers]);
    }
  };
  walk('', kind, [kind]);
  return found;
}

function listChanges(kind: string, before: Fields, after: Fields): Change[] {
  /** Of a whole object only the top counts. */
  const only = (fields: Fields, others: Fields): string[] =>
    [...fields.keys()].filter(
      (path) => !others.has(path) && (others.has(parent(path)) || parent(path) === ''),
    );
  return [
    ...only(before, after).map((path) => ({
      path,
      text: `gone${inside(path, before)}`,
      names: [fieldName(path)],
    })),
    ...only(after, before).map((path) => ({ path, ...newField(kind, path, after) })),
    ...[...after].flatMap(([path, field]) => {
      const changes = changesOfField(before.get(path) ?? field, field);
      return changes.length === 0 ? [] : [{ path, text: changes.join(', '), names: [fieldName(path)] }];
    }),
  ];
}

function newField(kind: string, path: string, fields: Fields): Finding {
  const field = fields.get(path);
  const gates = featureGates(field);
  const gate = gates.length === 0 ? '' : ` (${gates.join(', ')})`;
  const fate = recordedToday(kind, path);
  const type = code(typeName(field?.type ?? ''));
  return {
    text: `new${gate}, ${type}${fixed(field)}${inside(path, fields)}${fate === undefined ? '' : `; today **${fate}**`}`,
    names: [fieldName(path), ...gates],
  };
}

/** Whether the ingester keeps the value of a field; undefined for kinds that it does not record. */
function recordedToday(kind: string, path: string): 'recorded' | 'redacted' | undefined {
  const object = (['pod', 'job', 'cronjob'] as const).find((each) => nameIn(kind).toLowerCase() === each);
  if (object === undefined) return undefined;
  const sample = path.split('.').reduceRight<unknown>((value, name) => ({ [bare(name)]: value }), 'value');
  return JSON.stringify(keepFields(sample, recordedFields()[object])).includes(REDACTED)
    ? 'redacted'
    : 'recorded';
}

function changesOfField(old: ApiField, now: ApiField): string[] {
  const [was, is] = [typeName(old.type), typeName(now.type)];
  return [
    ...(was === is ? [] : [`${code(was)} → ${code(is)}`]),
    ...without(old.markers, now.markers).map((each) => `no longer ${code(each)}`),
    ...without(now.markers, old.markers).map((each) => `now ${code(each)}`),
  ];
}

/** A validation that only moves from alpha to beta is no change. */
function without(markers: readonly string[], others: readonly string[]): string[] {
  const plain = (each: string): string => each.replace(/^\+k8s:(alpha|beta)\(since: "[\d.]+"\)=/, '');
  return markers.filter((each) => !others.some((other) => plain(other) === plain(each)));
}

/** What a field contains: ` {basic, gang {minCount}}`. */
function inside(path: string, fields: Fields): string {
  const parts = [...fields].flatMap(([each, field]) =>
    parent(each) === path ? [`${bare(fieldName(each))}${fixed(field)}${inside(each, fields)}`] : [],
  );
  return parts.length === 0 ? '' : ` {${parts.join(', ')}}`;
}

function fixed(field: ApiField | undefined): string {
  const texts = (field?.markers ?? []).flatMap(
    (each) => /^\+k8s:(immutable|update=\w+)$/.exec(each)?.[1] ?? [],
  );
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function featureGates(field: ApiField | undefined): string[] {
  return (field?.markers ?? []).flatMap((each) => /^\+featureGate=(\w+)/.exec(each)?.[1] ?? []);
}

const groupVersion = (folder: string): string => folder.replace(/^(scheduling|coordination)\//, '$1.k8s.io/');
const kindVersion = (kind: string): string => kind.replace(/\..*/, '');
const nameIn = (kind: string): string => kind.replace(/.*\./, '');
const parent = (path: string): string => path.split('.').slice(0, -1).join('.');
const bare = (name: string): string => name.replace('[]', '');
const fieldName = (path: string): string => bare(path.replace(/.*\./, ''));
const typeName = (type: string): string => type.replaceAll(/\b\w+\./g, '');
const code = (text: string): string => `\`${text}\``;
