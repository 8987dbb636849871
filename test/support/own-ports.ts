// Files of tests run side by side, each in a process of jest's: the servers of each have ports of their own, so that
// none takes what another has chosen and not bound yet, or has let go of between a kill and the next start.

const FIRST = 20_000;
const EACH = 2000;

const first = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) * EACH;
process.env['JOBLEDGER_LOCAL_PORTS'] = `${first}-${first + EACH - 1}`;
