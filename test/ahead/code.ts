import type { Declared, Facts } from './facts.ts';
import { reached, type Finding } from './fields.ts';

/** A gate that concerns us by its name or comment; so does each that the compared code or fields name. */
const CONCERNS = /Job|Workload|Gang|PodGroup|Evict|[Pp]od (deletion|termination|replacement|failure)/;
/** API types and gates are findings of their own, and so are the roles of the controllers. */
const OWN_FINDINGS = /^((batch|core|coordination|scheduling)\/v\w+|pkg\/features|.*\/bootstrappolicy)$/;
const ROLES = ['cronjob-controller', 'job-controller', 'ttl-after-finished-controller'];

type Declarations = Record<string, Declared>;

/** Feature gates that are new, gone, promoted, or have another default; what is on by default now comes first. */
export function gateFindings(before: Facts, after: Facts, versions: { from: string; to: string }): Finding[] {
  const named = new Set([before, after].flatMap((facts) => [...reached(facts).gates, ...usedNames(facts)]));
  const changes = keys(before.gates, after.gates).flatMap((gate) => {
    const { doc } = { ...before.constants, ...after.constants }[`pkg/features.${gate}`] ?? { doc: '' };
    const [old, now] = [gateState(before, gate, versions.from), gateState(after, gate, versions.to)];
    return old === now || !(named.has(gate) || CONCERNS.test(`${gate} ${doc}`)) ? [] : [{ gate, old, now }];
  });
  const weigh = ({ old, now }: { old: string; now: string }): number =>
    isOn(now) && !isOn(old) ? 0 : now === '' ? 1 : old !== '' ? 2 : 3;
  const byWeight = Map.groupBy(changes, weigh);
  const [on = [], gone = [], moved = [], quiet = []] = [0, 1, 2, 3].map((weight) => byWeight.get(weight));
  return [
    ...on.map(({ gate, old, now }) => about(gate, `**now on by default**: ${old || 'new'} → ${now}`)),
    ...gone.map(({ gate, old }) => about(gate, `gone; was ${old}`)),
    ...moved.map(({ gate, old, now }) => about(gate, `${old} → ${now}`)),
    ...listed(
      'new, off by default',
      quiet.map(({ gate }) => gate),
    ),
  ];
}

function about(gate: string, text: string): Finding {
  return { text: `\`${gate}\`: ${text}`, names: gateNames(gate) };
}

/** `GA, on, locked` in this version (`1.37.2`); empty if there is no such gate. */
function gateState({ gates }: Facts, gate: string, version: string): string {
  const minor = (of: string): number => Number(of.split('.')[1]);
  const stages = gates[gate] ?? [];
  const now = stages.findLast((each) => minor(each.version) <= minor(version)) ?? stages[0];
  return now === undefined
    ? ''
    : `${now.stage}, ${now.default ? 'on' : 'off'}${now.locked ? ', locked' : ''}`;
}

const isOn = (state: string): boolean => state.includes(', on');

/** A gate is often named after its field: JobPodReplacementPolicy, podReplacementPolicy. */
function gateNames(gate: string): string[] {
  const field = gate.replace(/^Job/, '');
  return [gate, `${field.charAt(0).toLowerCase()}${field.slice(1)}`];
}

function usedNames({ functions }: Facts): string[] {
  return Object.entries(functions).flatMap(([name, { names }]) =>
    name.startsWith('pkg/features.') ? [] : names,
  );
}

/** Texts that users see, folder by folder, and constants of the API. */
export function textFindings(before: Facts, after: Facts): Finding[] {
  const texts = inFolders(before, after).flatMap(({ folder, old, now }) => {
    const [was, is] = [old, now].map((each) => Object.values(each).flatMap((declared) => declared.texts));
    return changed(folder, was, is);
  });
  const types = new Set([before, after].flatMap((facts) => reached(facts).types));
  const [was, is] = [before, after].map((facts) => constantsWithTypes(facts, types));
  return [...texts, ...changed('constants', was, is)];
}

function changed(title: string, old: readonly string[] = [], now: readonly string[] = []): Finding[] {
  const only = (from: readonly string[], others: readonly string[]): string[] =>
    [...new Set(from)].filter((each) => !others.includes(each)).toSorted();
  return [['gone', only(old, now)] as const, ['new', only(now, old)] as const].flatMap(([word, texts]) =>
    texts.length === 0
      ? []
      : [
          {
            text: `\`${title}\` ${word}: ${texts.map((each) => `"${each}"`).join(', ')}`,
            names: texts.flatMap(quoted),
          },
        ],
  );
}

/** The reason of an Event, and words up to the first value. */
function quoted(text: string): string[] {
  const [, reason = '', message = ''] = /^(?:Event (\w+): |metric |[\w./]+ = )?([^%]*)/.exec(text) ?? [];
  return [reason, message.trim()];
}

/** Constants of our types and packages, `NAME = VALUE`; those of an API group are the same in all of its versions. */
function constantsWithTypes({ constants }: Facts, types: ReadonlySet<string>): string[] {
  return Object.entries(constants).flatMap(([name, { type, value }]) => {
    const isOurs =
      types.has(type) || /^(batch\/v1|pkg\/(controller.*|apis\/scheduling)|plugin.*)\.[A-Z]\w*$/.test(name);
    const short = name
      .replace(/^(pkg\/apis\/)?scheduling(\/v\w+)?\./, 'scheduling.')
      .replace(/^(pkg|plugin).*\//, '');
    return isOurs && /[A-Za-z]/.test(value) ? [`${short} = ${value}`] : [];
  });
}

/** Rights of the built-in controllers that were added or dropped. */
export function rightFindings(before: Facts, after: Facts): Finding[] {
  return ROLES.flatMap((role) => {
    const [old, now] = [before.rights[role] ?? {}, after.rights[role] ?? {}];
    return keys(old, now).flatMap((resource) => {
      const change = difference(old[resource] ?? [], now[resource] ?? []);
      return change === '' ? [] : [{ text: `${role} on ${resource}: ${change}`, names: [] }];
    });
  });
}

/** Functions that are new, gone or changed in each folder; of changed ones, which fields and gates they name now. */
export function functionFindings(before: Facts, after: Facts): Finding[] {
  const known = new Map(
    [before, after].flatMap((facts) => [
      ...reached(facts).fields,
      ...keys(facts.gates).map((gate) => [gate, gate] as const),
    ]),
  );
  const apiNames = (of: Declared | undefined): string[] =>
    (of?.names ?? []).flatMap((name) => known.get(name) ?? []).filter((name) => /[a-z][A-Z]/.test(name));
  return inFolders(before, after).flatMap(({ folder, old, now }) => {
    const title = `\`${folder}\``;
    if (!(folder in after.packages)) return listed(`**${title} is gone**`, keys(old));
    if (!(folder in before.packages)) return listed(`**${title} is new**`, keys(now));
    const differing = keys(old).filter((name) => name in now && old[name]?.digest !== now[name]?.digest);
    const byNames = Map.groupBy(differing, (name) => difference(apiNames(old[name]), apiNames(now[name])));
    return [
      ...[...byNames]
        .toSorted(([a], [b]) => b.length - a.length)
        .map(([names, functions]) => ({
          text: `${title} changed: ${list(functions)}${names === '' ? '' : ` (${names})`}`,
          names: names.split(' ').flatMap((name) => gateNames(name.slice(1))),
        })),
      ...listed(
        `${title} new`,
        keys(now).filter((name) => !(name in old)),
      ),
      ...listed(
        `${title} gone`,
        keys(old).filter((name) => !(name in now)),
      ),
    ];
  });
}

function listed(title: string, names: readonly string[]): Finding[] {
  return names.length === 0 ? [] : [{ text: `${title}: ${list(names)}`, names: [] }];
}

/** `-patch +update`. */
function difference(old: readonly string[], now: readonly string[]): string {
  const gone = old.filter((each) => !now.includes(each)).map((each) => `-${each}`);
  const added = now.filter((each) => !old.includes(each)).map((each) => `+${each}`);
  return [...new Set([...gone.toSorted(), ...added.toSorted()])].join(' ');
}

/** The declarations of each folder before and after, by their names in it. */
function inFolders(before: Facts, after: Facts): { folder: string; old: Declarations; now: Declarations }[] {
  const of = ({ functions }: Facts, folder: string): Declarations =>
    Object.fromEntries(
      Object.entries(functions).flatMap(([name, each]) =>
        name.startsWith(`${folder}.`) ? [[name.slice(folder.length + 1), each]] : [],
      ),
    );
  return keys(before.packages, after.packages)
    .filter((folder) => !OWN_FINDINGS.test(folder))
    .map((folder) => ({ folder, old: of(before, folder), now: of(after, folder) }));
}

const keys = (one: object, other: object = {}): string[] => Object.keys({ ...one, ...other }).toSorted();
const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
