import { startServer } from '@unikv/test-kit'
import { keepServersToOneCore } from './measure/cores.ts'
import { type OverheadLine, overheadOf } from './measure/overhead.ts'
import { printTable, writeResults } from './measure/report.ts'
import { stores } from './overhead/stores.ts'

// What does a call cost more than the like statement of the native client? One call at a time (insert, read, update
// and delete as in the data access middleware study), 64 at once, and batches of 32, on values of 1 KB. Ratios to the
// native client. `node bench/dist/overhead.js redis mysql` measures these stores only.

const effort = {
  starts: Number(process.env['STARTS'] ?? 3),
  rounds: Number(process.env['ROUNDS'] ?? 9),
  mostRounds: Number(process.env['MOST_ROUNDS'] ?? 25),
  exactness: 0.03,
  latencyMs: Number(process.env['LATENCY_MS'] ?? 60),
  throughputMs: Number(process.env['THROUGHPUT_MS'] ?? 240),
  warmUpMs: Number(process.env['WARM_UP_MS'] ?? 4_000),
}
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(stores, name))
if (unknown.length > 0)
  throw new Error(`no store ${unknown.join(', ')}; there are ${Object.keys(stores).join(', ')}`)

keepServersToOneCore()
const lines: OverheadLine[] = []
for (const name of asked.length > 0 ? asked : Object.keys(stores)) {
  const { server: kind, serverArgs: args = [] } = await stores[name]!()
  const server = kind && (await startServer(kind, { args }))
  try {
    lines.push(...(await overheadOf(name, server?.url ?? '', effort)))
  } finally {
    await server?.stop()
  }
}
const columns = ['store', 'operation', 'native', 'unikv', 'ratio', '95 %', 'budget', 'verdict']
printTable(
  'unikv against the native client',
  columns,
  lines.map(({ cells }) => cells),
)
await writeResults('overhead', lines)
