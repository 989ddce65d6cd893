import type { JobData, Report } from '../queue/job.ts'

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
