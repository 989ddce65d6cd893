import type { OpeningFixture } from './opening-fixture.ts'
import type { OpeningOptions } from './opening-options.ts'

/** One test of opening. */
export interface OpeningCase {
  readonly title: string
  /** When the case has ended, nothing holds the process that did not before. */
  readonly releases?: boolean
  readonly run: (t: OpeningFixture) => Promise<void>
}

/** The cases that concern an adapter, by the hooks that were given. */
export type OpeningSection = (given: OpeningOptions<object, unknown>) => readonly OpeningCase[]
