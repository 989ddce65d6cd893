import {
  type DeltasConfig,
  deltasConfig,
  type EditPattern,
  editPatterns,
  parseShares,
  parseSizes,
} from '@unikv/workload'
import type { BenchRequest } from './bench-run.ts'
import { listOf, outputOf, refuseSharedPlaces, storesOf } from './bench-sizes-request.ts'
import type { NamedUrl } from './named-url.ts'

/** The options of `unikv bench deltas` as commander gives them. */
export interface BenchDeltasOptions {
  readonly store?: readonly string[]
  readonly sizes: string
  readonly data?: readonly string[]
  readonly compressibility?: number
  readonly edits?: readonly string[]
  readonly shares: string
  readonly updates: number
  readonly keys?: number
  readonly runs: number
  readonly reads: number
  readonly knownReads: number
  readonly mbits?: number
  readonly roundTripMs: number
  readonly maxDeltas: number
  readonly seed: number
  readonly timeoutMs: number
  readonly allowNonEmpty?: boolean
  readonly json?: boolean
  readonly markdown?: boolean
  readonly quiet?: boolean
  readonly debug?: boolean
}

/** What is to be done, checked, and nothing opened yet. */
export interface BenchDeltasRequest extends BenchRequest {
  readonly config: DeltasConfig
  readonly stores: readonly NamedUrl[]
}

/**
 * Make sense of the options.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `INVALID_CONFIG`, in one sentence
 */
export function benchDeltasRequest(options: BenchDeltasOptions): BenchDeltasRequest {
  const { data = ['synthetic'], compressibility, edits } = options
  const stores = storesOf(options.store)
  refuseSharedPlaces(stores, [])
  const config = deltasConfig({
    sizes: options.sizes.trim() === 'files' ? 'files' : parseSizes(options.sizes),
    edits: edits === undefined ? editPatterns : listOf<EditPattern>('--edits', edits, editPatterns),
    shares: parseShares(options.shares),
    updates: options.updates,
    keys: options.keys ?? 'auto',
    runs: options.runs,
    use: {
      reads: options.reads,
      knownReads: options.knownReads / 100,
      mbits: options.mbits ?? null,
      roundTripMs: options.roundTripMs,
    },
    maxDeltas: options.maxDeltas,
    seed: options.seed,
    timeoutMs: options.timeoutMs,
    allowNonEmpty: options.allowNonEmpty ?? false,
  })
  return { config, stores, data, compressibility, ...outputOf(options) }
}
