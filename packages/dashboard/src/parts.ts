import type { Asked, Guard } from '@unikv/http/parts'
import type { Changes } from './changes.ts'
import type { Walks } from './data/walks.ts'
import type { Decoding } from './decode/decoding.ts'
import type { Downloads } from './downloads.ts'
import type { Live } from './live.ts'
import type { Looks } from './looks.ts'
import type { Moments } from './moments.ts'
import type { DashboardOptions, ShownManager } from './options.ts'
import type { Servers } from './servers.ts'

/** The parts of a dashboard that its routes share. */
export interface Parts {
  readonly manager: ShownManager
  readonly isWritable: boolean
  readonly hasData: boolean
  readonly history: DashboardOptions['history']
  readonly hasReports: boolean
  readonly hasTuner: boolean
  readonly guard: Guard
  readonly moments: Moments
  readonly live: Live
  readonly servers: Servers
  readonly looks: Looks
  readonly changes: Changes
  readonly walks: Walks
  readonly decoding: Decoding
  readonly downloads: Downloads
  readonly limits: Asked['limits']
}
