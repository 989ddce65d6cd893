import type { JobData, Outcome } from '../queue/job.ts'

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
