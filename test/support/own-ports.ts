import { portsOfWorker } from './shared-servers/port-ranges.ts';

// The servers that a file starts get ports of their own, so that none takes a port that another has chosen and not yet
// bound, or has released between a kill and the next start.
process.env['JOBLEDGER_LOCAL_PORTS'] = portsOfWorker(Number(process.env['JEST_WORKER_ID'] ?? 1));
