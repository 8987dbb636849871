import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { stubApi } from '../support/stub-api.ts';

/** The types that the page has of the API, and where they are kept. */
export const API_TYPES = 'page/api/api-types.ts';

/** The text of API_TYPES, made from the document that the API serves. */
export async function apiTypes(): Promise<string> {
  const server = await stubApi();
  const document = (await server.inject('/openapi.json')).body;
  await server.close();
  const types = `// Made from the API's OpenAPI document by \`npm run page-types\`.\n\n${astToString(await openapiTS(document))}`;
  return format(types, { ...(await resolveConfig(API_TYPES)), parser: 'typescript' });
}
