import { formatCount, listed } from '../../report/words.ts'
import type { Curve } from '../sweep/config.ts'
import { isMissing } from '../sweep/curves.ts'
import { highest } from '../sweep/law.ts'
import { type EvaluationConfig, measuredIn } from './config.ts'
import { highestRate } from './curves.ts'
import { monthHours, type Prices } from './prices.ts'
import type { CostOf } from './result.ts'

const monthSeconds = monthHours * 3_600

type Part = CostOf['parts'][number]

/** The cost of each measured candidate a month; `undefined` without prices. */
export function costsOf(config: EvaluationConfig, curves: readonly Curve[]): CostOf[] | undefined {
  const { prices } = config
  if (prices === undefined) return undefined
  return measuredIn(config, curves).map(({ name: candidate }) => {
    const curve = curves.find(({ store, load }) => store === candidate && load === prices.load)
    const most = highestRate(config, curves, candidate, prices.load)
    const rate = prices.rate ?? most
    const parts = partsOf(prices, candidate, requestsAt(prices, curve, rate))
    const lack =
      rate > most || most === 0 ? `it carried at most ${formatCount(most)}/s of “${prices.load}”` : null
    const known = lack === null ? parts.flatMap(({ month }) => month ?? []) : []
    const month = known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
    return { candidate, rate, parts, lack, month }
  })
}

/** Reads and writes a second. */
interface Requests {
  readonly reads: number
  readonly writes: number
}

/** The requests of operations as they came at the highest throughput, so many a second; a text: why they are not known. */
function requestsAt({ asks }: Prices, curve: Curve | undefined, rate: number): Requests | string {
  const points = (curve?.points ?? []).filter((point) => !isMissing(point))
  const counts = points.length === 0 ? [] : highest(points).operations
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  const unknown = new Set(counts.flatMap(({ name }) => (Object.hasOwn(asks, name) ? [] : [name])))
  if (unknown.size > 0) return `prices.asks does not say what ${listed([...unknown])} asks of the store`
  const of = (kind: keyof Requests): number =>
    counts.reduce((sum, { name, count }) => sum + (count / all) * (asks[name]?.[kind] ?? 0), 0) * rate
  return { reads: of('reads'), writes: of('writes') }
}

/** The parts of a cost, in the order in which they are shown. */
function partsOf(
  { candidates, stored }: Prices,
  candidate: string,
  requests: Requests | string,
): readonly Part[] {
  const { nodes, nodeHour, millionReads, millionWrites, gbMonth } = candidates[candidate] ?? {}
  const millions = (kind: keyof Requests): number | string =>
    typeof requests === 'string' ? requests : (requests[kind] * monthSeconds) / 1e6
  return [
    part('nodes', nodeHour, (nodes ?? 0) * monthHours),
    part('reads', millionReads, millions('reads')),
    part('writes', millionWrites, millions('writes')),
    part('storage', gbMonth, stored ?? 'prices.stored does not say how much is stored'),
  ]
}

/** A price of 0 needs no amount; one that is not given makes no 0. */
function part(name: Part['of'], price: number | undefined, amount: number | string): Part {
  if (price === undefined) return { of: name, price: null, amount: null, month: null, lack: 'no price' }
  if (price === 0) return { of: name, price, amount: null, month: 0, lack: null }
  if (typeof amount === 'string') return { of: name, price, amount: null, month: null, lack: amount }
  return { of: name, price, amount, month: amount * price, lack: null }
}
