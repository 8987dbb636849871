import { mkdirSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { stubApi } from '../support/stub-api.ts';

// `npm run page-types`, a part of `npm run types`: the document that the API serves, and its types, for the page and the clients.
const server = await stubApi();
const document = (await server.inject('/openapi.json')).body;
await server.close();
mkdirSync('build', { recursive: true });
writeFileSync('build/openapi.json', document);
writeFileSync('build/api-types.ts', astToString(await openapiTS(document)));
