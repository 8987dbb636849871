// jest runs each test file in a process of its own. The servers of each file get ports of their own, so that none takes
// a port that another has chosen and not yet bound, or has released between a kill and the next start.
// Two test runs at a time on one machine need `JOBLEDGER_LOCAL_PORTS`, from whose first port these are counted.

const EACH = 2000;

const from = Number((process.env['JOBLEDGER_LOCAL_PORTS'] ?? '20000').split('-')[0]);
const first = from + (Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) * EACH;
process.env['JOBLEDGER_LOCAL_PORTS'] = `${first}-${first + EACH - 1}`;
