import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, listed } from '../../../report/words.ts'
import { monthHours, type Prices } from '../prices.ts'
import type { CostOf, EvaluationResult } from '../result.ts'

type Part = CostOf['parts'][number]

/** The units of amounts. */
const units: Readonly<Record<Part['of'], string>> = {
  nodes: 'node hours',
  reads: 'million reads',
  writes: 'million writes',
  storage: 'GB',
}

/** The cost of a candidate a month in a few words, as in `EUR 263 without reads`. */
export function costText({ config: { prices }, costs = [] }: EvaluationResult, candidate: string): string {
  const cost = costs.find((one) => one.candidate === candidate)
  if (prices === undefined || cost === undefined || cost.month === null) return 'not known'
  return `${prices.currency} ${moneyText(cost.month)}${withoutText(cost)}`
}

/** How each cost is computed. */
export function costTable({ config: { prices }, costs = [] }: EvaluationResult): readonly ReportTable[] {
  if (prices === undefined || costs.length === 0) return []
  const table = {
    title: `Cost of a month in ${prices.currency}`,
    head: ['candidate', 'for', 'computed', 'a month'],
    names: 3,
    rows: costs.flatMap((cost) => [
      ...cost.parts.map((part) => [cost.candidate, part.of, computedText(part), monthText(part.month)]),
      [cost.candidate, 'all', sumText(cost, prices), monthText(cost.month)],
    ]),
  }
  return [table]
}

/** The same as a sentence; none without prices. */
export function costSentence(result: EvaluationResult, candidate: string): readonly string[] {
  const cost = result.costs?.find((one) => one.candidate === candidate)
  if (cost === undefined) return []
  if (cost.month !== null) return [`A month of it costs ${costText(result, candidate)}.`]
  return [`Its cost a month is not known: ${cost.lack ?? 'its prices are missing'}.`]
}

/** The load and the prices behind the costs, in one sentence. */
export function costBasis({ currency, date, source, load, rate, stored }: Prices): string {
  const from = source === null ? '' : ` (${source})`
  const at = rate === null ? 'its highest throughput' : `${formatCount(rate)} operations a second`
  const data = stored === null ? '' : `, and ${stored.toLocaleString('en-US')} GB are stored`
  return `A candidate carries ${at} of “${load}” all month${data}; prices are in ${currency}, of ${date}${from}.`
}

/** How costs are computed. */
export const costMethod = `A month has ${monthHours} hours. Hours of nodes do not depend on the load. Reads and writes are those that its operations ask of the store, in the shares that were measured. A price that the document does not give is missing, and not 0. Costs decide no place.`

function computedText({ price, amount, of, lack }: Part): string {
  if (lack !== null) return lack
  return amount === null ? 'free' : `${amountText(amount)} ${units[of]} at ${price}`
}

function sumText(cost: CostOf, { load }: Prices): string {
  return cost.lack ?? `at ${formatCount(cost.rate)}/s of “${load}”${withoutText(cost)}`
}

/** The parts whose cost is not known. */
function withoutText({ parts }: CostOf): string {
  const without = parts.filter(({ month }) => month === null).map((part) => part.of)
  return without.length === 0 ? '' : ` without ${listed(without)}`
}

function monthText(month: number | null): string {
  return month === null ? '–' : moneyText(month)
}

/** In whole units from 100 on. */
function moneyText(amount: number): string {
  const digits = amount >= 100 ? 0 : 2
  return amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function amountText(amount: number): string {
  return Number(amount.toPrecision(4)).toLocaleString('en-US', { maximumSignificantDigits: 4 })
}
