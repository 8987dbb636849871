import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';

/** A schema of the API server's OpenAPI document, as far as it is needed to make an object. */
interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

/** By name, for instance `io.k8s.api.core.v1.Pod`. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The schemas of core/v1 and batch/v1. */
export async function kubernetesSchemas(client: Pick<KubernetesClient, 'request'>): Promise<Schemas> {
  const documents = await Promise.all(
    ['/openapi/v3/api/v1', '/openapi/v3/apis/batch/v1'].map((path) =>
      client.request<{ components: { schemas: Record<string, Schema> } }>({ method: 'GET', path }),
    ),
  );
  return Object.assign({}, ...documents.map(({ components }) => components.schemas)) as Schemas;
}

/** The key of each map in a full object. */
const ANY_KEY = '*';

/** The integer fields of a schema as lines `path format`, with `[]` after each list. */
export function integerFields(schemas: Schemas, name: string): string[] {
  const within = (schema: Schema | undefined, at: string): string[] => {
    const {
      $ref,
      allOf = [],
      type,
      format = '',
      properties = {},
      items,
      additionalProperties,
    } = schema ?? {};
    const target = $ref ?? allOf[0]?.$ref;
    if (target !== undefined) return within(schemas[target.replace('#/components/schemas/', '')], at);
    if (type === 'integer') return [`${at} ${format}`];
    if (items !== undefined) return within(items, `${at}[]`);
    if (typeof additionalProperties === 'object') return within(additionalProperties, `${at}.${ANY_KEY}`);
    return Object.entries(properties).flatMap(([key, each]) =>
      within(each, at === '' ? key : `${at}.${key}`),
    );
  };
  return [...new Set(within(schemas[name], ''))];
}

/** An object with a value in every field of a schema: one element in each list, one entry in each map. */
export function fullObject(schemas: Schemas, name: string): unknown {
  const { $ref, allOf = [], type, properties, items, additionalProperties } = schemas[name] ?? {};
  const of = (schema: Schema): unknown => fullObject({ ...schemas, '': schema }, '');
  const target = $ref ?? allOf[0]?.$ref;
  if (target !== undefined) return fullObject(schemas, target.replace('#/components/schemas/', ''));
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, of(schema)]));
  if (type === 'array' && items !== undefined) return [of(items)];
  if (typeof additionalProperties === 'object') return { [ANY_KEY]: of(additionalProperties) };
  return 'a value';
}
