import { must, wrongAt } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import type { SweepConfig } from '../../sweep/config.ts'
import type { Prices } from '../prices.ts'
import { section, text, wholeTo } from './parts.ts'

const amount = z.number(must('a number from 0 on')).min(0, must('a number from 0 on'))
const above = z.number(must('a number above 0')).positive(must('a number above 0'))
const currencyText = must('a currency, such as EUR')

/** Prices of a candidate; one that is left out is not known, and not 0. */
const priced = section(
  {
    nodes: wholeTo(100_000).optional(),
    nodeHour: amount.optional(),
    millionReads: amount.optional(),
    millionWrites: amount.optional(),
    gbMonth: amount.optional(),
  },
  'an object of prices, such as nodes and nodeHour',
)

/** The schema of prices as they are written down. */
export const pricesSchema = section(
  {
    currency: z.string(currencyText).regex(/^[A-Z]{3}$/, currencyText),
    /** The day on which they held. */
    date: z.iso.date(must('a day, such as 2026-11-27')),
    /** Where they are from. */
    source: text.optional(),
    /** The load of the month; left out: the last one. */
    load: text.optional(),
    /** Operations a second, all month; left out: the highest throughput of each candidate. */
    rate: above.optional(),
    /** Gigabytes that are stored. */
    stored: amount.optional(),
    /** Reads and writes that an operation asks of the store, for those of a module and of several records. */
    asks: z
      .record(
        z.string(),
        section({ reads: amount.optional(), writes: amount.optional() }, 'an object with reads and writes'),
        must('an object of operations by name'),
      )
      .optional(),
    candidates: z.record(z.string(), priced, must('an object of candidates by name')),
  },
  'an object with currency, date and candidates',
)

/** Reads and writes of operations that do one thing with one record. */
const known: Prices['asks'] = {
  read: { reads: 1, writes: 0 },
  insert: { reads: 0, writes: 1 },
  update: { reads: 0, writes: 1 },
  delete: { reads: 0, writes: 1 },
  increment: { reads: 0, writes: 1 },
  'read-modify-write': { reads: 1, writes: 1 },
  'conditional-update': { reads: 1, writes: 1 },
}

/**
 * The prices of a document.
 *
 * @param names - the candidates
 * @throws {StoreError} `INVALID_CONFIG`: the place, what was found, and what is right
 */
export function pricesOf(
  given: GivenPrices,
  names: readonly string[],
  file: string,
  { loads }: SweepConfig,
): Prices {
  const { currency, date, source = null, load: chosen, rate = null, stored = null, asks = {} } = given
  const { candidates } = given
  const wrong = (place: string, what: string): Error => wrongAt(file, `prices.${place}`, what)
  const load = chosen === undefined ? loads.at(-1) : loads.find(({ name }) => name === chosen)
  if (load === undefined)
    throw wrong(
      'load',
      `there is no load '${chosen}'; the loads are ${loads.map((one) => one.name).join(', ')}`,
    )
  const idle = Object.keys(asks).find((name) => !((load.mix[name] ?? 0) > 0))
  if (idle !== undefined) throw wrong(`asks.${idle}`, `the load ${load.name} does not do this operation`)
  for (const [name, { nodes, nodeHour }] of Object.entries(candidates)) {
    if (!names.includes(name)) throw wrong(`candidates.${name}`, 'there is no such candidate')
    if (nodes === undefined ? (nodeHour ?? 0) > 0 : nodeHour === undefined)
      throw wrong(`candidates.${name}`, 'nodes and nodeHour need each other: give both, or neither')
  }
  const own = Object.entries(asks).map(
    ([name, { reads = 0, writes = 0 }]) => [name, { reads, writes }] as const,
  )
  const done = Object.entries({ ...known, ...Object.fromEntries(own) }).filter(
    ([name]) => (load.mix[name] ?? 0) > 0,
  )
  return { currency, date, source, load: load.name, rate, stored, asks: Object.fromEntries(done), candidates }
}

type GivenPrices = Plain<typeof pricesSchema>
