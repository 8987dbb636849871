import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI 3.1 document that tests read. */
export interface ApiDocument {
  openapi: string;
  servers?: { url: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

export interface Operation {
  operationId: string;
  security: { token: string[] }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface ApiClient {
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  post(path: string, body?: unknown): Promise<ApiAnswer>;
}

export function apiClient(url: string, token: string): ApiClient {
  const ask = async (path: string, init: RequestInit): Promise<ApiAnswer> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      }),
  };
}

/** Explains how an answer differs from its description; null when it does not. */
export function answerDifferences(
  document: ApiDocument,
  operation: Operation,
  { status, headers, body }: ApiAnswer,
): string | null {
  const type = (headers.get('content-type') ?? '').replace(/;.*/s, '');
  const described = operation.responses[status] ?? operation.responses['default'];
  const schema = described?.content?.[type]?.schema;
  if (schema === undefined) return `${status} ${type} is not described`;
  const validate = validator(document, schema);
  return validate(body) ? null : JSON.stringify(validate.errors);
}

const validators = new WeakMap<object, ValidateFunction>();

function validator({ components }: ApiDocument, schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  // Each format is accompanied by a pattern that says the same.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile({ ...schema, components });
  validators.set(schema, validate);
  return validate;
}
