import { reportPage } from '../page/page.ts'
import { findingsOf } from '../page/text-report.ts'
import type { AnyResult } from '../study/study.ts'
import { comparison } from './comparison.ts'
import type { NamedResult } from './sides.ts'

/** Fields that name what was measured, the most telling one first. */
const labels = ['store', 'candidate', 'cache', 'algorithm'] as const
/** Lists whose items are named by their `name`. */
const named: ReadonlySet<string> = new Set(['stores', 'caches', 'jobs', 'candidates'])

/**
 * One page of several results of a study, with the findings of each and of a comparison with the first one.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for fewer than two results
 */
export function joinedPage(results: readonly NamedResult[]): string {
  const { findings } = comparison(results, { force: true, partly: true })
  const [{ study }] = results as readonly [NamedResult]
  return reportPage(study, joinedResult(results), {
    findings: [...new Set([...findings, ...joinedFindings(results)])],
    folders: results.map(({ name }) => name),
  })
}

/**
 * Several results of one study as one, for a page of them all: each store of each result has the name of its result beside its own.
 * Configuration, data and machine are those of the first one.
 *
 * @throws {RangeError} without a result
 */
export function joinedResult(results: readonly NamedResult[]): AnyResult {
  const [first] = results
  if (first === undefined) throw new RangeError('There is no result to join.')
  const all = results.map(({ result }) => result)
  const own = results.map(ownNamed)
  const unfit = results.filter(({ result }) => result.error !== null)
  const joined = {
    ...joinedFields(own, Object.keys(first.study.body)),
    status: all.find(({ status }) => status !== 'complete')?.status ?? 'complete',
    error: unfit.length === 0 ? null : unfit.map(({ name, result }) => `${name}: ${result.error}`).join(' '),
    runId: all.map(({ runId }) => runId).join(', '),
    elapsedMs: all.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    command: null,
    stores: own.flatMap(({ stores }) => stores),
  }
  return { ...(own[0] as AnyResult), ...joined }
}

/** The findings of each result alone: stores of two results were not measured in turn, so no study compares them. */
export function joinedFindings(results: readonly NamedResult[]): readonly string[] {
  const found = results.flatMap((one) => findingsOf(one.study, ownNamed(one)))
  return found.filter((sentence, i) => found.indexOf(sentence) === i)
}

/** A result whose stores have its name beside their own. */
function ownNamed({ name, study, result }: NamedResult): AnyResult {
  const fields = ['stores', ...Object.keys(study.body)]
  const whole = result as unknown as Readonly<Record<string, unknown>>
  const renamed = Object.fromEntries(fields.map((field) => [field, labelled(whole[field], field, name)]))
  const candidates = (whole['config'] as { candidates?: unknown }).candidates
  const config =
    candidates === undefined
      ? {}
      : { config: { ...result.config, candidates: labelled(candidates, 'candidates', name) } }
  return { ...result, ...renamed, ...config }
}

/** The items of a list under names that no other result has; an item without a name is the same in all of them. */
function labelled(value: unknown, field: string, name: string): unknown {
  if (!Array.isArray(value)) return value
  return value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) return item
    const fields = item as Readonly<Record<string, unknown>>
    const label = labelOf(fields, field)
    if (label === undefined) return item
    const own = { ...fields, [label]: `${String(fields[label])} ${name}` }
    const [dimensions] = labelled([fields['dimensions']], '', name) as readonly unknown[]
    return field === 'rows' ? { ...own, dimensions } : own
  })
}

function labelOf(item: Readonly<Record<string, unknown>>, field: string): string | undefined {
  if (named.has(field)) return 'name'
  return labels.find((one) => typeof item[one] === 'string')
}

/** Lists of named items one after the other; all else is that of the first result. */
function joinedFields(
  results: readonly AnyResult[],
  fields: readonly string[],
): Readonly<Record<string, unknown>> {
  const [first] = results as unknown as readonly [Readonly<Record<string, unknown>>]
  const isNamed = (field: string, item: unknown): boolean =>
    typeof item === 'object' && item !== null && labelOf({ ...item }, field) !== undefined
  const config = first['config'] as { candidates?: unknown }
  const lists = Object.fromEntries(
    fields
      .filter((field) =>
        results.every((one) => listOf(one, field)?.every((item) => isNamed(field, item)) === true),
      )
      .map((field) => [field, results.flatMap((one) => listOf(one, field) ?? [])]),
  )
  if (config.candidates === undefined) return lists
  const candidates = results.flatMap((one) => listOf(one.config, 'candidates') ?? [])
  return { ...lists, config: { ...config, candidates } }
}

function listOf(holder: object, field: string): readonly unknown[] | undefined {
  const value = (holder as Readonly<Record<string, unknown>>)[field]
  return Array.isArray(value) ? value : undefined
}
