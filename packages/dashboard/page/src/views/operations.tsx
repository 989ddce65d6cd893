import type { FiguresNow, ProcessesView } from '../api.ts'
import { rate } from '../rates.ts'
import { bytesText, momentText, numberText, shareText, timeText } from '../units.ts'

type Operation = FiguresNow['stores'][string][string]

interface OperationProps {
  readonly name: string
  readonly frames: readonly FiguresNow[]
}

const heads = [
  'operation',
  'calls',
  'a second',
  'p50',
  'p99',
  'p99.9',
  'slowest',
  'under way',
  'failed',
  'hits',
]

/** The operations of a store in this process, since counting began. Cells have exact counts for programs. */
export function OperationTable({ name, frames }: OperationProps) {
  const [now, before] = [frames.at(-1) as FiguresNow, frames.at(-2)]
  const operations = Object.entries(now.stores[name] ?? {})
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Operations of ${name}`}>
        <table data-snapshot={now.snapshot}>
          <caption>This process, since {momentText(now.sinceAt)}</caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map(([operation, one]) => (
              <tr key={operation} class={one.failed > 0 ? 'wrong' : undefined}>
                <th scope="row">{operation}</th>
                <td data-figure={`${name} ${operation} calls`}>{numberText(one.calls)}</td>
                <td>{before === undefined ? '–' : numberText(rate(before, now, name, operation))}</td>
                <td>{timeText(one.p50Ms)}</td>
                <td data-figure={`${name} ${operation} p99`} data-value={one.p99Ms}>
                  {timeText(one.p99Ms)}
                </td>
                <td>{timeText(one.p999Ms)}</td>
                <td>{timeText(one.maxMs)}</td>
                <td data-figure={`${name} ${operation} underWay`}>{numberText(one.underWay)}</td>
                <td data-figure={`${name} ${operation} failed`} title={countsText(one.errors)}>
                  {one.failed === 0 ? '–' : numberText(one.failed)}
                </td>
                <td title={one.hits && countsText(one.hits)}>{hitsText(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More name={name} operations={operations} />
    </>
  )
}

const more: readonly (readonly [
  string,
  (one: Operation) => number | undefined,
  (value: number) => string,
])[] = [
  ['items', ({ items }) => items, numberText],
  ['absent', ({ absent }) => absent, numberText],
  ['answered by caches', ({ hits }) => hits && sumOf(hits), numberText],
  ['answered by the store', ({ misses }) => misses, numberText],
  ['stale', ({ stale }) => stale, numberText],
  ['conditions failed', ({ conditionsFailed }) => conditionsFailed, numberText],
  ['committed', ({ outcomes }) => outcomes && (outcomes['committed'] ?? 0), numberText],
  ['too late', ({ late }) => late, numberText],
  ['bytes', ({ bytes }) => bytes || undefined, bytesText],
]

/** Counts that are looked at less often. */
function More({
  name,
  operations,
}: {
  readonly name: string
  readonly operations: readonly [string, Operation][]
}) {
  return (
    <details>
      <summary>Counts of items</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Items of ${name}`}>
        <table>
          <thead>
            <tr>
              {['operation', ...more.map(([head]) => head)].map((head) => (
                <th key={head}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map(([operation, one]) => (
              <tr key={operation}>
                <th scope="row">{operation}</th>
                {more.map(([head, of, text]) => {
                  const value = of(one)
                  return (
                    <td
                      key={head}
                      title={titleOf(head, one)}
                      data-figure={`${name} ${operation} ${head}`}
                      data-value={head === 'bytes' ? value : undefined}
                    >
                      {value === undefined ? '–' : text(value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

interface RateProps {
  readonly name: string
  readonly rates: ProcessesView['together'][string]
}

/** The operations of a store in all processes, in the last seconds. */
export function RateTable({ name, rates }: RateProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`All processes, ${name}`}>
      <table>
        <caption>All processes, in the last seconds</caption>
        <thead>
          <tr>
            {['operation', 'calls a second', 'p50', 'p99', 'failed', 'hits'].map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(rates).map(([operation, one]) => (
            <tr key={operation} class={one.errorShare > 0 ? 'wrong' : undefined}>
              <th scope="row">{operation}</th>
              <td>{numberText(one.callsPerSecond)}</td>
              <td>{timeText(one.p50Ms)}</td>
              <td>{timeText(one.p99Ms)}</td>
              <td>{one.errorShare === 0 ? '–' : shareText(one.errorShare)}</td>
              <td>{one.hitRate === 0 ? '–' : shareText(one.hitRate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([code, count]) => `${code}: ${numberText(count)}`)
    .join(', ')
}

/** The parts of a sum. */
function titleOf(head: string, { conflicts, outcomes }: Operation): string | undefined {
  const parts = { 'conditions failed': conflicts, committed: outcomes }[head]
  return parts && countsText(parts)
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function hitsText({ hits, misses = 0 }: Operation): string {
  if (hits === undefined) return ''
  const found = sumOf(hits)
  return found === 0 ? '–' : shareText(found / (found + misses))
}
