import { runService } from '../adapters/process/run-service.ts';
import { service } from './service.ts';

await runService(service);
