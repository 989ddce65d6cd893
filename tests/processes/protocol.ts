import type { CacheStats } from '@unikv/cache'
import type { MixSetting } from './mix.ts'
import type { StackSetting } from './stack.ts'

/** What a process is for. */
export interface WorkerSetting {
  readonly seed: number
  readonly stack: StackSetting
  /** The source takes up to so long, at random. */
  readonly delayMs?: number
  /** Each load takes so long, and is told of. */
  readonly loadMs?: number
  /** Random calls; else it waits to be asked. */
  readonly mix?: MixSetting & { readonly journal: string; readonly name: string }
}

/** A call that a process is asked to make. */
export interface Asked {
  readonly id: number
  readonly call: 'get' | 'set'
  readonly key: string
  readonly value?: string
  readonly timeoutMs?: number
  /** Not before then, by the clock that all share. */
  readonly atMs?: number
}

/** What came out. */
export interface Answered {
  readonly what: 'answer'
  readonly id: number
  readonly value?: string | undefined
  readonly isStale: boolean
  /** Of the error, if it failed. */
  readonly code?: string
  readonly startMs: number
  readonly endMs: number
  /** How often this process has asked the source meanwhile, if it counts. */
  readonly loads: number
}

/** Statistics of the caches of a process. */
export interface BothStats {
  readonly near?: CacheStats | undefined
  readonly far?: CacheStats | undefined
}

/** What a process tells its parent. */
export type Told =
  | Answered
  | { readonly what: 'ready' | 'loading' }
  | ({ readonly what: 'stats' | 'over' } & BothStats)
