import { invalidArgument } from '../options/invalid.ts'
import { comparedFigures } from './compared-figures.ts'
import { placeText } from './measures.ts'
import { type ComparedPair, differences, type NamedResult, type Side, sideOf } from './sides.ts'

/** How results are compared. */
export interface CompareOptions {
  /** Change of a mean, as a share, below which two figures count as alike. @default 0.03 */
  readonly minEffect?: number | undefined
  /**
   * Standard deviation of invocations of the same thing, as a share: two results were measured at two moments. Twice as much for percentiles
   * from the 90th on. 0: runs of two results say all. @default 0.25
   */
  readonly between?: number | undefined
  /** Compare what was not measured alike, too. @default false */
  readonly force?: boolean | undefined
  /** Results without a place of the same name are told instead of refused. @default false */
  readonly partly?: boolean | undefined
  /** Invocation i of both sides was measured in turn. @default false */
  readonly inTurn?: boolean | undefined
}

/**
 * Compare each result with the first one, by the rows of both: figures of equal store and dimensions form pairs. Two results with
 * one store each are compared although their stores have different names.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there is nothing to compare, or if something was not measured alike and
 * `force` is not set
 */
export function compareResults(
  results: readonly NamedResult[],
  options: CompareOptions = {},
): readonly ComparedPair[] {
  const [base, ...others] = results
  if (base === undefined || others.length === 0)
    throw invalidArgument('A comparison needs two results or more.')
  return others.map((other) => compareSides([base], [other], options))
}

/**
 * Compare two sides. Where a side has several invocations each one counts once, by its mean or by the percentile of all its runs, and no
 * run of it alone.
 *
 * @throws {StoreError} as `compareResults`
 */
export function compareSides(
  base: readonly NamedResult[],
  other: readonly NamedResult[],
  options: CompareOptions = {},
): ComparedPair {
  const { force = false, partly = false, inTurn = false } = options
  const [first] = base as [NamedResult]
  const unlike = [...base.slice(1), ...other].flatMap((one) => {
    const found = differences(first, one)
    if (found.length === 0 || force) return found
    throw invalidArgument(
      `${first.name} and ${one.name} were not measured alike: ${found.join('; ')}. Measure them alike, or add --force.`,
    )
  })
  const [one, another] = sidesOf(base, other)
  const names = [one.name, another.name] as const
  const unit = inTurn ? 'turns' : base.length + other.length > 2 ? 'invocations' : 'moments'
  const nothing = nothingInCommon(one, another)
  const common = [...one.figures.keys()].filter((key) => another.figures.has(key))
  if (common.length === 0 && !partly) throw invalidArgument(`${nothing}. Name stores with --store name=URL.`)
  const missing = common.length === 0 ? [nothing] : missingIn(one, another)
  const figures = comparedFigures(one, another, common, unit, options)
  const isApart = unit === 'invocations' && areApart(base, other)
  const loads = [one.load, another.load] as const
  return { names, unit, loads, isApart, differences: [...new Set(unlike)], missing, figures }
}

/** Whether no invocation of either side lies between those of the other. */
function areApart(base: readonly NamedResult[], other: readonly NamedResult[]): boolean {
  const timesOf = (side: readonly NamedResult[]): readonly string[] =>
    side.map(({ result }) => result.startedAt).toSorted()
  const [own, others] = [timesOf(base), timesOf(other)]
  const isBefore = (a: readonly string[], b: readonly string[]): boolean => String(a.at(-1)) < String(b[0])
  return isBefore(own, others) || isBefore(others, own)
}

function sidesOf(base: readonly NamedResult[], other: readonly NamedResult[]): readonly [Side, Side] {
  const names = [sideName(base, 'base'), sideName(other, 'new')] as const
  const [one, another] = [sideOf(base, names[0]), sideOf(other, names[1])]
  const [only] = one.stores
  if (one.stores.length !== 1 || another.stores.length !== 1) return [one, another]
  return [one, sideOf(other, names[1], only)]
}

function sideName(results: readonly NamedResult[], several: string): string {
  return results.length === 1 ? (results[0] as NamedResult).name : several
}

/** Parts of the base that a side lacks: stores, successes in each run, and times of operations. */
function missingIn(base: Side, { name, figures, stores }: Side): readonly string[] {
  const lost = base.stores.filter((store) => !stores.includes(store))
  const gone = [...base.figures].flatMap(([key, one]) => {
    if (lost.includes(one.store) || !['rate', 'mean'].includes(one.figure)) return []
    const place = placeText(one, base.stores.length > 1)
    const values = figures.get(key)?.values
    if (one.figure === 'mean') return values === undefined ? [`${name} has no successful ${place}`] : []
    const at = place === 'all' ? '' : ` at ${place}`
    if (values === undefined) return [`${name} has no rate${at}`]
    const idle = values.filter((rate) => rate <= 0).length
    return idle === 0 ? [] : [`${name} has ${idle} of ${values.length} runs without a success${at}`]
  })
  return [...lost.map((store) => `${name} has no store ${store}`), ...gone]
}

function nothingInCommon(base: Side, other: Side): string {
  const part = base.stores.some((store) => other.stores.includes(store)) ? 'place' : 'store'
  return `${base.name} and ${other.name} have no ${part} of the same name`
}
