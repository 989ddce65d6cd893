import { StoreError } from '@unikv/core'
import { AbortController, pause } from '@unikv/core/platform'
import type { DriveProgram } from '../../drive/crew.ts'
import type { DriveSample } from '../../drive/driver.ts'
import { mergedSample } from '../../drive/merged.ts'
import type { Invalidity } from '../../loop/verdict.ts'
import type { JobData, Outcome, Report } from '../queue/job.ts'

/** How a share of a phase ended. */
export type SeatEnd<A> =
  | Extract<Outcome<A>, { readonly type: 'done' | 'left' | 'failed' }>
  /** Its worker fell silent; `worker`: its name. */
  | { readonly type: 'lost'; readonly worker: string }

/** A share of a phase, and the worker that does it. */
export interface Seat<A> {
  readonly data: JobData
  jobId: string
  /** `undefined`: none yet. */
  worker: string | undefined
  isReady: boolean
  /** Since when it waits for a worker. */
  waitsSince: number
  end: SeatEnd<A> | undefined
}

/** Such as `share 2 of 3`. */
export function shareText({ data: { share } }: Pick<Seat<unknown>, 'data'>): string {
  return `share ${share.index + 1} of ${share.of}`
}

/** Something that all workers do together. */
export interface PhaseOrder {
  /** One for each share. */
  readonly jobs: readonly JobData[]
  /** Whether a share whose worker is lost can be done again after the phase began. */
  readonly isRepeatable: boolean
  /** Whether the others end early when a share is lost after the phase began. @default false */
  readonly endsWithoutAll?: boolean | undefined
  readonly signal: AbortSignal
  /** Called when all workers are ready; the phase begins afterwards. */
  readonly start?: (() => Promise<void>) | undefined
  readonly onReport?: ((share: number, report: Report) => void) | undefined
  /** Nothing more will come from this share. */
  readonly onLost?: ((share: number) => void) | undefined
}

/** A worker that begins so much after the given time measured another time than the others. */
const mostLateMs = 1_000

/**
 * The sample of all workers together. A run that a worker did not finish is invalid, and holds what the others measured.
 *
 * @throws {StoreError} `UNAVAILABLE` if all workers were lost
 */
export function mergedRun(ends: readonly SeatEnd<DriveSample>[], program?: DriveProgram): DriveSample {
  const parts = ends.flatMap((end) =>
    (end.type === 'done' || end.type === 'left') && end.answer !== null
      ? [{ name: `worker ${end.worker}`, sample: end.answer }]
      : [],
  )
  const missing = ends.flatMap((end, index) => missingText(end, `share ${index + 1} of ${ends.length}`))
  if (parts.length === 0)
    throw new StoreError(
      'UNAVAILABLE',
      `Nothing was measured: ${missing.map(({ message }) => message).join('; ')}.`,
    )
  const merged = mergedSample(parts, program)
  return { ...merged, invalid: [...missing, ...merged.invalid, ...ends.flatMap(lateText)] }
}

function missingText(end: SeatEnd<DriveSample>, share: string): readonly Invalidity[] {
  if (end.type === 'lost')
    return [lost(`worker ${end.worker} was silent for three heartbeats, so its ${share} is missing`)]
  if (end.type === 'left')
    return [lost(`worker ${end.worker} was stopped, so the rest of its ${share} is missing`)]
  return []
}

function lateText(end: SeatEnd<DriveSample>): readonly Invalidity[] {
  if (end.type !== 'done' || end.lateMs <= mostLateMs) return []
  const message = `worker ${end.worker}: it began ${(end.lateMs / 1_000).toFixed(1)} s after the others`
  return [{ reason: 'generator-saturated', message }]
}

function lost(message: string): Invalidity {
  return { reason: 'worker-lost', message }
}

/** Messages for one reader, in their order. */
export class Inbox<T> {
  readonly #messages: T[] = []
  #wake: AbortController | undefined

  put(message: T): void {
    this.#messages.push(message)
    this.wake()
  }

  /** Let the reader look, even without a message. */
  wake(): void {
    this.#wake?.abort()
  }

  /** The next message; `undefined` if there is none for so long, or when the reader was woken. */
  async next(waitMs: number): Promise<T | undefined> {
    if (this.#messages.length === 0) {
      this.#wake = new AbortController()
      await pause(waitMs, { signal: this.#wake.signal })
      this.#wake = undefined
    }
    return this.#messages.shift()
  }
}
