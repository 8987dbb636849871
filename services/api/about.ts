import type { About } from '../adapters/http/description.ts';
import { VERSION } from '../adapters/process/package-dir.ts';

/** The general information of the OpenAPI document about the API. */
export const ABOUT: About = {
  title: 'Jobledger',
  version: VERSION,
  description: 'The history of Kubernetes Jobs, and the decisions about them with their reasons',
};
