import { Deadlines, type Waiting } from '@unikv/core/adapter'
import { type BudgetLine, budgetRows, repeated } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved } from './measure/rounds.ts'

// Cost of a deadline for a call that is answered in time: put it up and take it away again, 64 calls under way.

const rounds = Number(process.env['ROUNDS'] ?? 7)
const timeoutMs = 30_000
const perCall = 64

const deadlines = new Deadlines<Waiting>()
const calls = Array.from({ length: perCall }, (): Waiting => ({ expiresAt: 0, place: -1, expire() {} }))
for (const call of calls) deadlines.add(timeoutMs, call)
const timers = calls.map(() => setTimeout(() => {}, timeoutMs).unref())
const nothing = (): void => {}

const outcomes = await interleaved(
  [
    repeated(
      'the list of deadlines',
      () => {
        for (const call of calls) {
          deadlines.remove(call)
          deadlines.add(timeoutMs, call)
        }
      },
      { perCall },
    ),
    repeated(
      'setTimeout, clearTimeout',
      () => {
        for (let i = 0; i < perCall; i++) {
          clearTimeout(timers[i])
          timers[i] = setTimeout(nothing, timeoutMs).unref()
        }
      },
      { perCall },
    ),
    repeated('AbortSignal.timeout', () => AbortSignal.timeout(timeoutMs)),
  ],
  rounds,
)
printTable(
  `A deadline, ${rounds} rounds`,
  ['', 'ns'],
  outcomes.map(({ name, p50Us }) => [name, (p50Us * 1000).toFixed(1)]),
)
const ns = (outcomes[0]?.p50Us ?? Number.NaN) * 1000
const budget: readonly BudgetLine[] = [
  { what: 'a deadline a call', limit: '≤ 30 ns', measured: `${ns.toFixed(1)} ns`, kept: ns <= 30 },
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('deadlines', { rounds, outcomes, budget })
