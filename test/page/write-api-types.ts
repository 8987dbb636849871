import { mkdirSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { stubApi } from '../support/stub-api.ts';

// `npm run page-types`, a part of `npm run types`: the page's types of the API, from the document that the API serves.
const server = await stubApi();
const document = (await server.inject('/openapi.json')).body;
await server.close();
mkdirSync('build', { recursive: true });
writeFileSync('build/api-types.ts', astToString(await openapiTS(document)));
