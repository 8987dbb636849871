import path from 'node:path';
import ts from 'typescript';
import type { Entry } from './entry.ts';

/** The events of each kind of stream. */
const STREAMS = [
  { owner: 'Job', file: 'workflows/job/events.ts', union: 'JobEvent' },
  { owner: 'CronJob', file: 'workflows/cron-job/events.ts', union: 'CronJobEvent' },
  { owner: 'placed Job', file: 'workflows/placement/events.ts', union: 'PlacementEvent' },
];

/** Types whose fields are listed elsewhere: Kubernetes documents its objects, and `stateFormat` names the form of a state. */
const KUBERNETES = 'workflows/kubernetes/objects.ts';
const STATES = new Set(['JobState', 'CronJobState', 'PlacementState']);

/** The properties by whose values the members of a union of objects are distinguished. */
const DISCRIMINATORS = ['kind', 'result', 'action'];

/** A type with a name of its own; its fields are listed once. */
interface Named {
  name: string;
  type: ts.Type;
  file: string;
}

/** The fields of the data of every event, from the types of TypeScript. `version`: of the type of the event. */
export function eventEntries(version: (type: string) => number): Entry[] {
  const files = STREAMS.map(({ file }) => file);
  const program = ts.createProgram(files, compilerOptions());
  const walk = walkTypes(program.getTypeChecker());
  const entries = STREAMS.flatMap(({ owner, file, union }) => {
    const events = walk.unionMembers(program.getSourceFile(file), union);
    return events.flatMap((event) => walk.eventFields(event, owner, version));
  });
  return [...entries, ...walk.namedFields()];
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '.');
  return { ...options, types: [] };
}

interface Walk {
  /** The members of an exported union. */
  unionMembers(file: ts.SourceFile | undefined, union: string): ts.Type[];
  eventFields(event: ts.Type, owner: string, version: (type: string) => number): Entry[];
  /** The fields of all types that were named so far, and of those that these name. */
  namedFields(): Entry[];
}

function walkTypes(checker: ts.TypeChecker): Walk {
  const queue: Named[] = [];
  const known = new Map<string, string>();

  const propertyType = (type: ts.Type, name: string) => {
    const property = type.getProperty(name);
    return property === undefined ? undefined : checker.getTypeOfSymbol(property);
  };

  /** What stands in a line after the colon. An object without a name is `object`: its fields have lines of their own. */
  const shape = (type: ts.Type): string => {
    const named = typeName(type);
    if (named !== null) return named;
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isUnion()) return unionShape(type);
    if (!isObject(type)) return checker.typeToString(type);
    const [element, value] = [elementType(type), valueType(type)];
    if (element !== undefined) return `${bracketed(shape(element))}[]`;
    if (checker.isTupleType(type))
      return `[${checker
        .getTypeArguments(type as ts.TypeReference)
        .map(shape)
        .join(', ')}]`;
    return value === undefined ? 'object' : `{ [key]: ${shape(value)} }`;
  };

  const unionShape = (type: ts.UnionType): string => {
    const isBoolean = type.types.filter((each) => each.flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const parts = type.types
      .filter((each) => !(each.flags & ts.TypeFlags.Undefined))
      .filter((each) => !isBoolean || !(each.flags & ts.TypeFlags.BooleanLiteral))
      .map(shape);
    const sorted = [...new Set([...parts, ...(isBoolean ? ['boolean'] : [])])].toSorted();
    // The null comes last, as people write it.
    return [...sorted.filter((part) => part !== 'null'), ...sorted.filter((part) => part === 'null')].join(
      ' | ',
    );
  };

  const typeName = (type: ts.Type): string | null => {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    const declaration = symbol?.declarations?.[0];
    if (symbol === undefined || declaration === undefined || symbol.name === '__type') return null;
    const file = path.relative('.', declaration.getSourceFile().fileName);
    if (!file.startsWith('workflows/')) return null;
    const isGeneric =
      (type.aliasTypeArguments ?? checker.getTypeArguments(type as ts.TypeReference)).length > 0;
    if (file === KUBERNETES) return `Kubernetes ${symbol.name}`;
    if (STATES.has(symbol.name)) return `a ${symbol.name}, of the format stateFormat`;
    if (isGeneric || !unionTypes(type).some(isPlainObject)) return null;
    const before = known.get(symbol.name);
    if (before !== undefined && before !== file)
      throw new Error(`${symbol.name} is a type of ${before} and another one of ${file}`);
    if (before === undefined) queue.push({ name: symbol.name, type, file });
    known.set(symbol.name, file);
    return symbol.name;
  };

  const elementType = (type: ts.Type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  const valueType = (type: ts.Type) =>
    type.getProperties().length === 0 ? (type.getStringIndexType() ?? type.getNumberIndexType()) : undefined;
  const isPlainObject = (type: ts.Type) =>
    isObject(type) &&
    elementType(type) === undefined &&
    valueType(type) === undefined &&
    !checker.isTupleType(type);

  /** The lines of the fields of an object, or of each member of a union of objects. */
  const fields = (prefix: string, type: ts.Type): Entry[] => {
    const objects = unionTypes(type).filter(isObject);
    return objects.flatMap((object) => fieldEntries(prefix, object, objects.length > 1));
  };

  /** The fields of one object; of a member of a union, each with what tells the member apart. */
  const fieldEntries = (prefix: string, object: ts.Type, isMember: boolean): Entry[] => {
    const apart = isMember ? DISCRIMINATORS.flatMap((name) => valueText(object, name)) : [];
    const variant = apart.length === 0 ? '' : `(${apart.join(' ')})`;
    const entry: Entry = { place: 'events', line: `${prefix}${variant}`, names: listKinds(object) };
    const own = object
      .getProperties()
      .filter(({ name }) => !apart.some((text) => text.startsWith(`${name}=`)))
      .flatMap((property) => field(`${prefix}${variant}`, property));
    return variant === '' ? own : [entry, ...own];
  };

  const valueText = (object: ts.Type, name: string): string[] => {
    const type = propertyType(object, name);
    if (type === undefined || !unionTypes(type).every((value) => value.isStringLiteral())) return [];
    return [`${name}=${shape(type).replaceAll('"', '').replaceAll(' | ', '|')}`];
  };

  /** The property `kind` of a command or an outcome, and its values: kinds of commands are public names too. */
  const listKinds = (object: ts.Type): string[] => {
    const type = propertyType(object, 'kind');
    const kinds = type === undefined ? [] : unionTypes(type).filter((each) => each.isStringLiteral());
    return [...DISCRIMINATORS.filter((name) => object.getProperty(name)), ...kinds.map(({ value }) => value)];
  };

  const field = (prefix: string, property: ts.Symbol): Entry[] => {
    const type = checker.getTypeOfSymbol(property);
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    const name = `${prefix}.${property.name}`;
    const entry: Entry = {
      place: 'events',
      line: `${name}${optional}: ${withUnit(shape(type), property)}`,
      names: [property.name],
    };
    return [entry, ...below(name, type)];
  };

  /** The fields of the objects without a name that a field has. */
  const below = (name: string, type: ts.Type): Entry[] =>
    unionTypes(type)
      .filter((each) => isObject(each) && typeName(each) === null && typeName(type) === null)
      .flatMap((each) => {
        const [element, value] = [elementType(each), valueType(each)];
        if (element !== undefined) return typeName(element) === null ? below(`${name}[]`, element) : [];
        if (value !== undefined) return typeName(value) === null ? below(`${name}{}`, value) : [];
        return isPlainObject(each)
          ? fieldEntries(name, each, unionTypes(type).filter(isObject).length > 1)
          : [];
      });

  /** The attributes of CloudEvents, which every event has. `recorded` exists only after reading. */
  const attributeEntries = (event: ts.Type): Entry[] =>
    event
      .getProperties()
      .filter(({ name }) => !['type', 'data', 'recorded'].includes(name))
      .flatMap((property) => field('event', property));

  return {
    unionMembers(file, union) {
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
      const found = module && checker.getExportsOfModule(module).find(({ name }) => name === union);
      if (found === undefined) throw new Error(`${union} is not exported`);
      return unionTypes(checker.getDeclaredTypeOfSymbol(found));
    },
    eventFields(event, owner, version) {
      const [type, data] = [propertyType(event, 'type'), propertyType(event, 'data')];
      if (type === undefined || data === undefined || !type.isStringLiteral())
        throw new Error(`${checker.typeToString(event)} is not an event`);
      const name = `dev.jobledger.${type.value}.v${version(type.value)}`;
      const content = fields(`${name} (${owner}) data`, data);
      return [
        ...attributeEntries(event),
        { place: 'events', line: `${name} (${owner})`, names: [type.value] },
        ...content,
      ];
    },
    namedFields() {
      const entries: Entry[] = [];
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { name, type } = next;
        entries.push(...fields(name, type));
      }
      return entries;
    },
  };
}

/** The alias of a number is not part of its type, so it is read in the declaration. It stands first, as in `[UnixMs, number]`. */
function withUnit(text: string, property: ts.Symbol): string {
  const declared = property.valueDeclaration?.getText() ?? '';
  return /\bUnixMs\b/.test(declared) ? text.replace(/\bnumber\b/, 'UnixMs') : text;
}

function isObject(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

function unionTypes(type: ts.Type): ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function bracketed(text: string): string {
  return text.includes(' | ') ? `(${text})` : text;
}
