import { parseDuration } from '@unikv/bench/engine'
import { parseSize } from '@unikv/bench/words'
import { StoreError } from '@unikv/core'
import { type Configuration, loadConfig, openUnrecorded } from '@unikv/manager'
import {
  type Advice,
  type AdviceQuery,
  advise,
  figureText,
  knownFrom,
  knownTactics,
  type Weighed,
} from '@unikv/tuner'
import { type Section, sectionsText } from '../columns.ts'
import { reading } from '../data/there.ts'
import { printable } from '../printable.ts'
import { isUrl } from '../same-place.ts'
import type { Terminal } from '../terminal.ts'

/** Options of `unikv stores advise`. */
export interface AdviseOptions {
  readonly config?: string
  readonly reads?: number
  readonly writes?: number
  readonly query?: readonly string[]
  readonly valueSize?: string
  readonly readTime?: string
  readonly below: string
  readonly percentile?: number
  readonly json?: boolean
}

/** Print what would help a store to carry a load. Nothing is changed. */
export async function adviseOn(
  place: string | undefined,
  options: AdviseOptions,
  { out, width }: Terminal,
): Promise<void> {
  if (place === undefined) return printKnown(options, { out, width })
  const config: Configuration = isUrl(place)
    ? { stores: { store: { url: place, layers: ['json'] } } }
    : await loadConfig(options.config)
  const store = isUrl(place) ? 'store' : place
  const query = queryOf(store, options)
  const manager = await openUnrecorded(config)
  try {
    const decision = await reading(() => advise(manager, query))
    if (options.json === true) out(`${JSON.stringify(dataOf(decision))}\n`)
    else out(printable(sectionsText(adviceSections(decision, query), width), width))
  } finally {
    await manager.close()
  }
}

/** Without a store: the tactics in general, by product. */
function printKnown({ json }: AdviseOptions, { out, width }: Pick<Terminal, 'out' | 'width'>): void {
  const rows = knownTactics.map(({ name, by, can, cannot, unknown }) => [
    name,
    by,
    can.join(', '),
    [...cannot, ...unknown.map((product) => `${product} (not known)`)].join(', '),
  ])
  const sections: Section[] = [
    { head: ['tactic', 'carried out by', 'possible with', 'not with'], rows },
    `Source: ${knownFrom}.`,
    'For advice on a store: unikv stores advise URL --reads 500 --query ip=20.',
  ]
  out(json === true ? `${JSON.stringify(knownTactics)}\n` : printable(sectionsText(sections, width), width))
}

function queryOf(
  store: string,
  { reads, writes, query = [], valueSize, readTime, below, percentile }: AdviseOptions,
): AdviceQuery {
  const queries = query.map((text) => {
    const [, by, , rate] = /^([\w.,]+)( in [\w.]+)?=(\d+(?:\.\d+)?)$/.exec(text) ?? []
    if (by === undefined || rate === undefined)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `--query must be attributes and a rate, such as ip=20 or ip,at=5, got '${text}'.`,
      )
    return [`by ${text.slice(0, text.lastIndexOf('='))}`, Number(rate)] as const
  })
  const calls = [
    ...(reads === undefined ? [] : [['read', reads] as const]),
    ...(writes === undefined ? [] : [['set', writes] as const]),
    ...queries,
  ]
  if (calls.length === 0)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'Say what the load is: --reads 500, --writes 50, or --query ip=20 (calls a second).',
    )
  return {
    store,
    calls: Object.fromEntries(calls),
    takes: readTime === undefined ? {} : { read: parseDuration(readTime) },
    valueBytes: valueSize === undefined ? undefined : parseSize(valueSize),
    belowMs: promised(below),
    percentile,
  }
}

function promised(below: string): number {
  const ms = parseDuration(below)
  if (ms > 0) return ms
  throw new StoreError('INVALID_ARGUMENT', '--below must be more than 0, such as 10ms.')
}

function adviceSections(
  { trouble, chosen, weighed, records }: Advice,
  { belowMs, percentile = 99 }: AdviceQuery,
): Section[] {
  if (trouble.type !== 'violation') return []
  const { policy, found } = trouble.violation
  const promise = `${percentile} % of ${policy.operation} below ${figureText(belowMs, 'ms')}`
  if (found < belowMs) return [`${promise}: expected ${figureText(found, 'ms')}. Nothing needs to be done.`]
  return [
    `${promise}: expected ${figureText(found, 'ms')} without a change.`,
    chosen === undefined
      ? 'Nothing that unikv knows would help enough.'
      : `Best: ${chosen.candidate.title}, to about ${figureText(chosen.expected, 'ms')}.\n${chosen.candidate.figures.map(({ name, value, unit }) => `· ${name}: ${figureText(value, unit)}`).join('\n')}`,
    { head: ['tactic', 'what', 'then', 'against it'], rows: weighed.map(rowOf) },
    `These are estimates from what is generally known, with ${recordsText(records, policy.store)}, for calls that do not wait for each other. A tuner measures.`,
  ]
}

function recordsText(records: number | undefined, store: string): string {
  if (records === undefined) return `100,000 records, as ${store} does not tell how many it has`
  return `${records === 1 ? 'one record' : `${records.toLocaleString('en-US')} records`} in ${store}`
}

function rowOf({ tactic, candidate, expected, against }: Weighed): readonly string[] {
  return [
    tactic,
    candidate.title,
    candidate.refused === undefined ? figureText(expected, 'ms') : '',
    against ?? '',
  ]
}

function dataOf({ trouble, chosen, weighed, records }: Advice): object {
  const shown = ({ tactic, candidate, expected, relief, saved, against }: Weighed): object => {
    return {
      tactic,
      title: candidate.title,
      expectedMs: expected,
      relief,
      saved,
      against,
      figures: candidate.figures,
    }
  }
  return {
    records: records ?? null,
    trouble,
    best: chosen === undefined ? null : shown(chosen),
    weighed: weighed.map(shown),
  }
}
