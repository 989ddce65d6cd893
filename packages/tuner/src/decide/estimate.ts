import { queryNamed } from '@unikv/monitor'
import type { Policy } from '@unikv/monitor/recorder'
import type { Trouble } from '../observe/trouble.ts'
import { busyMs, type Factors, factorOf, type StoreWork, type Work } from '../observe/work.ts'
import type { Candidate } from '../tactic.ts'

/** Work that is saved relieves other operations by half of its share. */
const relieved = 0.5

/** How far a candidate would bring the figure of a trouble towards its limit. */
export function reliefOf(
  candidate: Candidate,
  { trouble, work }: { readonly trouble: Trouble; readonly work: StoreWork },
): { readonly relief: number; readonly expected: number } {
  const towards = (found: number, expected: number, limit: number): { relief: number; expected: number } => ({
    expected,
    relief: found === limit ? Number(expected !== found) : clamp((found - expected) / (found - limit)),
  })
  if (trouble.type === 'saturation') {
    const expected = trouble.share * (candidate.resources?.[trouble.resource] ?? 1)
    return towards(trouble.share, expected, 0.8)
  }
  const { policy, found, limit } = trouble.violation
  if (policy.belowMs !== undefined) {
    const { relief, expected } = towards(found, found * tailFactor(policy, candidate, work), limit)
    return { relief, expected: Math.max(expected, Math.min(found, slowestOther(policy, candidate, work))) }
  }
  if (policy.maxErrorShare !== undefined) return towards(found, found * (candidate.errors ?? 1), limit)
  return towards(found, candidate.hitRate ?? found, limit)
}

/** Other queries that are called often enough stay as slow as they are, whichever index one of them gets. */
function slowestOther(
  { operation, percentile = 99 }: Policy,
  { latency = {} }: Candidate,
  work: StoreWork,
): number {
  if (operation !== 'native' || latency['native'] !== undefined || percentile < 99) return 0
  const least = (1 - percentile / 100) * (work['native']?.callsPerSecond ?? 0)
  const others = Object.entries(work).filter(
    ([name, its]) =>
      queryNamed(name) !== undefined && latency[name as Work] === undefined && its.callsPerSecond > least,
  )
  return Math.max(0, ...others.map(([, its]) => its.p99Ms))
}

/** A high percentile of native calls is that of the slowest query among them, if enough of the calls are of it. */
function tailFactor(
  { operation, percentile = 99 }: Policy,
  { latency: factors = {}, tail }: Candidate,
  work: StoreWork,
): number {
  const own = tail?.(operation, percentile)
  if (own !== undefined) return own
  // Other operations of a store wait less if it has less to do.
  if (factors[operation] === undefined && operation !== 'native')
    return 1 - relieved * Math.max(0, savedOf(work, factors))
  const native = work['native']
  if (operation !== 'native' || factors['native'] !== undefined || native === undefined)
    return factorOf(operation, work, factors)
  const slow = Object.entries(factors).filter(([query]) => {
    const its = work[query as Work]
    const share = its === undefined ? 0 : its.callsPerSecond / Math.max(native.callsPerSecond, 1e-9)
    return its !== undefined && share > 1 - percentile / 100 && its.p50Ms >= native.p50Ms
  })
  return slow.length === 0
    ? factorOf(operation, work, factors)
    : Math.min(...slow.map(([, factor]) => factor))
}

/** Whether a promise that holds would be broken by the estimate. */
export function breaks(policy: Policy, candidate: Candidate, work: StoreWork, trouble: Trouble): boolean {
  if (trouble.type === 'violation' && trouble.violation.policy === policy) return false
  const factor = candidate.latency?.[policy.operation] ?? 1
  const now = work[policy.operation]?.p99Ms ?? 0
  return policy.belowMs !== undefined && factor > 1 && now < policy.belowMs && now * factor >= policy.belowMs
}

/** How often the operations that become slower could grow until nothing is gained. */
export function breakEvenOf(work: StoreWork, factors: Factors): number {
  const changes = Object.keys(factors).map((name) => {
    const its = work[name as Work]
    return its === undefined ? 0 : its.callsPerSecond * its.meanMs * (1 - (factors[name as Work] ?? 1))
  })
  const gain = changes.filter((change) => change > 0).reduce((sum, change) => sum + change, 0)
  const loss = -changes.filter((change) => change < 0).reduce((sum, change) => sum + change, 0)
  return loss === 0 ? Infinity : gain / loss
}

/** Share of the work of a store that is saved; negative: there is more of it. */
export function savedOf(work: StoreWork, factors: Factors): number {
  const before = busyMs(work)
  return before === 0 ? 0 : 1 - busyMs(work, factors) / before
}

/** Between 0 and 1. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
