import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { entrants } from './measure/monitor-entrants.ts'
import { ownProcess } from './measure/own-process.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved, median, type Outcome, type Round } from './measure/rounds.ts'

// The cost of being watched: a cached get, and a get that is answered by promise, `await` in a loop, without and with a monitor,
// a recorder and OpenTelemetry, in time of the processor. Every round of each is a process of its own. Medians of interleaved
// rounds; differences are taken round by round.

const rounds = Number(process.env['ROUNDS'] ?? 7)
const module = new URL('./measure/monitor-process.js', import.meta.url)
const names = Object.keys(entrants)
const outcomes = await interleaved(
  names.map((name) => ownProcess(module, name)),
  rounds,
)
const at = (name: string): Outcome => outcomes[names.indexOf(name)] as Outcome
/** How many nanoseconds more a call takes than one of another contestant. */
const moreNs = (name: string, than: string): number =>
  median(at(name).rounds.map(({ p50Us }, i) => (p50Us - (at(than).rounds[i] as Round).p50Us) * 1000))

printTable(
  `A get of a small object, ${rounds} rounds`,
  ['', 'ns', 'more than the first'],
  outcomes.map(({ name, p50Us }) => {
    const first = name.split(',')[0] as string
    return [name, (p50Us * 1000).toFixed(0), name === first ? '' : `${moreNs(name, first).toFixed(0)} ns`]
  }),
)

function line(what: string, ns: number, limitNs: number): BudgetLine {
  return { what, limit: `≤ ${limitNs} ns`, measured: `${ns.toFixed(0)} ns`, kept: ns <= limitNs }
}

const hit = 'cached hit, monitor'
const budget = [
  line('a hit with a recorder, more than with a monitor', moreNs(`${hit} and recorder`, hit), 20),
  line('a recorded call, more than one without a monitor', moreNs('call, monitor and recorder', 'call'), 300),
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('monitor', { rounds, contestants: outcomes, budget })
