import { StoreError } from '@unikv/core'
import { compared } from '../../statistics/compare/comparison.ts'
import type { Comparison } from '../../statistics/compare/comparison-result.ts'
import { operationText, targetText } from '../report/words.ts'
import type { OperationResult, TargetResult } from '../result.ts'
import { type ComparableResult, differences } from './differences.ts'

/** A result with the name that tells it from the others, such as its folder. */
export interface NamedResult {
  readonly name: string
  readonly result: ComparableResult
}

/** How results are compared. */
export interface CompareOptions {
  /** The facts of their study, by words for them. @default none */
  readonly alike?: ((config: never) => Readonly<Record<string, unknown>>) | undefined
  /** Change of a mean, as a share, below which two figures count as alike. @default 0.03 */
  readonly minEffect?: number | undefined
  /** Compare what was not measured alike, too. @default false */
  readonly force?: boolean | undefined
  /** Results without a store of the same name are told instead of refused. @default false */
  readonly partly?: boolean | undefined
}

/** One figure of two results. */
export interface ComparedFigure {
  /** `all`, or an operation such as `read`. */
  readonly operation: string
  /** Operations a second, or the mean time of an operation in milliseconds. */
  readonly figure: 'rate' | 'mean'
  readonly comparison: Comparison
}

/** A store in two results. */
export interface ComparedPair {
  readonly names: readonly [base: string, other: string]
  /** Why the two were not measured alike; empty if they were. */
  readonly differences: readonly string[]
  /** Figures of the base that the other result does not have, in sentences: a store that failed must not pass for equal. */
  readonly missing: readonly string[]
  readonly figures: readonly ComparedFigure[]
}

/**
 * Compare each result with the first one, store by store, by the means of whole runs. Stores with the same name form
 * a pair. Two results with one store each form a pair too, also if their stores have different names.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there is nothing to compare, or if something was not measured alike and
 * `force` is not set
 */
export function compareResults(
  results: readonly NamedResult[],
  { alike, minEffect, force = false, partly = false }: CompareOptions = {},
): readonly ComparedPair[] {
  const [base, ...others] = results
  if (base === undefined || others.length === 0)
    throw new StoreError('INVALID_ARGUMENT', 'A comparison needs two results or more.')
  return others.flatMap((other) => {
    const unlike = differences(base.result, other.result, alike)
    if (unlike.length > 0 && !force) throw notAlike(base.name, other.name, unlike)
    const pairs = pairsOf(base, other)
    if (pairs.length === 0) {
      const missing = `${base.name} and ${other.name} have no ${commonPart(base, other)} of the same name`
      if (!partly) throw new StoreError('INVALID_ARGUMENT', `${missing}. Name stores with --store name=URL.`)
      return [{ names: [base.name, other.name], differences: unlike, missing: [missing], figures: [] }]
    }
    const lost = base.result.targets.filter((target) => pairs.every(([a]) => a !== target))
    return pairs.map(([a, b], index): ComparedPair => {
      const names = [labelOf(base, a), labelOf(other, b)] as const
      const stores = index > 0 ? [] : lost.map((target) => `${other.name} has no store ${targetText(target)}`)
      const missing = [...stores, ...missingIn(b, names[1], a)]
      return { names, differences: unlike, missing, figures: figuresOf(a, b, names, minEffect) }
    })
  })
}

function labelOf({ name, result }: NamedResult, target: TargetResult): string {
  return result.targets.length === 1 ? name : `${name} ${targetText(target)}`
}

/** Stores may have the same names, and other phases. */
function commonPart(base: NamedResult, other: NamedResult): 'store' | 'phase' {
  const names = new Set(other.result.targets.map(({ store }) => store))
  return base.result.targets.some(({ store }) => names.has(store)) ? 'phase' : 'store'
}

type Pair = readonly [TargetResult, TargetResult]

function pairsOf(base: NamedResult, other: NamedResult): readonly Pair[] {
  const [own, theirs] = [base.result.targets, other.result.targets]
  const [one, more] = own
  const [another, evenMore] = theirs
  if (one !== undefined && another !== undefined && more === undefined && evenMore === undefined)
    return [[one, another]]
  return own.flatMap((a): Pair[] => {
    const b = theirs.find(({ store, phase }) => store === a.store && phase === a.phase)
    return b === undefined ? [] : [[a, b]]
  })
}

function figuresOf(
  a: TargetResult,
  b: TargetResult,
  names: readonly [string, string],
  minEffect: number | undefined,
): readonly ComparedFigure[] {
  const figure = (
    operation: string,
    kind: ComparedFigure['figure'],
    one: readonly number[],
    other: readonly number[],
  ): ComparedFigure[] => {
    if (one.length === 0 || other.length === 0 || Math.min(...one, ...other) <= 0) return []
    const better = kind === 'rate' ? 'higher' : 'lower'
    return [{ operation, figure: kind, comparison: compared(one, other, { better, minEffect, names }) }]
  }
  return [
    ...figure('all', 'rate', a.rate.runs, b.rate.runs),
    ...a.operations.flatMap((operation) => {
      const same = b.operations.find((one) => operationText(one) === operationText(operation))
      if (same === undefined) return []
      return figure(operationText(operation), 'mean', meansOf(operation), meansOf(same))
    }),
  ]
}

/** What a result lacks of the base: successes in each run, and times of each operation. */
function missingIn(b: TargetResult, name: string, a: TargetResult): readonly string[] {
  const idle = b.rate.runs.filter((rate) => rate <= 0).length
  const lost = a.operations.filter(
    ({ name: operation, outcome, count }) =>
      outcome === null &&
      count > 0 &&
      !b.operations.some((one) => one.name === operation && one.outcome === null && one.count > 0),
  )
  return [
    ...(idle === 0 ? [] : [`${name} has ${idle} of ${b.rate.runs.length} runs without a success`]),
    ...lost.map((operation) => `${name} has no successful ${operationText(operation)}`),
  ]
}

/** The mean of each run: of response times at a rate. */
function meansOf({ service, response }: OperationResult): readonly number[] {
  return (response ?? service).meanMs.runs
}

function notAlike(base: string, other: string, unlike: readonly string[]): StoreError {
  const message = `${base} and ${other} were not measured alike: ${unlike.join('; ')}. Measure them alike, or add --force.`
  return new StoreError('INVALID_ARGUMENT', message)
}
