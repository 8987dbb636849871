import type { Entry } from './entry.ts';

/** The parts of the OpenAPI document that the contract lists. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

/** Every operation with its parameters and what it takes and returns, and every schema with its fields. */
export function apiEntries({ paths, components }: Document): Entry[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operationEntries(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => [
    entry(`schema ${name}: ${shape(schema)}`),
    ...below(name, schema),
  ]);
  return [...operations, ...schemas];
}

function entry(line: string, ...names: string[]): Entry {
  return { place: 'API', line, names };
}

function operationEntries(at: string, operation: Operation): Entry[] {
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const optional = parameter.required === true ? '' : '?';
    const line = `${at} ${parameter.in} ${parameter.name}${optional}: ${shape(parameter.schema)}`;
    // Headers have the names of HTTP.
    return parameter.in === 'header' ? entry(line) : entry(line, parameter.name);
  });
  const isProblem = (content: object) =>
    Object.keys(content).every((type) => type === 'application/problem+json');
  const responses = Object.entries(operation.responses);
  const problems = responses.filter(
    ([, { content = {} }]) => Object.keys(content).length > 0 && isProblem(content),
  );
  const contents = [
    ...Object.entries(operation.requestBody?.content ?? {}).map(
      ([type, content]) => [`body ${type}`, content] as const,
    ),
    ...responses
      .filter((response) => !problems.includes(response))
      .flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, each]) => [`${status} ${type}`, each] as const),
      ),
  ];
  return [
    entry(`${at} is ${operation.operationId}`),
    ...parameters,
    ...(problems.length === 0
      ? []
      : [entry(`${at} ${problems.map(([status]) => status).join(' ')}: Problem`)]),
    ...contents.flatMap(([name, { schema = {} }]) => [
      entry(`${at} ${name}: ${shape(schema)}`),
      ...below(`${at} ${name}`, schema),
    ]),
  ];
}

/** The fields of the objects without a name in a schema. */
function below(name: string, schema: Schema): Entry[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  return [
    ...Object.entries(properties).flatMap(([field, value]) => {
      const optional = required.includes(field) ? '' : '?';
      return [
        entry(`${name}.${field}${optional}: ${shape(value)}`, field),
        ...below(`${name}.${field}`, value),
      ];
    }),
    ...(items === undefined ? [] : below(`${name}[]`, items)),
    ...(typeof additionalProperties === 'object' ? below(`${name}{}`, additionalProperties) : []),
    ...schemaParts(schema).flatMap((part) => below(name, part)),
  ];
}

function schemaParts({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] {
  return [...anyOf, ...oneOf, ...allOf];
}

/** What stands in a line after the colon. An object without a name is `object`: its fields have lines of their own. */
function shape(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const parts = schemaParts(schema);
  if (parts.length > 0 && schema.type === undefined)
    return [...new Set(parts.map(shape))].join(schema.allOf === undefined ? ' | ' : ' & ');
  const types = [schema.type ?? (schema.properties === undefined ? 'any' : 'object')]
    .flat()
    .map((type) => typeShape(type, schema));
  return types.join(' | ');
}

function typeShape(type: string, { items, properties, additionalProperties, format }: Schema): string {
  if (type === 'array') return `${items === undefined ? 'any' : bracketed(shape(items))}[]`;
  if (type === 'object' && properties === undefined && typeof additionalProperties === 'object')
    return `{ [key]: ${shape(additionalProperties)} }`;
  return format === undefined || type === 'null' ? type : `${type} (${format})`;
}

function bracketed(text: string): string {
  return text.includes(' | ') ? `(${text})` : text;
}
