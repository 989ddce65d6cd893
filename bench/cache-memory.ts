import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Grown } from './measure/cache-memory-process.ts'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'

// Whether a cache takes the memory that it accounts for: 1,000,000 entries within `maxBytes`, after half as many again were
// put, each policy and kind of value in a process of its own. Heap and external memory after a full collection.

const entries = Number(process.env['ENTRIES'] ?? 1_000_000)
const policies = ['lru', 'gdsf', 's3-fifo', 'w-tinylfu', 'sieve']
const kinds = ['bytes, 100', 'string, 200', 'object']
const tolerance = 0.05

const module = new URL('./measure/cache-memory-process.js', import.meta.url)

async function grown(policy: string, kind: string): Promise<Grown> {
  const execArgv = ['--expose-gc', '--max-old-space-size=8192']
  const child = fork(module, [policy, kind, String(entries)], { execArgv })
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The process ended with ${code}.`))),
  ])) as [Grown]
  child.kill()
  return answer
}

const rows: string[][] = []
const budget: BudgetLine[] = []
for (const kind of kinds)
  for (const policy of policies) {
    const one = await grown(policy, kind)
    const ratio = one.heapBytes / one.accountedBytes
    const each = (bytes: number): string => (bytes / one.entries).toFixed(0)
    rows.push([
      policy,
      kind,
      one.entries.toLocaleString('en'),
      each(one.accountedBytes),
      each(one.heapBytes),
      ratio.toFixed(3),
    ])
    budget.push({
      what: `${policy}, ${kind}`,
      limit: '0.95 to 1.05',
      measured: ratio.toFixed(3),
      kept: Math.abs(ratio - 1) <= tolerance,
    })
  }

printTable(
  `Memory of a cache of ${entries.toLocaleString('en')} entries`,
  ['policy', 'values', 'entries', 'bytes accounted, each', 'grown, each', 'grown to accounted'],
  rows,
)
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('cache-memory', { entries, budget })
