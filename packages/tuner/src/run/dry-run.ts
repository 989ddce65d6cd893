import { AbortController } from '@unikv/core/platform'
import type { AnyManager } from '@unikv/manager'
import type { HistoryPoint, Policy, Violation } from '@unikv/monitor/recorder'
import { type Decision, decide } from '../decide/decide.ts'
import { Memory } from '../decide/memory.ts'
import { figuresOf, type StoreWork } from '../observe/work.ts'
import type { Tactic } from '../tactic.ts'
import { builtIn } from '../tactics/built-in.ts'
import { optionsFor } from './options-for.ts'
import { placeOf } from './place-of.ts'

/** A time in which a promise was broken, and what would have been proposed. */
export interface Hindsight {
  readonly policy: Policy
  /** Milliseconds since the epoch. */
  readonly fromAt: number
  readonly toAt: number
  readonly decision: Decision
}

/** So many periods in a row make a trouble that lasts. */
const lasting = 3

/**
 * Decide about the past as it is kept by the minute. Servers are looked at as they are now, and nothing is changed.
 *
 * @param manager from `openUnrecorded`
 */
export async function dryRun(
  manager: AnyManager,
  history: readonly HistoryPoint[],
  policies: readonly Policy[],
  tactics: readonly Tactic[] = builtIn,
): Promise<readonly Hindsight[]> {
  const found: Hindsight[] = []
  for (const policy of policies)
    for (const period of brokenPeriods(history, policy)) {
      const decision = await decided(manager, history, period, { policy, policies, tactics })
      if (decision !== undefined) found.push({ policy, ...period, decision })
    }
  return found.toSorted((a, b) => a.fromAt - b.fromAt)
}

interface Period {
  readonly fromAt: number
  readonly toAt: number
  readonly violation: Violation
}

/** Times in which a policy was broken long enough. */
function brokenPeriods(history: readonly HistoryPoint[], policy: Policy): readonly Period[] {
  const points = history.filter(
    ({ store, operation }) => store === policy.store && operation === policy.operation,
  )
  const periods: Period[] = []
  let run: HistoryPoint[] = []
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)]
    if (run.length >= lasting && first !== undefined && last !== undefined) {
      const violation = violationIn(last, policy, first.at) as Violation
      periods.push({ fromAt: first.at, toAt: last.at + last.lengthMs, violation })
    }
    run = []
  }
  for (const point of points) {
    const before = run.at(-1)
    if (before !== undefined && point.at > before.at + before.lengthMs) end()
    if (violationIn(point, policy, point.at) === undefined) end()
    else run.push(point)
  }
  end()
  return periods
}

/** The next higher percentile that is kept stands for that of the policy. */
function violationIn(point: HistoryPoint, policy: Policy, sinceAt: number): Violation | undefined {
  const { belowMs, maxErrorShare, minHitRate, percentile = 99, minCalls = 20 } = policy
  const { calls, failed, items, hitRate, latency } = point
  if (calls < minCalls) return undefined
  const violated = (found: number, limit: number): Violation => ({ policy, found, limit, calls, sinceAt })
  if (belowMs !== undefined) {
    const { p50Ms, p90Ms, p99Ms, p999Ms, maxMs } = latency
    const found =
      percentile <= 50
        ? p50Ms
        : percentile <= 90
          ? p90Ms
          : percentile <= 99
            ? p99Ms
            : percentile <= 99.9
              ? p999Ms
              : maxMs
    return found >= belowMs ? violated(found, belowMs) : undefined
  }
  if (maxErrorShare !== undefined) {
    const found = items === 0 ? 0 : failed / items
    return found > maxErrorShare ? violated(found, maxErrorShare) : undefined
  }
  return minHitRate !== undefined && hitRate < minHitRate ? violated(hitRate, minHitRate) : undefined
}

async function decided(
  manager: AnyManager,
  history: readonly HistoryPoint[],
  { toAt, violation }: Period,
  { policy, policies, tactics }: { policy: Policy; policies: readonly Policy[]; tactics: readonly Tactic[] },
): Promise<Decision | undefined> {
  const place = placeOf(policy.store, manager)
  if (place === undefined) return undefined
  const last = history.filter(({ store, at, lengthMs }) => store === policy.store && at + lengthMs === toAt)
  const work = Object.fromEntries(
    last.map((point) => [point.operation, figuresOf(point, point.lengthMs)]),
  ) as StoreWork
  const configuration = manager.configuration.stores[policy.store] ?? {}
  const at = { ...place, signal: new AbortController().signal }
  const options = await optionsFor(tactics, at, { configuration, work, server: undefined }, () => {})
  return decide({
    trouble: { type: 'violation', store: policy.store, violation },
    options,
    work,
    policies: policies.filter(({ store }) => store === policy.store),
    memory: new Memory(),
    now: toAt,
  })
}
