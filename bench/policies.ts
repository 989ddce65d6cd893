import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { policies } from '@unikv/cache/policies'
import { printTable, writeResults } from './measure/report.ts'
import { belady } from './policies/belady.ts'
import { madeTraces } from './policies/made.ts'
import { replay } from './policies/replay.ts'
import { footprint, readTrace } from './policies/trace.ts'

// Which replacement policy answers most? Replays traces (those of `bench/traces` and three made ones, or the files that are
// named) on caches of
// some sizes, in parts of all objects or bytes of the trace: hit rate and byte hit rate of each policy, beside Belady's
// optimum. `PARTS=0.01,0.1 node bench/dist/policies.js my-trace.tsv.gz` takes your own.

const parts = (process.env['PARTS'] ?? '0.01,0.05,0.1,0.2').split(',').map(Number)
const folder = fileURLToPath(new URL('../traces/', import.meta.url))
const own = readdirSync(folder).filter((name) => name.endsWith('.gz'))
const asked = process.argv.slice(2)
const paths = asked.length > 0 ? asked : own.map((name) => folder + name)

if (parts.some((part) => !(part > 0 && part < 1)))
  throw new Error('PARTS are parts of all objects or bytes of a trace, above 0 and below 1: PARTS=0.01,0.1')

const names = ['lru', ...Object.keys(policies).filter((name) => name !== 'lru')] as (keyof typeof policies)[]
const traces = paths.map((path) => ({ name: basename(path), trace: readTrace(path) }))
if (asked.length === 0)
  for (const [name, make] of Object.entries(madeTraces)) traces.push({ name, trace: make() })
const results = traces.flatMap(({ name, trace }) => {
  const all = footprint(trace)
  return parts.map((part) => {
    const capacity = Math.max(1, Math.floor(all * part))
    const rates = Object.fromEntries(names.map((name) => [name, replay(trace, capacity, policies[name])]))
    return { trace: name, isSized: trace.isSized, part, rates, optimum: belady(trace, capacity) }
  })
})

for (const of of ['objects', 'bytes'] as const) {
  const rows = results.filter(({ isSized }) => of === 'objects' || isSized)
  if (rows.length === 0) continue
  const title = of === 'objects' ? 'Hit rate, %' : 'Byte hit rate, %'
  printTable(
    title,
    ['trace', 'cache', ...names, 'optimum'],
    rows.map(({ trace, part, rates, optimum }) => [
      trace,
      `${part * 100} %`,
      ...names.map((name) => percent(rates[name]?.[of])),
      percent(optimum[of]),
    ]),
  )
}
await writeResults('policies', results)

function percent(rate = Number.NaN): string {
  return (rate * 100).toFixed(1)
}
