import { alternating, type Chunks } from './measure/alternating.ts'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { entrants } from './measure/monitor-entrants.ts'
import { printTable, times, writeResults } from './measure/report.ts'
import { type Interval, median, medianInterval } from './measure/rounds.ts'

// The cost of being watched: a cached get, and a get that is answered by promise, `await` in a loop, without and with a monitor,
// a recorder and OpenTelemetry, in time of the processor. A round is a process for each, which take turns chunk by chunk. Other work of the
// machine only adds time, so the result of a round is the chunk below which a tenth of them lies; the result of all is the median
// of rounds, with an interval of 95 %. On a busy machine everything takes several times as long.
// Look at the cached hit first: it tells how busy the machine is. The ratios hold all the same.

const rounds = Number(process.env['ROUNDS'] ?? 9)
const chunks = Number(process.env['CHUNKS'] ?? 100)
const module = new URL('./measure/monitor-process.js', import.meta.url)
const names = Object.keys(entrants)
const all: (readonly Chunks[])[] = []
for (let round = 0; round < rounds; round++) all.push(await alternating(module, names, chunks))

/** Nanoseconds: the median of rounds, and its interval. */
interface Figure {
  readonly ns: number
  readonly between: Interval
}

function figure(us: readonly number[]): Figure {
  const ns = us.map((one) => one * 1000)
  return { ns: median(ns), between: medianInterval(ns) }
}

/** The time of an undisturbed chunk. */
const quiet = (round: readonly Chunks[], name: string): number => {
  const sorted = (round[names.indexOf(name)] as Chunks).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 10)] as number
}
const took = (name: string): Figure => figure(all.map((round) => quiet(round, name)))
/** How much more a call takes than one of another entrant, and how many times as long. */
const more = (name: string, than: string): Figure =>
  figure(all.map((round) => quiet(round, name) - quiet(round, than)))
const ratio = (name: string, to: string): number =>
  median(all.map((round) => quiet(round, name) / quiet(round, to)))

const contestants = names.map((name) => {
  const first = name.split(',')[0] as string
  return name === first
    ? { name, took: took(name) }
    : { name, took: took(name), more: more(name, first), ratio: ratio(name, first) }
})
const range = ({ between: [low, high] }: Figure): string => `${low.toFixed(0)} to ${high.toFixed(0)}`
printTable(
  `A get of a small object, ${rounds} rounds`,
  ['', 'ns', '95 %', 'more than the first', '95 %', 'ratio'],
  contestants.map(({ name, took: its, more: extra, ratio: factor }) => [
    name,
    its.ns.toFixed(0),
    range(its),
    ...(extra === undefined ? ['', '', ''] : [extra.ns.toFixed(0), range(extra), times(factor)]),
  ]),
)

function line(what: string, found: Figure, limitNs: number): BudgetLine {
  const measured = `${found.ns.toFixed(0)} ns (${range(found)})`
  return { what, limit: `≤ ${limitNs} ns`, measured, kept: found.ns <= limitNs }
}

const hit = 'cached hit, monitor'
const budget = [
  line('a hit with a recorder, more than with a monitor', more(`${hit} and recorder`, hit), 20),
  line('a recorded call, more than one without a monitor', more('call, monitor and recorder', 'call'), 300),
]
printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('monitor', { rounds, contestants, budget })
