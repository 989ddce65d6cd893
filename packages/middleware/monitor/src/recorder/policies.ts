import { kindOf, nearest, StoreError } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Figures, Frame } from '../figures.ts'
import { isOperation, type Operation, operations } from '../operation.ts'
import { type QueryName, queryNamed } from '../query.ts'
import { percentileMs, summarised } from '../summary.ts'
import { type WindowName, windowMs } from './windows.ts'

/** A promise about a store. It has exactly one limit: `belowMs`, `maxErrorShare` or `minHitRate`. */
export interface Policy {
  /** Name of the store. */
  readonly store: string
  /** An operation, or the native calls that query by some attributes: `by ip,at`. */
  readonly operation: Operation | QueryName
  /** The window over which it is judged. @default '30s' */
  readonly over?: WindowName | undefined
  /** The percentile of the latency that must be below `belowMs`, above 0 and at most 100. @default 99 */
  readonly percentile?: number | undefined
  readonly belowMs?: number | undefined
  /** Largest share of items that may fail, from 0 to below 1. */
  readonly maxErrorShare?: number | undefined
  /** Smallest share of reads that caches must answer, above 0 and at most 1. */
  readonly minHitRate?: number | undefined
  /** Fewer calls in the window say nothing. @default 20 */
  readonly minCalls?: number | undefined
}

/** A policy that does not hold now. */
export interface Violation {
  readonly policy: Policy
  /** The figure that was found, in the unit of its limit. */
  readonly found: number
  readonly limit: number
  /** Calls in the window. */
  readonly calls: number
  /** When it was first found not to hold (milliseconds since the epoch). */
  readonly sinceAt: number
}

const limits = ['belowMs', 'maxErrorShare', 'minHitRate'] as const
const names = ['store', 'operation', 'over', 'percentile', 'minCalls', ...limits]

/** @throws {StoreError} `INVALID_CONFIG` that names the policy by its place */
export function checkPolicies(policies: readonly Policy[]): readonly Policy[] {
  if (!Array.isArray(policies)) throw wrong('policies', `must be a list, got ${kindOf(policies)}`)
  for (const [i, policy] of policies.entries()) checkPolicy(policy, `policies[${i}]`)
  // As they are now: what the caller changes later was not checked.
  return policies.map((policy) => Object.freeze({ ...policy }))
}

function checkPolicy(policy: unknown, path: string): void {
  if (!isPlainObject(policy)) throw wrong(path, `must be an object, got ${kindOf(policy)}`)
  const unknown = Object.keys(policy).find((name) => !names.includes(name))
  if (unknown !== undefined) throw wrong(path, `has no option '${unknown}'. ${meant(unknown, names)}`)
  const { store, operation, over = '30s', percentile = 99, minCalls = 20 } = policy as unknown as Policy
  if (typeof store !== 'string' || store === '') throw wrong(path, 'must name a store')
  if (!isOperation(operation) && queryNamed(String(operation)) === undefined)
    throw wrong(path, `must name an operation. ${meant(String(operation), operations)}`)
  if (!Object.hasOwn(windowMs, over))
    throw wrong(path, `over must be one of ${Object.keys(windowMs).join(', ')}`)
  if (!isFrom(0, percentile, 100) || percentile === 0)
    throw wrong(path, 'percentile must be a number above 0, and at most 100')
  if (!isFrom(1, minCalls, Number.MAX_SAFE_INTEGER))
    throw wrong(path, 'minCalls must be a number of at least 1')
  const given = limits.filter((limit) => policy[limit] !== undefined)
  if (given.length !== 1) throw wrong(path, `must have exactly one of ${limits.join(', ')}`)
  const name = given[0] as (typeof limits)[number]
  if (name !== 'belowMs' && policy['percentile'] !== undefined)
    throw wrong(path, `percentile belongs to belowMs, but this policy has ${name}`)
  if (name === 'minHitRate' && operation !== 'read')
    throw wrong(path, `minHitRate is of the operation read, got ${operation}`)
  checkLimit(path, name, policy[name])
}

/** A limit that always holds, or never, is a mistake. */
function checkLimit(path: string, name: (typeof limits)[number], limit: unknown): void {
  const isNumber = isFrom(0, limit, name === 'belowMs' ? Number.MAX_SAFE_INTEGER : 1)
  if (name === 'belowMs' && (!isNumber || limit === 0))
    throw wrong(path, 'belowMs must be a number of milliseconds above 0')
  if (name === 'maxErrorShare' && (!isNumber || limit === 1))
    throw wrong(path, 'maxErrorShare must be a number from 0 to below 1')
  if (name === 'minHitRate' && (!isNumber || limit === 0))
    throw wrong(path, 'minHitRate must be a number above 0, and at most 1')
}

function isFrom(least: number, value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}

/** Judges policies by windows; tells each time that one begins to be violated, or holds again. */
export class Policies {
  readonly #policies: readonly Policy[]
  readonly #violations = new Map<Policy, Violation>()

  constructor(policies: readonly Policy[]) {
    this.#policies = policies
  }

  /** The policies that do not hold. */
  get violations(): readonly Violation[] {
    return [...this.#violations.values()]
  }

  /** Judge all. Returns what changed: violations that began, and policies that hold again. */
  judge(frameOf: (window: WindowName) => Frame, at: number): { began: Violation[]; ended: Violation[] } {
    const began: Violation[] = []
    const ended: Violation[] = []
    for (const policy of this.#policies) {
      const before = this.#violations.get(policy)
      const figures = frameOf(policy.over ?? '30s')[policy.store]?.[policy.operation]
      const now = figures === undefined ? undefined : violationOf(policy, figures, before?.sinceAt ?? at)
      if (now !== undefined) this.#violations.set(policy, now)
      else this.#violations.delete(policy)
      if (now !== undefined && before === undefined) began.push(now)
      if (now === undefined && before !== undefined) ended.push(before)
    }
    return { began, ended }
  }
}

/** How a policy is violated by the figures of its window; `undefined`: it holds, or there are too few calls to say. */
export function violationOf(policy: Policy, figures: Figures, sinceAt: number): Violation | undefined {
  const { belowMs, maxErrorShare, minHitRate, minCalls = 20 } = policy
  const { calls, failed, items, hitRate } = summarised(figures)
  if (calls < minCalls) return undefined
  const violated = (found: number, limit: number): Violation => ({ policy, found, limit, calls, sinceAt })
  if (belowMs !== undefined) {
    const found = percentileMs(figures, policy.percentile ?? 99)
    return found !== undefined && found >= belowMs ? violated(found, belowMs) : undefined
  }
  if (maxErrorShare !== undefined) {
    const found = items === 0 ? 0 : failed / items
    return found > maxErrorShare ? violated(found, maxErrorShare) : undefined
  }
  const limit = minHitRate as number
  return hitRate < limit ? violated(hitRate, limit) : undefined
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `Known: ${known.join(', ')}` : `Did you mean '${near}'?`
}

function wrong(path: string, what: string): StoreError {
  const sentence = `${path} of recorder() ${what}`
  return new StoreError('INVALID_CONFIG', sentence.endsWith('?') ? sentence : `${sentence}.`)
}
