import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import type { ApiDocument } from './api-client.ts';

/** The parts of a JSON schema from which values are made. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  const?: string;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  oneOf?: { required: string[] }[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface DescribedOperation {
  operationId: string;
  method: string;
  path: string;
  scope: string | undefined;
  parameters: readonly Parameter[];
  body: Schema | undefined;
}

/** A request made from the document, and whether its schemas allow it. */
export interface DocumentedRequest {
  operation: DescribedOperation;
  method: string;
  url: string;
  body: unknown;
  expected: 'allowed' | 'forbidden' | 'wrong method';
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of an OpenAPI document. */
export function listOperations(document: ApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { operationId, security, parameters, requestBody } = operation as typeof operation & {
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
      };
      const body = requestBody?.content['application/json']?.schema;
      return { operationId, method, path, scope: security[0]?.token[0], parameters: parameters ?? [], body };
    }),
  );
}

/** Requests of one operation: what its schemas allow, what they forbid, and wrong methods. `names` are used in paths. */
export function arbitraryRequests(
  document: ApiDocument,
  operation: DescribedOperation,
  names: readonly string[],
): fc.Arbitrary<DocumentedRequest> {
  const maker = valueMaker(document);
  const { method, path, parameters, body } = operation;
  const good = (parameter: Parameter): fc.Arbitrary<string[]> =>
    maker
      .texts(parameter, names)
      .filter((texts) => isSendable(parameter, texts))
      .map((texts) => (Array.isArray(texts) ? texts : [texts]));
  const given = (bad: ReadonlySet<string>): fc.Arbitrary<Map<string, string[]>> =>
    fc
      .tuple(
        ...parameters
          .filter((each) => each.in !== 'header')
          .map((each) => {
            const value = bad.has(each.name)
              ? maker
                  .wrong(each)
                  .filter((text) => isSendable(each, text))
                  .map((text) => [text])
              : good(each);
            const isAlways = each.in === 'path' || each.required === true || bad.has(each.name);
            return (isAlways ? value : fc.option(value, { nil: undefined, freq: 2 })).map(
              (texts) => [each.name, texts] as const,
            );
          }),
      )
      .map(
        (pairs) => new Map(pairs.flatMap(([name, texts]) => (texts === undefined ? [] : [[name, texts]]))),
      );
  const goodBody = body === undefined ? fc.constant(undefined) : maker.value(body);
  const request = (
    values: Map<string, string[]>,
    sent: unknown,
    expected: DocumentedRequest['expected'],
    more: { method?: string; query?: string } = {},
  ): DocumentedRequest => ({
    operation,
    method: (more.method ?? method).toUpperCase(),
    url: fillUrl(path, parameters, values) + (more.query ?? ''),
    body: sent,
    expected,
  });
  const checked = parameters.filter((each) => each.in !== 'header' && maker.canBeWrong(each));
  const wrongMethods = METHODS.filter((each) => document.paths[path]?.[each] === undefined);
  const arbitraries: fc.Arbitrary<DocumentedRequest>[] = [
    fc.tuple(given(new Set()), goodBody).map(([values, sent]) => request(values, sent, 'allowed')),
    fc
      .tuple(given(new Set()), fc.constantFrom(...wrongMethods))
      .map(([values, wrong]) => request(values, undefined, 'wrong method', { method: wrong })),
    ...(operation.scope === undefined
      ? []
      : [
          fc
            .tuple(given(new Set()), goodBody)
            .map(([values, sent]) => request(values, sent, 'forbidden', { query: '&unheard_of=1' })),
        ]),
    ...(checked.length === 0
      ? []
      : [
          fc
            .constantFrom(...checked)
            .chain(({ name }) => fc.tuple(given(new Set([name])), goodBody))
            .map(([values, sent]) => request(values, sent, 'forbidden')),
        ]),
    ...(body === undefined
      ? []
      : [
          fc
            .tuple(given(new Set()), fc.jsonValue())
            .filter(([, sent]) => !maker.isValid(body, sent))
            .map(([values, sent]) => request(values, sent, 'forbidden')),
        ]),
  ];
  return fc.oneof(...arbitraries);
}

/** The examples of a schema; null for numbers, and for values that it lists. */
export function schemaExamples(document: ApiDocument, schema: Schema): unknown[] | null {
  if (schema.$ref !== undefined) return schemaExamples(document, referred(document, schema.$ref));
  if (schema.enum !== undefined || schema.type === 'integer') return null;
  return schema.examples ?? (schema.anyOf ?? []).flatMap((each) => schemaExamples(document, each) ?? []);
}

function referred(document: ApiDocument, reference: string): Schema {
  return document.components.schemas[reference.replace('#/components/schemas/', '')] as Schema;
}

/** Whether a URL can contain it: clients remove the segments `.` and `..` from a path (RFC 3986, section 5.2.4). */
function isSendable(parameter: Parameter, texts: string | string[]): boolean {
  return parameter.in !== 'path' || (texts !== '.' && texts !== '..');
}

function fillUrl(path: string, parameters: readonly Parameter[], values: Map<string, string[]>): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: where } of parameters)
    for (const text of values.get(name) ?? [])
      if (where === 'path') filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
      else query.append(name, text);
  return `${filled}?${query.toString()}`;
}

interface ValueMaker {
  /** One text, or several for a parameter that may be repeated. */
  texts(parameter: Parameter, names: readonly string[]): fc.Arbitrary<string | string[]>;
  wrong(parameter: Parameter): fc.Arbitrary<string>;
  canBeWrong(parameter: Parameter): boolean;
  value(schema: Schema): fc.Arbitrary<unknown>;
  isValid(schema: Schema, value: unknown): boolean;
}

/** Texts that are likely to be taken by mistake. */
const ODD = [
  '',
  ' 5',
  '0x10',
  '1e2',
  '5.0',
  '-1',
  '0',
  '501',
  'true',
  'null',
  'a\u0000b',
  'TRUE',
  '9'.repeat(30),
];
const ODD_INSTANTS = [
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00+23:59',
  '2026-01-01',
];

function valueMaker(document: ApiDocument): ValueMaker {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const cache = new Map<Schema, (value: unknown) => { errors: ErrorObject[] }>();
  const isValid = (schema: Schema, value: unknown): boolean => {
    let check = cache.get(schema);
    if (check === undefined) {
      const validate = ajv.compile({ ...schema, components: document.components });
      check = (given) => ({ errors: validate(given) ? [] : (validate.errors ?? []) });
      cache.set(schema, check);
    }
    return check(value).errors.length === 0;
  };
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : referred(document, schema.$ref);
  const value = (given: Schema): fc.Arbitrary<unknown> => {
    const schema = resolved(given);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(value));
    if (schema.type === 'array')
      return fc
        .array(value(schema.items ?? {}), { maxLength: 3, minLength: 1 })
        .filter((items) => isValid(schema, items));
    if (schema.type === 'integer')
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 2 ** 31, 2 ** 31 - 1) });
    if (schema.type === 'object') return object(schema);
    if (schema.type === 'string') return text(schema);
    return fc.jsonValue();
  };
  const text = (schema: Schema): fc.Arbitrary<string> => {
    const drawn =
      schema.format === 'date-time'
        ? instants
        : schema.pattern === undefined || schema.pattern.startsWith('^[^')
          ? free(schema.pattern?.includes('=') === true)
          : fc.stringMatching(new RegExp(schema.pattern.replaceAll('(?!0000)', ''), 'u'));
    return drawn.filter((each) => isValid(schema, each));
  };
  const object = (schema: Schema): fc.Arbitrary<unknown> => {
    const choices = schema.oneOf ?? [{ required: [] }];
    return fc.constantFrom(...choices).chain(({ required }) => {
      const others = new Set(
        choices.flatMap((each) => each.required).filter((name) => !required.includes(name)),
      );
      const members = Object.entries(schema.properties ?? {}).filter(([name]) => !others.has(name));
      const record = Object.fromEntries(members.map(([name, member]) => [name, value(member)]));
      const requiredKeys = [...(schema.required ?? []), ...required];
      return fc.record(record, { requiredKeys }).filter((made) => isValid(schema, made));
    });
  };
  const asParameter = ({ schema }: Parameter, given: string): unknown =>
    schema.type === 'integer' && /^-?\d+$/.test(given) ? Number(given) : given;
  const wrongTexts = (parameter: Parameter): string[] =>
    [...ODD, ...ODD_INSTANTS].filter(
      (each) =>
        !isValid(parameter.schema, asParameter(parameter, each)) && (parameter.in !== 'path' || each !== ''),
    );
  return {
    value,
    isValid,
    wrong: (parameter) => fc.constantFrom(...wrongTexts(parameter)),
    canBeWrong: (parameter) => wrongTexts(parameter).length > 0,
    texts(parameter, names) {
      const drawn = value(parameter.schema).map((made) =>
        Array.isArray(made) ? made.map(String) : String(made),
      );
      const isName = ['job', 'pod', 'cluster', 'namespace'].includes(parameter.name);
      return isName ? fc.oneof(fc.constantFrom(...names), drawn) : drawn;
    },
  };
}

/** Texts of any characters. A pattern of nearly all characters is too slow to draw from. */
function free(isLabel: boolean): fc.Arbitrary<string> {
  const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
  return isLabel ? fc.tuple(word, word).map((parts) => parts.join('=')) : word;
}

const instants = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.constantFrom('Z', '+02:00', '-11:30', '+14:00'),
    fc.constantFrom('', '.5', '.123456789'),
  )
  .map(([date, zone, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`);
